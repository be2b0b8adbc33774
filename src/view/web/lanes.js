/* Lanes: every chunk on the core that it ran on, drawn as pixels. What is pinned and what is lit is kept here; who changes
 * it is chunk.js and highlight.js. */

const lanes = {
  rows: [], rowOf: null,          /* lanes from top to bottom, and where each is; -1: not shown */
  tops: null, headings: [],       /* in pixels from the top of all rows */
  rowHeight: 0, total: 0, view: 0, scrolled: 0,
  wantedHeight: 0,                /* of a row; 0: as high as all fit in */
  text: '', byHost: false,        /* which lanes, and in which order */
  by: 'dataset', colouring: null,
  current: -1, pinned: -1, filter: null, lit: null,
};

const AXIS = 24, ROW_HEIGHTS = [4, 7, 10, 14, 20, 28, 40], READABLE = 14, HEADING = 20, NARROW_HEADING = 4;

/* Chunks of each lane, by time: counted, then laid down in order. */
function indexLanes(run) {
  const starts = new Int32Array(run.about.lanes + 1), chunks = new Int32Array(run.n);
  for (let i = 0; i < run.n; i++) starts[run.lane[i] + 1]++;
  for (let lane = 0; lane < run.about.lanes; lane++) starts[lane + 1] += starts[lane];
  const next = starts.slice();
  for (let i = 0; i < run.n; i++) chunks[next[run.lane[i]]++] = i;
  lanes.starts = starts;
  lanes.chunks = chunks;
}

/* ---- Where the rows are ---------------------------------------------------------------------------------------- */

function chooseLanes(run) {
  const wanted = lanes.text.trim().toLowerCase(), host = lane => workerOf(run, lane)[1];
  lanes.rows = [];
  for (let lane = 0; lane < run.about.lanes; lane++)
    if (!wanted || workerOf(run, lane).some(name => name.toLowerCase().includes(wanted))) lanes.rows.push(lane);
  if (lanes.byHost) {
    const order = new Map([...new Set(lanes.rows.map(host))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).map((name, i) => [name, i]));
    lanes.rows.sort((a, b) => order.get(host(a)) - order.get(host(b)) || a - b);
  }
  lanes.rowOf = new Int32Array(run.about.lanes).fill(-1);
  lanes.rows.forEach((lane, row) => { lanes.rowOf[lane] = row; });
}

const beginsHost = (run, row) => lanes.byHost && (row === 0 || workerOf(run, lanes.rows[row])[1] !== workerOf(run, lanes.rows[row - 1])[1]);

const heightOfAll = rows => Math.round(rows <= 1 ? 28 : Math.min(Math.max(rows * 13, 60), Math.max(320, Math.min(rows * 3, 620))));

/* Hosts have headings where there is room for them, else gaps, and their names stand in the place of the workers'. */
function layRows(run) {
  const rows = lanes.rows.length, all = heightOfAll(rows);
  lanes.headings = [];
  for (let row = 0; row < rows; row++) if (beginsHost(run, row)) lanes.headings.push({ row, text: workerOf(run, lanes.rows[row])[1] || 'host not known' });
  lanes.headed = lanes.wantedHeight > 0 || lanes.headings.length * HEADING <= all / 2;
  lanes.rowHeight = lanes.wantedHeight || all / (rows || 1);
  lanes.tops = new Float64Array(rows);
  let top = 0, heading = 0;
  for (let row = 0; row < rows; row++) {
    if (heading < lanes.headings.length && lanes.headings[heading].row === row) {
      if (lanes.headed || heading) top += lanes.headed ? HEADING : NARROW_HEADING;
      heading++;
    }
    lanes.tops[row] = top;
    top += lanes.rowHeight;
  }
  lanes.total = Math.max(top, 28);
  lanes.view = Math.round(lanes.wantedHeight ? Math.min(lanes.total, Math.max(320, innerHeight * 0.7)) : lanes.total);
}

/* The last row that begins at or above a place, from the top of all rows; -1 if there is none. */
const rowAbove = y => lastBefore(lanes.tops, y);

/* The rows at a place on the screen: several, where they are lower than a pixel. */
function rowsAt(y) {
  const at = y + lanes.scrolled, last = rowAbove(at + 0.99);
  const first = Math.max(0, rowAbove(at));
  return last >= 0 && at < lanes.tops[last] + lanes.rowHeight ? [first, last] : [0, -1];
}

/* The chunk at a place, or as near as slack; -1 if there is none. */
function chunkAt(run, y, t, slack) {
  const [first, last] = y < lanes.view ? rowsAt(y) : [0, -1];
  for (let row = first; row <= last; row++) {
    const lane = lanes.rows[row];
    let low = lanes.starts[lane], high = lanes.starts[lane + 1];
    while (low < high) { const middle = (low + high) >> 1; if (run.begin[lanes.chunks[middle]] <= t + slack) low = middle + 1; else high = middle; }
    for (let back = low - 1; back >= lanes.starts[lane] && back > low - 10; back--)
      if (run.end[lanes.chunks[back]] >= t - slack) return lanes.chunks[back];
  }
  return -1;
}

/* Where a chunk is in the plot, in CSS pixels. */
function chunkBox(run, i) {
  const row = lanes.rowOf[run.lane[i]], width = lanes.plotWidth, right = shown.left + width;
  const x0 = Math.max(shown.left, xOf(run.begin[i], width)), x1 = Math.min(right, xOf(run.end[i], width));
  const top = row < 0 ? 0 : lanes.tops[row] - lanes.scrolled, height = Math.max(3, lanes.rowHeight);
  return { left: x0, width: Math.max(2, x1 - x0), top, height, inRows: row >= 0 && top >= 0 && top + height <= lanes.view + 3,
           inTime: x1 >= shown.left && x0 <= right };
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* Pixels of the rows that are seen. A shade is filled in, or striped with another: that is seen without colours, too. */
class Sheet {
  constructor(width, height, ratio) {
    this.picture = new ImageData(width, height);
    this.pixels = new Uint32Array(this.picture.data.buffer);
    this.width = width;
    this.scale = width / (shown.to - shown.from);
    const rows = lanes.rows.length, rowHeight = lanes.rowHeight * ratio, gap = rowHeight < 4 ? 0 : rowHeight < 8 ? 1 : Math.round(ratio);
    this.tops = new Int32Array(rows);
    this.ends = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
      const top = Math.floor((lanes.tops[row] - lanes.scrolled) * ratio);
      this.tops[row] = Math.max(0, top);
      this.ends[row] = Math.min(height, Math.max(top + 1, Math.floor((lanes.tops[row] + lanes.rowHeight - lanes.scrolled) * ratio) - gap));
    }
  }

  fill(row, a, b, shade) {
    const x0 = Math.max(0, Math.floor((a - shown.from) * this.scale)), x1 = Math.min(this.width, Math.max(x0 + 1, Math.round((b - shown.from) * this.scale)));
    for (let y = this.tops[row]; y < this.ends[row]; y++) {
      if (x1 - x0 > 24) this.pixels.fill(shade, y * this.width + x0, y * this.width + x1);
      else for (let at = y * this.width + x0, end = y * this.width + x1; at < end; at++) this.pixels[at] = shade;
    }
  }

  /* Stripes, within a line around them where there is room for one. */
  hatch(row, a, b, shade, stripe, period) {
    const x0 = Math.max(0, Math.floor((a - shown.from) * this.scale)), x1 = Math.min(this.width, Math.max(x0 + 2, Math.round((b - shown.from) * this.scale)));
    const y0 = this.tops[row], y1 = this.ends[row], lined = x1 - x0 > 6 && y1 - y0 > 6;
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++) {
        const edge = lined && (x === x0 || x === x1 - 1 || y === y0 || y === y1 - 1);
        this.pixels[y * this.width + x] = edge || (x + y) % period < period / 3 ? stripe : shade;
      }
  }
}

/* Where nothing is lit, everything is. */
const isLit = i => !lanes.lit || lanes.lit[i] > 0;

function drawChunks(run, sheet, ratio) {
  const { shade } = lanes.colouring, hexes = lanes.colouring.colours();
  const [full, light, dim] = [0.92, 0.42, 0.18].map(opacity => Uint32Array.from(hexes, hex => pixel(hex, opacity)));
  const bad = pixel(colours.bad), line = pixel(colours.ink), badDim = pixel(colours.bad, 0.22), lineDim = pixel(colours.ink, 0.16);
  const least = lanes.lit ? 2 / sheet.scale : 0, period = Math.max(4, Math.round(6 * ratio)), later = [], failed = [];
  const draw = i => {
    const row = lanes.rowOf[run.lane[i]], end = Math.max(run.end[i], run.begin[i] + least);
    if ((end - run.begin[i]) * sheet.scale > 2) sheet.fill(row, run.begin[i], end, light[shade[i]]);
    sheet.fill(row, run.start[i], Math.max(run.stop[i], run.start[i] + least), full[shade[i]]);
  };
  for (let i = 0; i < run.n; i++) {
    if (run.begin[i] > shown.to) break;
    const row = lanes.rowOf[run.lane[i]];
    if (row < 0 || run.end[i] < shown.from || sheet.tops[row] >= sheet.ends[row]) continue;
    if (run.error[i]) failed.push(i);
    else if (!isLit(i)) sheet.fill(row, run.begin[i], run.end[i], dim[shade[i]]);
    else if (lanes.lit) later.push(i);
    else draw(i);
  }
  for (const i of failed) /* over the others, and wide enough to be seen */
    if (!isLit(i)) sheet.hatch(lanes.rowOf[run.lane[i]], run.begin[i], run.end[i], badDim, lineDim, period);
  later.forEach(draw);
  for (const i of failed)
    if (isLit(i)) sheet.hatch(lanes.rowOf[run.lane[i]], run.begin[i], run.end[i], bad, line, period);
}

function drawLanes(run, canvas) {
  const { context: c, plotWidth, ratio } = prepared(canvas, lanes.view + AXIS);
  lanes.plotWidth = plotWidth;
  drawTimeAxis(c, plotWidth, 0, lanes.view, true);
  const width = Math.round(plotWidth * ratio), height = Math.round(lanes.view * ratio);
  const sheet = new Sheet(width, height, ratio), picture = new OffscreenCanvas(width, height);
  drawChunks(run, sheet, ratio);
  picture.getContext('2d').putImageData(sheet.picture, 0, 0);
  c.drawImage(picture, shown.left, 0, plotWidth, lanes.view);
  if (lanes.headed) drawHeadings(c);
  labelLanes(run, c);
}

function drawHeadings(c) {
  c.fillStyle = colours.ink; c.textAlign = 'left'; c.textBaseline = 'alphabetic';
  for (const { row, text } of lanes.headings) {
    const y = lanes.tops[row] - lanes.scrolled;
    if (y > 8 && y < lanes.view + HEADING) c.fillText(text, 0, Math.min(y, lanes.view) - 5);
  }
}

/* What all hosts end with, as in "node07.example.org"; that of addresses in numbers tells them apart. */
function commonDomain(hosts) {
  const ends = hosts[0].split('.').slice(1).map((_, i, parts) => '.' + parts.slice(i).join('.'));
  return ends.find(end => /[a-z]/i.test(end) && hosts.every(host => host.endsWith(end))) || '';
}

/* The longest front and end of a text that fit. */
function fitting(c, text, width) {
  let letters = Array.from(text).length;
  while (letters > 3 && c.measureText(shortened(text, letters)).width > width) letters--;
  return shortened(text, letters);
}

/* Names of workers, or of hosts, where there is room for them. */
function labelLanes(run, c) {
  const rows = lanes.rows.length, ofHosts = lanes.byHost && !lanes.headed;
  const domain = ofHosts ? commonDomain(lanes.headings.map(heading => heading.text)).length : 0;
  const nameOf = row => workerOf(run, lanes.rows[row])[ofHosts ? 1 : 0].slice(0, -domain || undefined);
  c.fillStyle = colours.muted; c.textAlign = 'right'; c.textBaseline = 'middle';
  let first = 0, free = -HEADING;
  for (let row = 1; row <= rows; row++) {
    if (row < rows && nameOf(row) === nameOf(first)) continue;
    const bottom = lanes.tops[row - 1] + lanes.rowHeight, middle = Math.max(7 - lanes.scrolled, (lanes.tops[first] + bottom) / 2 - lanes.scrolled);
    if (middle - 7 >= free && middle > 0 && middle + 6 < lanes.view + 8) {
      c.fillText(fitting(c, nameOf(first), shown.left - 12), shown.left - 8, middle);
      free = middle + (bottom - lanes.tops[first] < 14 ? 40 : 7);
    }
    first = row;
  }
}

/* Room for the names of workers, in all plots alike. */
function makeRoomForNames(run) {
  const c = make('canvas').getContext('2d'), most = Math.max(66, Math.min(190, innerWidth * 0.28));
  c.font = FONT;
  const longest = run.names.workers.reduce((width, [name]) => Math.max(width, c.measureText(name).width), 0);
  shown.left = Math.round(Math.min(most, Math.max(66, longest + 14)));
  document.documentElement.dataset.left = shown.left; /* for who measures in plots */
}

/* ---- What a person does ---------------------------------------------------------------------------------------- */

/* Everything that depends on which lanes there are, and how high. */
function layAgain(run) {
  chooseLanes(run);
  layRows(run);
  lanes.roll.style.height = lanes.view + AXIS + 'px';
  lanes.roll.classList.toggle('rolls', lanes.total > lanes.view + 1);
  lanes.tall.style.height = lanes.total + AXIS + 'px';
  lanes.scrolled = lanes.roll.scrollTop;
  lanes.count.textContent = `${countText(lanes.rows.length)} of ${things(run.about.lanes, 'lane')}, one per thread of a worker`;
  lanes.fitAll.disabled = !lanes.wantedHeight;
  lanes.redraw();
  keepPlace();
}

function setHeight(run, height) {
  lanes.wantedHeight = height;
  layAgain(run);
  const looked = lanes.pinned >= 0 ? lanes.pinned : lanes.current;
  if (looked >= 0) scrollToRow(run, looked);
}

/* The next height above or below; below the height at which all fit, all fit. */
function stepHeight(run, up) {
  const all = heightOfAll(lanes.rows.length) / (lanes.rows.length || 1), higher = ROW_HEIGHTS.filter(height => height > all);
  setHeight(run, up ? higher.find(height => height > lanes.rowHeight + 0.5) || lanes.wantedHeight
    : higher.findLast(height => height < lanes.rowHeight - 0.5) || 0);
}

function scrollToRow(run, i) {
  const row = lanes.rowOf[run.lane[i]];
  if (row < 0 || chunkBox(run, i).inRows) return;
  lanes.roll.scrollTop = lanes.tops[row] + lanes.rowHeight / 2 - lanes.view / 2;
  lanes.scrolled = lanes.roll.scrollTop;
  lanes.redraw();
}

/* A chunk and as much before and after it. */
function zoomTo(run, i) {
  const length = Math.max(run.end[i] - run.begin[i], 1e-6);
  show(run.begin[i] - length, run.end[i] + length);
  bringIntoView(run, i);
}

/* Zooms until a chunk can be seen, and no further. */
function bringIntoView(run, i) {
  const length = Math.max(run.end[i] - run.begin[i], 1e-6), middle = (run.begin[i] + run.end[i]) / 2;
  if (lanes.rowOf[run.lane[i]] < 0) { lanes.text = lanes.filterField.value = ''; layAgain(run); }
  if (lanes.rowHeight < 8) setHeight(run, READABLE);
  if (length / (shown.to - shown.from) * lanes.plotWidth < 12) show(middle - 15 * length, middle + 15 * length);
  else if (run.begin[i] < shown.from || run.end[i] > shown.to) pan(middle - (shown.from + shown.to) / 2);
  scrollToRow(run, i);
}

function place(frame, run, i) {
  const box = i >= 0 && lanes.plotWidth ? chunkBox(run, i) : { inRows: false };
  frame.hidden = !box.inRows || !box.inTime;
  frame.style.transform = `translate(${box.left - 1}px, ${box.top - 1}px)`;
  frame.style.width = box.width + 2 + 'px';
  frame.style.height = box.height + 2 + 'px';
  return box;
}

function pin(run, i) {
  if (i === lanes.pinned) return;
  lanes.unpinned = lanes.pinned;
  lanes.pinned = lanes.current = i;
  hideTip();
  lanes.panel.hidden = i < 0;
  if (i >= 0) fillPanel(lanes.panel, run, i);
  place(lanes.pinFrame, run, i);
  say(i < 0 ? 'No chunk is pinned' : `Pinned: chunk ${run.number[i]}, ${chunkFacts(run, i).map(fact => fact.join(' ')).join(', ')}`);
  keepPlace();
}

function unpin() {
  const inside = lanes.panel.contains(document.activeElement);
  pin(null, -1);
  if (inside) lanes.plot.focus({ preventScroll: true });
}

/* The chunk before or after the current one in its lane, or at the same time in the lane above or below. */
function neighbour(run, along, across) {
  const current = lanes.current;
  if (current < 0 || lanes.rowOf[run.lane[current]] < 0) return lanes.chunks[lanes.starts[lanes.rows[0]]];
  if (along) {
    const lane = run.lane[current];
    for (let at = lanes.starts[lane]; at < lanes.starts[lane + 1]; at++)
      if (lanes.chunks[at] === current) return at + along >= lanes.starts[lane] && at + along < lanes.starts[lane + 1] ? lanes.chunks[at + along] : -1;
  }
  const row = lanes.rowOf[run.lane[current]] + across;
  if (row < 0 || row >= lanes.rows.length) return -1;
  const lane = lanes.rows[row];
  let at = lanes.starts[lane];
  while (at + 1 < lanes.starts[lane + 1] && run.begin[lanes.chunks[at + 1]] <= run.begin[current]) at++;
  return lanes.chunks[at];
}

function mark(run, i, x, y) {
  lanes.current = i;
  const box = place(lanes.frame, run, i), corner = lanes.plot.getBoundingClientRect();
  showTip(run, i, x === undefined ? corner.left + box.left + box.width / 2 : x, y === undefined ? corner.top + box.top + box.height : y);
}

function followKeys(run, event) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === 'Escape' && lanes.pinned >= 0) unpin();
  else if (event.key === 'Escape' && lanes.filter) sendHighlight(null);
  else if (event.key === 'Enter' && lanes.current >= 0) pin(run, lanes.current);
  else if (event.key === ']' || event.key === '[') stepHeight(run, event.key === ']');
  else if (event.key === 'f') setHeight(run, lanes.wantedHeight ? 0 : READABLE);
  else if (!event.shiftKey && moves[event.key] && lanes.rows.length) {
    const i = neighbour(run, ...moves[event.key]);
    if (i < 0) return true;
    if (run.end[i] < shown.from || run.begin[i] > shown.to) pan(run.begin[i] - (shown.from + shown.to) / 2);
    scrollToRow(run, i);
    mark(run, i);
    say(chunkFacts(run, i).map(fact => fact.join(' ')).join(', '));
  } else return false;
  return true;
}

function followLanes(run) {
  const { plot, roll } = lanes, leave = () => { hideTip(); lanes.frame.hidden = true; };
  plot.addEventListener('keydown', event => { /* before the keys of all plots: Escape closes the panel first */
    if (!followKeys(run, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  const under = (event, t) => {
    const pixels = event.pointerType === 'touch' ? 8 : 2;
    return chunkAt(run, event.clientY - plot.getBoundingClientRect().top, t, pixels * (shown.to - shown.from) / (lanes.plotWidth || 1));
  };
  followPointer(plot, (event, t) => {
    const i = under(event, t);
    if (i >= 0 && i !== lanes.pinned) mark(run, i, event.clientX, event.clientY); else leave();
  }, leave, (event, t) => pin(run, under(event, t)));
  plot.addEventListener('dblclick', () => pin(run, lanes.unpinned)); /* it was not meant to pin anything */
  plot.addEventListener('blur', leave);
  plot.addEventListener('wheel', event => {
    if (!event.altKey) return;
    event.preventDefault();
    stepHeight(run, event.deltaY < 0);
  }, { passive: false });
  roll.addEventListener('scroll', () => {
    if (lanes.scrolled === roll.scrollTop) return;
    lanes.scrolled = roll.scrollTop;
    requestAnimationFrame(lanes.redraw);
  }, { passive: true });
  lanes.panel.addEventListener('keydown', event => { if (event.key === 'Escape') unpin(); });
}

/* ---- Putting it together --------------------------------------------------------------------------------------- */

function choice(parent, label, options, act) {
  const field = parent.appendChild(make('label', 'choice', label)), select = field.appendChild(make('select'));
  for (const [value, text] of options) select.append(new Option(text, value));
  select.addEventListener('change', () => act(select.value));
  return select;
}

function colourBy(run, key) {
  lanes.by = Object.hasOwn(COLOURINGS, key) && COLOURINGS[key].told(run) ? key : 'dataset';
  lanes.colouring = colouringOf(run, lanes.by);
  lanes.colourField.value = lanes.by;
  fillLegend(run);
  lanes.redraw();
  keepPlace();
}

function groupByHost(run, grouped) {
  lanes.byHost = lanes.hostField.checked = grouped;
  layAgain(run);
}

function addLaneTools(run, parent) {
  const tools = parent.appendChild(make('div', 'tools'));
  lanes.filterField = searchField('Filter workers', tools);
  lanes.filterField.addEventListener('input', () => { lanes.text = lanes.filterField.value; layAgain(run); });
  lanes.count = tools.appendChild(make('span', 'count'));
  const told = Object.entries(COLOURINGS).filter(([, colouring]) => colouring.told(run));
  lanes.colourField = choice(tools, 'Colour by ', told.map(([key, { title }]) => [key, title]), key => colourBy(run, key));
  const hosts = tools.appendChild(make('label', 'choice'));
  lanes.hostField = hosts.appendChild(make('input'));
  lanes.hostField.type = 'checkbox';
  hosts.append(' by host');
  lanes.hostField.addEventListener('change', () => groupByHost(run, lanes.hostField.checked));
  const heights = tools.appendChild(make('span', 'buttons'));
  heights.setAttribute('role', 'group');
  heights.setAttribute('aria-label', 'Height of lanes');
  plainButton(heights, '−', () => stepHeight(run, false)).setAttribute('aria-label', 'Lower lanes');
  plainButton(heights, '+', () => stepHeight(run, true)).setAttribute('aria-label', 'Higher lanes');
  lanes.fitAll = plainButton(heights, 'Fit all', () => setHeight(run, 0));
}

function addPlot(run, parent) {
  const plot = lanes.plot = parent.appendChild(make('div', 'plot'));
  lanes.roll = plot.appendChild(make('div', 'roll'));
  lanes.tall = lanes.roll.appendChild(make('div'));
  lanes.canvas = lanes.tall.appendChild(make('canvas'));
  [lanes.frame, lanes.pinFrame, lanes.hair] = ['frame', 'frame pinned', 'hair'].map(name => plot.appendChild(make('div', name)));
  lanes.frame.hidden = lanes.pinFrame.hidden = lanes.hair.hidden = true;
  plot.tabIndex = 0;
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-label', `${things(run.n, 'attempt')} at chunks in ${things(run.about.lanes, 'lane')}, one per thread of a worker. ` +
    'Arrow keys go from chunk to chunk, Enter pins one, Escape lets it go. Plus and minus zoom, 0 shows the whole run, brackets make lanes lower and higher, f fits all.');
  lanes.panel = parent.appendChild(make('section', 'pinned-chunk'));
  lanes.panel.setAttribute('aria-label', 'Pinned chunk');
  lanes.panel.hidden = true;
}

function addLanes(run, parent) {
  indexLanes(run);
  addRangeBar(parent, 'drag to zoom · click pins a chunk · double click for the whole run');
  addLaneTools(run, parent);
  lanes.legend = parent.appendChild(make('div', 'legend'));
  lanes.legend.setAttribute('role', 'group');
  lanes.legend.setAttribute('aria-label', 'Colours: choose one to bring it out');
  addLitStatus(run, parent);
  addPlot(run, parent);
  lanes.redraw = () => {
    drawLanes(run, lanes.canvas);
    hideTip();
    lanes.frame.hidden = true;
    place(lanes.pinFrame, run, lanes.pinned);
  };
  lanes.colouring = colouringOf(run, lanes.by);
  followLanes(run);
  layAgain(run);
  fillLegend(run);
  charts.push({
    draw: lanes.redraw,
    moment: t => {
      lanes.hair.hidden = Number.isNaN(t);
      if (!lanes.hair.hidden) lanes.hair.style.transform = `translateX(${xOf(t, lanes.plotWidth || 1)}px)`;
    },
  });
}
