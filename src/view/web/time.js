/* Charts over time: the part of the run that is shown, which all of them share, and curves. Everything is drawn again from
 * all chunks for the part that is shown, so that zooming shows more and never less. */

/* ---- The part of the run that is shown, shared by all charts over time ---------------------------------------- */

const charts = [];   /* { draw(), moment(t) } */
const shown = { from: 0, to: 1, least: 0, most: 1, moment: NaN, left: 66 }; /* left: pixels for names, in all plots */
const RIGHT = 10, FONT = '11.5px system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

/* Charts are drawn one after the other, as many in a frame as there is time for: what is pointed at never waits for
 * all of them. */
const FRAME_MS = 12;
let undrawn = [], frameAsked = false;

function drawSoon() {
  undrawn = charts.slice();
  askFrame();
}

function askFrame() {
  if (frameAsked) return;
  frameAsked = true;
  requestAnimationFrame(() => {
    const began = performance.now();
    frameAsked = false;
    do undrawn.shift().draw(); while (undrawn.length && performance.now() - began < FRAME_MS);
    if (undrawn.length) askFrame(); else setMoment(shown.moment);
  });
}

function drawNow() {
  for (const chart of charts) chart.draw();
  setMoment(shown.moment);
}

/* Resolves when everything that was asked for is drawn. */
async function drawn() {
  while (undrawn.length || frameAsked) await pause();
}

function show(from, to) {
  const whole = shown.most - shown.least, shortest = whole / 2e5;
  from = Math.max(shown.least, from);
  to = Math.min(shown.most, Math.max(to, from + shortest));
  shown.from = Math.min(from, shown.most - shortest);
  shown.to = to;
  const zoomed = isZoomed();
  for (const bar of document.querySelectorAll('.range')) {
    bar.querySelector('.span').textContent = zoomed ? `${precise(shown.from)} to ${precise(shown.to)}`
      : shown.elapsed ? `the whole run, ${shown.elapsed}` : 'the whole run';
    bar.querySelector('button').disabled = !zoomed;
  }
  drawSoon();
  keepPlace();
}

/* Shows less of the run (factor below 1) or more, and what is at a moment stays where it is. */
function zoomAt(t, factor) {
  if ((shown.to - shown.from) * factor > 0.999 * (shown.most - shown.least)) show(shown.least, shown.most);
  else show(t - (t - shown.from) * factor, t + (shown.to - t) * factor);
}

const isZoomed = () => shown.from > shown.least || shown.to < shown.most;
const precise = t => momentText(t - shown.origin, (shown.to - shown.from) / 500);

function reset() {
  show(shown.least, shown.most);
  say('The whole run is shown');
}

function setMoment(t) {
  shown.moment = t;
  const inside = t >= shown.from && t <= shown.to;
  for (const chart of charts) chart.moment(inside ? t : NaN);
  for (const label of document.querySelectorAll('.range .moment'))
    label.textContent = inside ? `${precise(t)}${clockText(t)}` : '';
}

function clockText(t) {
  if (!Number.isFinite(shown.clock)) return '';
  return ` · ${new Date(shown.clock + t * 1000).toISOString().slice(11, 19)} UTC`;
}

/* Ticks of a time axis at round numbers: seconds, minutes, hours. */
function timeTicks(from, to, most) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const ideal = (to - from) / most;
  let step = steps.find(s => s >= ideal) || Math.ceil(ideal / 86400) * 86400;
  if (ideal < 1) { step = 10 ** Math.ceil(Math.log10(ideal)); if (step / 5 >= ideal) step /= 5; else if (step / 2 >= ideal) step /= 2; }
  const ticks = [];
  for (let i = Math.ceil((from - shown.origin) / step - 1e-9); ticks.length < 200; i++) {
    const t = i * step + shown.origin;
    if (t > to + step * 1e-9) break;
    ticks.push([t, step >= 1 && to - shown.origin < 100 ? `${Math.round(i * step)} s` : momentText(i * step, step)]);
  }
  return ticks;
}

function valueTicks(most, count, base = 10) {
  if (!(most > 0)) return [0];
  const raw = most / count, power = base ** Math.floor(Math.log(raw) / Math.log(base));
  const step = [1, 2, 2.5, 5, 10, 20, 50].map(f => f * power).find(s => s >= raw * 0.999) || raw;
  const ticks = [];
  for (let i = 0; i * step <= most * 1.0001; i++) ticks.push(i * step);
  return ticks;
}

/* Round numbers need no decimals: "50 kHz", "2.5 GB/s". */
const tickText = text => text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');

/* A canvas that is as sharp as the screen; gives its context, in CSS pixels. */
function prepared(canvas, height) {
  const width = Math.max(120, canvas.parentElement.clientWidth), ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; canvas.style.height = height + 'px'; }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  return { context, width, height, ratio, plotWidth: Math.max(40, width - shown.left - RIGHT) };
}

const xOf = (t, plotWidth) => shown.left + (t - shown.from) / (shown.to - shown.from) * plotWidth;

function drawTimeAxis(c, plotWidth, top, bottom, labels) {
  c.textAlign = 'center'; c.textBaseline = 'top';
  for (const [t, label] of timeTicks(shown.from, shown.to, Math.max(2, plotWidth / 95))) {
    const x = Math.round(xOf(t, plotWidth)) + 0.5;
    c.strokeStyle = colours.grid; c.beginPath(); c.moveTo(x, top); c.lineTo(x, bottom + (labels ? 4 : 0)); c.stroke();
    if (labels) { c.fillStyle = colours.muted; c.fillText(label, Math.min(x, shown.left + plotWidth - 14), bottom + 6); }
  }
}

/* Moving over a plot shows the moment in all of them; dragging and Ctrl with the wheel zoom; double click and keys as
 * the hint says. tap: for a press that was no drag. */
function followPointer(plot, over, leave, tap) {
  const canvas = plot.querySelector('canvas'), plotWidth = () => Math.max(40, canvas.clientWidth - shown.left - RIGHT);
  const pick = plot.appendChild(make('div', 'pick'));
  pick.hidden = true;
  let began = null;
  const timeAt = event => {
    const share = (event.clientX - canvas.getBoundingClientRect().left - shown.left) / plotWidth();
    return shown.from + Math.min(1, Math.max(0, share)) * (shown.to - shown.from);
  };
  const endPick = () => { began = null; pick.hidden = true; };
  plot.addEventListener('pointerdown', event => {
    if (event.button) return;
    began = { t: timeAt(event), x: event.clientX };
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener('pointermove', event => {
    const t = timeAt(event);
    setMoment(t);
    if (began && Math.abs(event.clientX - began.x) > 3) {
      const a = xOf(Math.min(t, began.t), plotWidth()), b = xOf(Math.max(t, began.t), plotWidth());
      pick.hidden = false;
      pick.style.left = a + 'px';
      pick.style.width = b - a + 'px';
      if (leave) leave();
    } else if (over) {
      over(event, t);
    }
  });
  plot.addEventListener('pointerup', event => {
    if (began && Math.abs(event.clientX - began.x) > 3) {
      const t = timeAt(event);
      show(Math.min(t, began.t), Math.max(t, began.t));
      say(`Showing ${precise(shown.from)} to ${precise(shown.to)}`);
    } else if (began && tap) {
      tap(event, began.t);
    }
    endPick();
  });
  plot.addEventListener('pointercancel', endPick);
  plot.addEventListener('pointerleave', () => { if (!began) { setMoment(NaN); if (leave) leave(); } });
  plot.addEventListener('dblclick', reset);
  plot.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomAt(timeAt(event), Math.exp(event.deltaY / 300));
  }, { passive: false });
  plot.addEventListener('keydown', event => {
    const width = shown.to - shown.from;
    const middle = Number.isFinite(shown.moment) ? shown.moment : (shown.from + shown.to) / 2;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && began) endPick();
    else if (event.key === '0' || event.key === 'Escape') reset();
    else if (event.key === '+' || event.key === '=') show(middle - width / 4, middle + width / 4);
    else if (event.key === '-') show(middle - width, middle + width);
    else if (event.shiftKey && event.key === 'ArrowLeft') pan(-width / 5);
    else if (event.shiftKey && event.key === 'ArrowRight') pan(width / 5);
    else return;
    event.preventDefault();
  });
}

function pan(by) {
  const room = by < 0 ? shown.least - shown.from : shown.most - shown.to;
  by = by < 0 ? Math.max(by, room) : Math.min(by, room);
  show(shown.from + by, shown.to + by);
}

function addRangeBar(parent, hint) {
  const bar = parent.appendChild(make('div', 'range'));
  bar.append(make('span', 'span'), make('span', 'moment'), make('span', 'hint', hint));
  plainButton(bar, 'Show the whole run', reset);
}

/* ---- Curves over time ------------------------------------------------------------------------------------------ */

/* Means per column of pixels, exact: what begins at x adds its weight to every column after it, and the part of its own
 * column that lies after it. Their integral is the sum of what was added. */
class Sums {
  constructor(columns) { this.d = new Float64Array(columns + 2); this.columns = columns; }
  add(x, weight) {
    if (x < 0) x = 0;
    if (x > this.columns) return;
    const i = Math.floor(x), after = x - i;
    this.d[i] += weight * (1 - after);
    this.d[i + 1] += weight * after;
  }
  values() {
    let sum = 0;
    const values = new Float64Array(this.columns);
    for (let i = 0; i < this.columns; i++) { sum += this.d[i]; values[i] = Math.abs(sum) < 1e-9 ? 0 : sum; }
    return values;
  }
}

let sweepCache = null;

/* How many chunks ran, and what they read, per column: attempts count while they run, bytes and events of those that
 * succeeded are spread over their time in process(), each chunk's once. */
function sweep(run, columns) {
  const key = `${shown.from} ${shown.to} ${columns}`;
  if (sweepCache && sweepCache.key === key) return sweepCache;
  const running = new Sums(columns), bytes = new Sums(columns), events = new Sums(columns);
  const scale = columns / (shown.to - shown.from), from = shown.from, to = shown.to;
  for (let i = 0; i < run.n; i++) {
    if (run.begin[i] > to) break;
    if (run.end[i] < from) continue;
    running.add((run.begin[i] - from) * scale, 1);
    running.add((run.end[i] - from) * scale, -1);
    if (run.error[i] || run.recomputed[i]) continue;
    const a = (run.start[i] - from) * scale, b = Math.max((run.stop[i] - from) * scale, a + 1e-3);
    const seconds = (b - a) / scale;
    if (run.bytes[i] > 0) { bytes.add(a, run.bytes[i] / seconds); bytes.add(b, -run.bytes[i] / seconds); }
    if (run.events[i] > 0) { events.add(a, run.events[i] / seconds); events.add(b, -run.events[i] / seconds); }
  }
  sweepCache = { key, running: running.values(), bytes: bytes.values(), events: events.values() };
  return sweepCache;
}

/* Index of the last point at or before t. */
function lastBefore(times, t) {
  let low = 0, high = times.length;
  while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= t) low = middle + 1; else high = middle; }
  return low - 1;
}

/* The line of points (t, v) as one value per column; a column without a point is between its neighbours. */
function alongPoints(times, values, columns) {
  const result = new Float64Array(columns), step = (shown.to - shown.from) / columns;
  for (let i = 0; i < columns; i++) {
    const t = shown.from + (i + 0.5) * step, at = lastBefore(times, t);
    if (at < 0 || at + 1 >= times.length) { result[i] = at >= 0 && t <= times[at] ? values[at] : NaN; continue; }
    const share = (t - times[at]) / (times[at + 1] - times[at] || 1);
    result[i] = values[at] + (values[at + 1] - values[at]) * share;
  }
  return result;
}

function knownPoints(run, values) {
  const times = [], known = [], width = run.length / run.about.columns;
  for (let i = 0; i < values.length; i++)
    if (!Number.isNaN(values[i])) { times.push((i + 0.5) * width); known.push(values[i] / 100); }
  return { times, known };
}

const isConstant = values => values.every(v => v === values[0]);

/* What the panels show. lines: { name, colour, kind, values(columns), whole, terms }; whole is what the rest of the page
 * says of the whole run in the same word, terms what the word means. A panel that has nothing to say is left out. */
function panelsOf(run) {
  const panels = [], series = run.series, whole = run.about.whole;
  const at = series.at ? series.at.map(t => t * run.about.tick) : null;
  const steps = name => columns => alongPoints(at, series[name], columns);
  if (run.n || (at && series.cores)) {
    const lines = [];
    if (at && series.cores) lines.push({ name: 'cores there', colour: 'muted', kind: 'ceiling', values: steps('cores'), whole: whole.cores, terms: 'run.total_cores' });
    if (run.n) lines.push({ name: 'concurrent chunks', colour: 'c0', kind: 'area', values: c => sweep(run, c).running, whole: whole.running, terms: 'run.concurrent_chunks_mean' });
    panels.push({ title: run.n ? 'Concurrent chunks, of the cores there' : 'Cores', text: meanCountText, lines, height: 130 });
  }
  if (at && series.workers && !(series.cores && isConstant(series.workers)))
    panels.push({ title: 'Workers', text: meanCountText, height: 84,
                  lines: [{ name: 'workers', colour: 'c5', kind: 'area', values: steps('workers'), whole: whole.workers, terms: 'run.avg_workers' }] });
  if (run.bytes.some(x => x > 0))
    panels.push({ title: 'Read by chunks', text: dataRateText, height: 110,
                  lines: [{ name: 'read by chunks', colour: 'c2', kind: 'area', values: c => sweep(run, c).bytes, whole: whole.bytes, terms: 'run.chunk_bytes_read' }] });
  if (run.events.some(x => x > 0))
    panels.push({ title: 'Event rate', text: hertzText, height: 110,
                  lines: [{ name: 'event rate', colour: 'c3', kind: 'area', values: c => sweep(run, c).events, whole: whole.events, terms: 'run.event_rate_elapsed_khz' }] });
  for (const [field, title] of [['memory', 'Memory of workers, of their limit'], ['cpu', 'CPU of workers, of their cores']]) {
    if (!series[field + '_mean']) continue;
    const mean = knownPoints(run, series[field + '_mean']), most = knownPoints(run, series[field + '_most']);
    if (!most.known.some(v => v > 0)) continue;
    const term = of => `run.${field}_utilization_percent_${of}`;
    panels.push({ title, text: percentText, height: 100, least: 100, lines: [
      { name: 'highest worker', peak: true, colour: 'c1', kind: 'line', values: c => alongPoints(most.times, most.known, c), whole: whole[field + '_most'], terms: term('max') },
      { name: 'all workers', colour: 'c0', kind: 'line', values: c => alongPoints(mean.times, mean.known, c), whole: whole[field + '_mean'], terms: term('mean') }] });
  }
  return panels;
}

function addPanel(parent, panel, last) {
  const figure = parent.appendChild(make('figure', 'panel'));
  const caption = figure.appendChild(make('figcaption'));
  caption.append(make('span', 'title', panel.title));
  const keys = caption.appendChild(make('span', 'keys'));
  for (const line of panel.lines) {
    const key = keys.appendChild(make('span'));
    key.append(make('i', line.colour === 'muted' ? 'ink' : line.colour), labelElement(line.name, line.terms));
    line.readout = key.appendChild(make('b'));
    line.drawn = [NaN];
  }
  const plot = figure.appendChild(make('div', 'plot'));
  plot.tabIndex = 0;
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-label', `${panel.title} over time. Arrow keys move along it, plus and minus zoom, 0 shows the whole run.`);
  const canvas = plot.appendChild(make('canvas'));
  const hair = plot.appendChild(make('div', 'hair'));
  hair.hidden = true;
  followPointer(plot);
  plot.addEventListener('keydown', event => {
    if (event.shiftKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    const step = (shown.to - shown.from) / 100, middle = (shown.from + shown.to) / 2;
    const t = Number.isFinite(shown.moment) ? shown.moment + (event.key === 'ArrowLeft' ? -step : step) : middle;
    setMoment(Math.min(shown.to, Math.max(shown.from, t)));
    say(`${precise(shown.moment)}: ` + panel.lines.map(line => `${line.name} ${line.readout.textContent}`).join(', '));
    event.preventDefault();
  });
  charts.push({
    draw: () => drawPanel(panel, canvas, last),
    moment: t => {
      hair.hidden = Number.isNaN(t);
      const width = panel.plotWidth || 1;
      if (!hair.hidden) hair.style.transform = `translateX(${xOf(t, width)}px)`;
      for (const line of panel.lines) {
        const column = Math.min(line.drawn.length - 1, Math.floor((t - shown.from) / (shown.to - shown.from) * line.drawn.length));
        line.readout.textContent = hair.hidden ? restText(line, panel) : panel.text(line.drawn[column]);
        line.readout.className = hair.hidden ? 'rest' : '';
      }
    },
  });
}

function meanOf(values) {
  let sum = 0, count = 0;
  for (const v of values) if (!Number.isNaN(v)) { sum += v; count++; }
  return sum / count;
}

/* What stands in the place of the moment when there is none: of the whole run, its number; of a part, that of the part. */
function restText(line, panel) {
  const word = line.peak ? 'peak' : 'mean';
  if (!isZoomed()) return line.whole ? `${word} ${line.whole}` : '';
  return `${word} ${panel.text(line.peak ? line.drawn.reduce((most, v) => v > most ? v : most, 0) : meanOf(line.drawn))}`;
}

function drawPanel(panel, canvas, last) {
  const { context: c, plotWidth } = prepared(canvas, panel.height + (last ? 24 : 0));
  panel.plotWidth = plotWidth;
  const top = 10, bottom = panel.height - 4;
  let most = panel.least || 0;
  for (const line of panel.lines) {
    line.drawn = line.values(Math.round(plotWidth));
    for (const v of line.drawn) if (v > most) most = v;
  }
  most = most > 0 ? most * (panel.least === most ? 1 : 1.06) : 1;
  const y = v => bottom - v / most * (bottom - top);
  drawTimeAxis(c, plotWidth, top, bottom, last);
  c.textAlign = 'right'; c.textBaseline = 'middle';
  for (const v of valueTicks(most, Math.max(1.5, panel.height / 38))) {
    const at = Math.round(y(v)) + 0.5;
    c.strokeStyle = v === 0 ? colours.muted : colours.grid;
    c.beginPath(); c.moveTo(shown.left, at); c.lineTo(shown.left + plotWidth, at); c.stroke();
    c.fillStyle = colours.muted;
    c.fillText(v === 0 ? '0' : tickText(panel.text(v)), shown.left - 8, at); /* not "0 B/s" below "100 MB/s" */
  }
  for (const line of panel.lines) drawLine(c, line, y, plotWidth);
}

function tracePath(c, values, y, plotWidth) {
  const step = plotWidth / values.length;
  let down = false, first = NaN, last = NaN;
  c.beginPath();
  for (let i = 0; i < values.length; i++) {
    const x = shown.left + (i + 0.5) * step;
    if (Number.isNaN(values[i])) { down = false; continue; }
    if (down) c.lineTo(x, y(values[i])); else c.moveTo(x, y(values[i]));
    if (Number.isNaN(first)) first = x;
    down = true; last = x;
  }
  return [first, last];
}

function drawLine(c, line, y, plotWidth) {
  const colour = colours[line.colour];
  c.lineWidth = 1.5; c.lineJoin = 'round'; c.strokeStyle = colour; c.fillStyle = colour;
  if (line.kind === 'ceiling') { c.setLineDash([4, 3]); c.lineWidth = 1.2; }
  const [first, last] = tracePath(c, line.drawn, y, plotWidth);
  c.stroke();
  c.setLineDash([]);
  if (line.kind === 'area' && first <= last) {
    c.lineTo(last, y(0)); c.lineTo(first, y(0)); c.closePath();
    c.globalAlpha = 0.16; c.fill(); c.globalAlpha = 1;
  }
  c.lineWidth = 1;
}
