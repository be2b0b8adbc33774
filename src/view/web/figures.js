/* Figures, which are drawn in C, answer as the other charts do: what is nearest to a pointer, a finger or the arrow keys
 * says its values. They are the chart's own numbers; only points are read off the picture, because there are too many. */

const POINTS_HERE = { p1: '2 to 9', p2: '10 to 99', p3: '100 or more' }; /* see draw_points in svg_marks.c */

const VALUE_TEXTS = {
  's': secondsText, '%': percentText, 'Hz': hertzText, 'kHz': v => hertzText(v * 1e3), 'MB': v => dataText(v * 1e6), 'GB': v => dataText(v * 1e9),
  'MiB': v => memoryText(v * 2 ** 20), 'GiB': v => memoryText(v * 2 ** 30), 'Gbit/s': v => onLadder(v, 1000, ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'], 3),
  'ratio': shortNumber, '': meanCountText,
};

function axisText(axis, value) {
  if (axis.kind === 'category') return axis.categories[Math.round(value)];
  if (axis.kind === 'time') return momentText(value, 0.1);
  return (VALUE_TEXTS[axis.unit] || meanCountText)(value);
}

/* "Runtime (seconds)": what is shown has its unit. */
const axisName = axis => axis.label.replace(/ \([^)]*\)$/, '');

/* ---- Where marks are: parts of their panel, from its left and from its top ------------------------------------- */

const numbersOf = text => text.split(' ').map(Number);

function partOf(axis, [low, high], value) {
  return axis.kind === 'log' ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

function valueOf(axis, [low, high], part) {
  return axis.kind === 'log' ? low * (high / low) ** part : low + part * (high - low);
}

/* How a panel maps values to places and back; in charts that lie, x goes down. */
function mapOf(model, panel) {
  const { x: xLimits, y: { limits: yLimits } } = panel, x = model.x, y = panel.y;
  const turned = axis => axis.kind === 'category' ? part => part : part => 1 - part;
  const down = turned(model.horizontal ? x : y);
  return {
    place: (a, b) => model.horizontal ? [partOf(y, yLimits, b), down(partOf(x, xLimits, a))] : [partOf(x, xLimits, a), down(partOf(y, yLimits, b))],
    values: (across, deep) => model.horizontal ? [valueOf(x, xLimits, down(deep)), valueOf(y, yLimits, across)]
      : [valueOf(x, xLimits, across), valueOf(y, yLimits, down(deep))],
  };
}

/* The box of a mark in its own values; a point is a box without size. */
function cornersOf(series, i) {
  const x = series.x[i], y = series.y[i];
  if (series.kind === 'bars') return [x - series.width / 2, x + series.width / 2, series.y2 ? series.y2[i] : 0, y];
  if (series.kind === 'histogram') return [x, series.x2[i], 0, y];
  if (series.kind === 'lanes' || series.kind === 'heat') return [x, series.x2[i], y - 0.5, y + 0.5];
  return [x, x, y, y];
}

function marksOfNumbers(series, map) {
  const marks = [];
  for (let i = 0; i < series.x.length; i++) {
    if (series.y[i] === null) continue;
    const [x, x2, y, y2] = cornersOf(series, i), [a, b] = map.place(x, y), [c, d] = map.place(x2, y2);
    marks.push({ series, i, left: Math.min(a, c), right: Math.max(a, c), top: Math.min(b, d), bottom: Math.max(b, d) });
  }
  return marks;
}

/* Points are drawn as lines without length: "M12.5 80h0m3.2-4h0". */
function marksOfPicture(series, map, group, [left, top, width, height]) {
  const marks = [];
  for (const path of group.querySelectorAll('path')) {
    const numbers = path.getAttribute('d').replace(/h0/g, ' ').match(/-?(\d+\.?\d*|\.\d+)/g).map(Number);
    for (let i = 0, x = 0, y = 0; i + 1 < numbers.length; i += 2) {
      x += numbers[i];
      y += numbers[i + 1];
      const across = (x - left) / width, deep = (y - top) / height;
      marks.push({ series, at: map.values(across, deep), here: POINTS_HERE[path.classList[1]], left: across, right: across, top: deep, bottom: deep });
    }
  }
  return marks;
}

function marksOf(model, svg) {
  const marks = [];
  model.series.forEach((series, number) => {
    const map = mapOf(model, model.panels[series.panel]), panel = svg.querySelectorAll('[data-plot]')[series.panel];
    const group = panel.querySelector(`[data-series="${number}"]`);
    if (!group) return;
    const found = series.x ? marksOfNumbers(series, map) : marksOfPicture(series, map, group, numbersOf(panel.dataset.plot));
    for (const mark of found) marks.push(mark);
  });
  return marks;
}

/* ---- What they say ----------------------------------------------------------------------------------------------- */

function factsOf(model, { series, i, at, here }) {
  const panel = model.panels[series.panel], heads = [], facts = [];
  const add = (axis, text) => axisName(axis) ? facts.push([axisName(axis), text]) : heads.push(text);
  const [x, y] = at || [series.x[i], series.y[i]];
  add(model.x, series.x2 ? `${axisText(model.x, x)} to ${axisText(model.x, series.x2[i])}` : axisText(model.x, x));
  if (series.kind === 'band') add(panel.y, `${axisText(panel.y, y)} to ${axisText(panel.y, series.y2[i])}`);
  else add(panel.y, axisText(panel.y, series.kind === 'bars' && series.y2 ? y - series.y2[i] : y));
  if (series.z) add(model.z, axisText(model.z, series.z[i]));
  if (here) facts.push(['points here', here]);
  if (series.legend) heads.push(series.name);
  return { head: heads.join(' · ') || model.title, facts };
}

function markHead(colour, text) {
  const head = make('div', 'head');
  head.append(make('i', colour), make('bdi', '', shortened(text, 100)));
  return head;
}

/* ---- Pointing ---------------------------------------------------------------------------------------------------- */

const REACH = 40; /* pixels that a mark may be away from what points at it */

/* The picture that is shown of the two sizes, with where its panels are on the screen. */
function shownPicture(figure) {
  const svg = [...figure.querySelectorAll('svg')].find(one => one.getClientRects().length);
  const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
  const panels = [...svg.querySelectorAll('[data-plot]')].map(panel => numbersOf(panel.dataset.plot));
  return { svg, box, scale, panels };
}

function boxOf(picture, mark) {
  const [left, top, width, height] = picture.panels[mark.series.panel];
  return { left: left + mark.left * width, right: left + mark.right * width, top: top + mark.top * height, bottom: top + mark.bottom * height };
}

function nearest(picture, marks, x, y) {
  let best = null, least = (REACH / picture.scale) ** 2;
  for (const mark of marks) {
    const box = boxOf(picture, mark);
    const across = Math.max(box.left - x, 0, x - box.right), deep = Math.max(box.top - y, 0, y - box.bottom);
    const distance = across * across + deep * deep;
    if (distance < least) { best = mark; least = distance; }
  }
  return best;
}

/* The frame around the mark that speaks. */
function frameMark(picture, box) {
  const frame = document.createElementNS(SVG, 'rect'), room = box.right - box.left || box.bottom - box.top ? 1 : 5;
  const set = (name, value) => frame.setAttribute(name, value.toFixed(1));
  frame.setAttribute('class', 'marked');
  set('x', box.left - room);
  set('y', box.top - room);
  set('width', box.right - box.left + 2 * room);
  set('height', box.bottom - box.top + 2 * room);
  set('rx', room);
  picture.svg.append(frame);
}

class Figure {
  constructor(element) {
    this.element = element;
    this.name = element.querySelector('svg').dataset.chart;
    element.tabIndex = 0;
    element.setAttribute('aria-label', `${element.querySelector('title').textContent}. Arrow keys go from mark to mark.`);
    const leave = () => this.leave();
    element.addEventListener('pointermove', event => this.point(event));
    element.addEventListener('pointerdown', event => this.point(event));
    element.addEventListener('pointerleave', event => { if (event.pointerType !== 'touch') leave(); });
    element.addEventListener('focus', () => { if (element.matches(':focus-visible')) this.step(0); });
    element.addEventListener('blur', leave);
    element.addEventListener('keydown', event => this.press(event));
  }

  /* Nothing is unpacked before somebody asks. */
  async read() {
    this.model ||= packedJson('figure-' + this.name);
    const model = await this.model;
    if (!this.marks) {
      this.marks = marksOf(model, this.element.querySelector('svg'));
      const along = model.horizontal ? mark => mark.top : mark => mark.left;
      this.order = this.marks.slice().sort((a, b) => along(a) - along(b) || a.left - b.left || a.top - b.top);
    }
    return model;
  }

  async point(event) {
    const { clientX, clientY } = event, turn = this.turn = {};
    const model = await this.read();
    if (turn !== this.turn) return;
    const picture = shownPicture(this.element);
    const mark = nearest(picture, this.marks, (clientX - picture.box.left) / picture.scale, (clientY - picture.box.top) / picture.scale);
    if (mark) this.show(model, picture, mark, clientX, clientY);
    else this.leave();
  }

  async step(by) {
    const turn = this.turn = {}, model = await this.read();
    if (turn !== this.turn || !this.order.length) return;
    const at = Math.max(0, this.order.indexOf(this.mark));
    const mark = this.order[Math.min(this.order.length - 1, Math.max(0, at + by))];
    const picture = shownPicture(this.element), box = boxOf(picture, mark);
    const { head, facts } = this.show(model, picture, mark, picture.box.left + box.right * picture.scale, picture.box.top + box.bottom * picture.scale);
    say([head, ...facts.map(fact => fact.join(' '))].join(', '));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowRight' || event.key === 'ArrowDown') this.step(1);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') this.step(-1);
    else if (event.key === 'Escape') this.leave();
    else return;
    event.preventDefault();
  }

  show(model, picture, mark, x, y) {
    const said = factsOf(model, mark);
    this.unframe();
    this.mark = mark;
    frameMark(picture, boxOf(picture, mark));
    openTip(markHead(mark.series.colour === -2 ? 'bad' : datasetClass(mark.series.colour), said.head), said.facts, x, y);
    return said;
  }

  unframe() {
    for (const frame of this.element.querySelectorAll('.marked')) frame.remove();
  }

  leave() {
    this.turn = null;
    this.unframe();
    hideTip();
  }
}
