/* The script of the report. It reads the columns that the page carries, draws the charts over time and the lanes, and
 * makes tables sort, filter and copy. Nothing is fetched, and text from the run only ever becomes text: there is no
 * innerHTML here. Everything that is drawn is drawn again from all chunks for the part of the run that is shown, so
 * that zooming shows more and never less. */
'use strict';
(() => {

const find = id => document.getElementById(id);

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function say(text) { find('live').textContent = text; }

/* Gives the browser a turn, so that nothing takes longer than it looks. */
const pause = () => new Promise(resolve => setTimeout(resolve));

/* ---- Numbers for people, as src/view/format.c writes them --------------------------------------------------- */

const decimals = x => x >= 99.95 ? 0 : x >= 9.995 ? 1 : x >= 0.0995 || x === 0 ? 2 : 3;
const grouped = x => String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, ' ');
const shortNumber = x => x >= 999.5 ? grouped(x) : x.toFixed(decimals(x));

function onLadder(x, factor, units, rung = 0) {
  if (!Number.isFinite(x)) return 'n/a';
  const sign = x < 0 ? '−' : '';
  x = Math.abs(x);
  const limit = factor === 1024 ? 1000 : factor;
  const rounded = () => Number(x.toFixed(decimals(x)));
  while (rung > 0 && x > 0 && rounded() < 1) { x *= factor; rung--; }
  while (rung + 1 < units.length && rounded() >= limit) { x /= factor; rung++; }
  const number = rung === 0 && x === Math.floor(x) ? grouped(x) : shortNumber(x);
  return sign + number + (units[rung] ? ' ' + units[rung] : '');
}

const dataText = x => onLadder(x, 1000, ['B', 'kB', 'MB', 'GB', 'TB', 'PB']);
const dataRateText = x => Number.isFinite(x) ? dataText(x) + '/s' : 'n/a';
const memoryText = x => onLadder(x, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
const hertzText = x => onLadder(x, 1000, ['Hz', 'kHz', 'MHz', 'GHz']);
const percentText = x => !Number.isFinite(x) ? 'n/a' : x > 0 && x < 0.05 ? '< 0.1 %' : (x < 999.95 ? x.toFixed(x === 0 ? 0 : 1) : grouped(x)) + ' %';
const countText = x => !Number.isFinite(x) ? 'n/a' : x < 1e6 ? grouped(x) : onLadder(x, 1000, ['', 'k', 'M', 'G', 'T']);
const things = (n, one) => `${countText(n)} ${one}${n === 1 ? '' : 's'}`;
const meanCountText = x => !Number.isFinite(x) ? 'n/a' : x >= 1e6 || Math.abs(x - Math.round(x)) <= 1e-3 * x ? countText(Math.round(x))
  : x >= 99.95 && x < 999.95 ? x.toFixed(1) : shortNumber(x);

function secondsText(s) {
  if (!Number.isFinite(s)) return 'n/a';
  const sign = s < 0 ? '−' : '';
  s = Math.abs(s);
  if (s === 0) return '0 s';
  if (s < 99.95) return sign + onLadder(s, 1000, ['ns', 'µs', 'ms', 's'], 3);
  const whole = Math.round(s), minutes = Math.round(s / 60);
  if (whole < 3600) return `${sign}${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (minutes < 6000) return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${sign}${grouped(s / 3600)} h`;
}

/* Where a moment is: "12:41.3" for people who compare it with others nearby. */
function momentText(s, precision) {
  const sign = s < -1e-9 ? '−' : '';
  s = Math.abs(s);
  const places = precision >= 1 ? 0 : precision >= 0.1 ? 1 : precision >= 0.01 ? 2 : 3;
  s = Number(s.toFixed(places));
  const rest = (s % 60).toFixed(places);
  const padded = Number(rest) < 10 ? '0' + rest : rest;
  const minutes = Math.floor(s / 60) % 60, hours = Math.floor(s / 3600);
  return sign + (hours ? `${hours}:${String(minutes).padStart(2, '0')}:${padded}` : `${minutes}:${padded}`);
}

/* Long names keep their ends. */
function shortened(text, longest = 160) {
  const letters = Array.from(text);
  if (letters.length <= longest) return text;
  const front = Math.floor(longest * 0.4);
  return letters.slice(0, front).join('') + '…' + letters.slice(letters.length - (longest - front)).join('');
}

/* ---- The data that the page carries -------------------------------------------------------------------------- */

function bytesOf(letters) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(letters);
  const text = atob(letters), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpacked(letters) {
  const packed = new Blob([bytesOf(letters)]).stream();
  return new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
}

async function packedJson(id) {
  const element = find(id);
  return element ? JSON.parse(new TextDecoder().decode(await unpacked(element.textContent))) : null;
}

/* See src/view/columns.h: bytes of one rank together, then either value + 1 (0: absent) or zigzag differences. */
function columnValues(bytes, width, deltas) {
  const count = width ? bytes.length / width : 0, values = new Float64Array(count);
  for (let rank = 0, scale = 1; rank < width; rank++, scale *= 256)
    for (let i = 0, at = rank * count; i < count; i++) values[i] += bytes[at + i] * scale;
  if (deltas) {
    for (let i = 0, sum = 0; i < count; i++) {
      const code = values[i];
      sum += code % 2 ? -(code + 1) / 2 : code / 2;
      values[i] = sum;
    }
  } else {
    for (let i = 0; i < count; i++) values[i] = values[i] ? values[i] - 1 : NaN;
  }
  return values;
}

async function columnsOf(set) {
  const columns = {};
  for (const element of document.querySelectorAll(`script[data-set=${set}]`)) {
    const { column, width, deltas } = element.dataset;
    columns[column] = columnValues(await unpacked(element.textContent), Number(width), deltas === '1');
    await pause();
  }
  return columns;
}

/* A column in which every value is 0 or absent has no bytes at all. */
function filled(values, count, value) {
  return values && values.length === count ? values : new Float64Array(count).fill(value);
}

async function readRun() {
  const about = JSON.parse(find('data-about').textContent);
  const names = await packedJson('data-names');
  const series = await columnsOf('series');
  const packed = await columnsOf('chunks');
  const n = about.chunks, tick = about.tick;
  const column = name => filled(packed[name], n, NaN);
  const inSeconds = name => { const c = column(name); for (let i = 0; i < n; i++) c[i] *= tick; return c; };
  const run = {
    about, names, series, n, length: about.length * tick, runStart: (about.run_start || 0) * tick,
    begin: filled(packed.begin, n, 0).map(t => t * tick), open_time: inSeconds('open_time'), events_time: inSeconds('events_time'),
    process_time: inSeconds('process_time'), return_time: inSeconds('return_time'), cpu_time: inSeconds('cpu_time'),
    events: column('events'), bytes: column('bytes'), memory: column('memory_kib'), attempt: column('attempt'),
    entryStart: column('entry_start'), entries: column('entries'), file: column('file'),
    error: filled(packed.error, n, 0), recomputed: filled(packed.recomputed, n, 0), dataset: new Int32Array(n), lane: new Int32Array(n),
    laneWorker: filled(packed.lane_worker, about.lanes, NaN),
    start: new Float64Array(n), stop: new Float64Array(n), end: new Float64Array(n),
  };
  await pause();
  const dataset = column('dataset'), lane = column('lane');
  for (let i = 0; i < n; i++) {
    run.dataset[i] = Number.isNaN(dataset[i]) ? -1 : dataset[i];
    run.lane[i] = lane[i] || 0;
    run.start[i] = run.begin[i] + (run.open_time[i] || 0) + (run.events_time[i] || 0);
    run.stop[i] = run.start[i] + (run.process_time[i] || 0);
    run.end[i] = run.stop[i] + (run.return_time[i] || 0);
  }
  return run;
}

/* ---- Colours -------------------------------------------------------------------------------------------------- */

let colours = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'neutral', 'bad', 'ground', 'ink', 'muted', 'grid', 'faint'];
  colours = Object.fromEntries(names.map(name => [name, style.getPropertyValue('--' + name).trim()]));
}

const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

/* A colour over the ground, as one pixel. */
function pixel(hex, opacity = 1) {
  const ground = rgb(colours.ground);
  const [r, g, b] = rgb(hex).map((c, i) => Math.round(c * opacity + ground[i] * (1 - opacity)));
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

const datasetClass = number => number >= 0 ? 'c' + number : 'neutral';

/* ---- The part of the run that is shown, shared by all charts over time ---------------------------------------- */

const charts = [];   /* { draw(), moment(t) } */
const shown = { from: 0, to: 1, least: 0, most: 1, moment: NaN };
const LEFT = 66, RIGHT = 10;

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
  context.font = '11.5px system-ui, "Segoe UI", Helvetica, Arial, sans-serif';
  return { context, width, height, ratio, plotWidth: Math.max(40, width - LEFT - RIGHT) };
}

const xOf = (t, plotWidth) => LEFT + (t - shown.from) / (shown.to - shown.from) * plotWidth;

function drawTimeAxis(c, plotWidth, top, bottom, labels) {
  c.textAlign = 'center'; c.textBaseline = 'top';
  for (const [t, label] of timeTicks(shown.from, shown.to, Math.max(2, plotWidth / 95))) {
    const x = Math.round(xOf(t, plotWidth)) + 0.5;
    c.strokeStyle = colours.grid; c.beginPath(); c.moveTo(x, top); c.lineTo(x, bottom + (labels ? 4 : 0)); c.stroke();
    if (labels) { c.fillStyle = colours.muted; c.fillText(label, Math.min(x, LEFT + plotWidth - 14), bottom + 6); }
  }
}

/* Moving over a plot shows the moment in all of them; dragging zooms; double click and keys as the hint says. */
function followPointer(plot, over, leave) {
  const pick = plot.appendChild(make('div', 'pick'));
  pick.hidden = true;
  let began = null;
  const timeAt = event => {
    const box = plot.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / Math.max(40, box.width - LEFT - RIGHT);
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
      const width = Math.max(40, plot.clientWidth - LEFT - RIGHT);
      const a = xOf(Math.min(t, began.t), width), b = xOf(Math.max(t, began.t), width);
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
    }
    endPick();
  });
  plot.addEventListener('pointercancel', endPick);
  plot.addEventListener('pointerleave', () => { if (!began) { setMoment(NaN); if (leave) leave(); } });
  plot.addEventListener('dblclick', reset);
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
  const button = bar.appendChild(make('button', 'plain', 'Show the whole run'));
  button.type = 'button';
  button.addEventListener('click', reset);
  return bar;
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

/* What the panels show. lines: { name, colour, kind, values(columns), whole }; whole is what the rest of the page says of
 * the whole run in the same word. */
function panelsOf(run) {
  const panels = [], series = run.series, whole = run.about.whole;
  const at = series.at ? series.at.map(t => t * run.about.tick) : null;
  const steps = name => columns => alongPoints(at, series[name], columns);
  if (run.n || (at && series.cores)) {
    const lines = [];
    if (at && series.cores) lines.push({ name: 'cores there', colour: 'muted', kind: 'ceiling', values: steps('cores'), whole: whole.cores });
    if (run.n) lines.push({ name: 'concurrent chunks', colour: 'c0', kind: 'area', values: c => sweep(run, c).running, whole: whole.running });
    panels.push({ title: run.n ? 'Concurrent chunks, of the cores there' : 'Cores', text: meanCountText, lines, height: 130 });
  }
  if (at && series.workers)
    panels.push({ title: 'Workers', text: meanCountText, height: 84,
                  lines: [{ name: 'workers', colour: 'c5', kind: 'area', values: steps('workers'), whole: whole.workers }] });
  if (run.bytes.some(x => x > 0))
    panels.push({ title: 'Read by chunks', text: dataRateText, height: 110,
                  lines: [{ name: 'read by chunks', colour: 'c2', kind: 'area', values: c => sweep(run, c).bytes, whole: whole.bytes }] });
  if (run.events.some(x => x > 0))
    panels.push({ title: 'Event rate', text: hertzText, height: 110,
                  lines: [{ name: 'event rate', colour: 'c3', kind: 'area', values: c => sweep(run, c).events, whole: whole.events }] });
  for (const [field, title] of [['memory', 'Memory of workers, of their limit'], ['cpu', 'CPU of workers, of their cores']]) {
    if (!series[field + '_mean']) continue;
    const mean = knownPoints(run, series[field + '_mean']), most = knownPoints(run, series[field + '_most']);
    if (!mean.times.length) continue;
    panels.push({ title, text: percentText, height: 100, least: 100, lines: [
      { name: 'highest worker', peak: true, colour: 'c1', kind: 'line', values: c => alongPoints(most.times, most.known, c), whole: whole[field + '_most'] },
      { name: 'all workers', colour: 'c0', kind: 'line', values: c => alongPoints(mean.times, mean.known, c), whole: whole[field + '_mean'] }] });
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
    key.append(make('i', line.colour === 'muted' ? 'ink' : line.colour), make('span', '', line.name));
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
    c.beginPath(); c.moveTo(LEFT, at); c.lineTo(LEFT + plotWidth, at); c.stroke();
    c.fillStyle = colours.muted;
    c.fillText(v === 0 ? '0' : tickText(panel.text(v)), LEFT - 8, at); /* not "0 B/s" below "100 MB/s" */
  }
  for (const line of panel.lines) drawLine(c, line, y, plotWidth);
}

function tracePath(c, values, y, plotWidth) {
  const step = plotWidth / values.length;
  let down = false, first = NaN, last = NaN;
  c.beginPath();
  for (let i = 0; i < values.length; i++) {
    const x = LEFT + (i + 0.5) * step;
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

/* ---- Lanes ------------------------------------------------------------------------------------------------------ */

const lanes = { rows: [], rowOf: null, only: -1, current: -1, height: 0 };

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

function workerOf(run, lane) {
  const worker = run.laneWorker[lane];
  return Number.isNaN(worker) ? ['worker not known', ''] : run.names.workers[worker];
}

function chooseLanes(run, text) {
  const wanted = text.trim().toLowerCase();
  lanes.rows = [];
  lanes.rowOf = new Int32Array(run.about.lanes).fill(-1);
  for (let lane = 0; lane < run.about.lanes; lane++) {
    if (wanted && !workerOf(run, lane).some(name => name.toLowerCase().includes(wanted))) continue;
    lanes.rowOf[lane] = lanes.rows.length;
    lanes.rows.push(lane);
  }
  const rows = lanes.rows.length;
  lanes.height = Math.round(rows <= 1 ? 28 : Math.min(Math.max(rows * 13, 60), Math.max(320, Math.min(rows * 3, 620))));
}

function drawLanes(run, canvas) {
  const { context: c, plotWidth, ratio } = prepared(canvas, lanes.height + 24);
  lanes.plotWidth = plotWidth;
  drawTimeAxis(c, plotWidth, 0, lanes.height, true);
  const width = Math.round(plotWidth * ratio), height = Math.round(lanes.height * ratio), rows = lanes.rows.length || 1;
  const picture = new ImageData(width, height), pixels = new Uint32Array(picture.data.buffer);
  const scale = width / (shown.to - shown.from), rowHeight = height / rows, gap = rowHeight < 4 ? 0 : rowHeight < 8 ? 1 : Math.round(ratio);
  const shades = run.names.datasets.map(([, number]) => colours[datasetClass(number)]);
  shades.push(colours.neutral);
  const full = shades.map(hex => pixel(hex, 0.92)), light = shades.map(hex => pixel(hex, 0.42)), dim = shades.map(hex => pixel(hex, 0.16));
  const bad = pixel(colours.bad), badDim = pixel(colours.bad, 0.3), last = shades.length - 1;
  const tops = new Int32Array(rows), ends = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    tops[row] = Math.floor(row * rowHeight);
    ends[row] = Math.max(tops[row] + 1, Math.floor((row + 1) * rowHeight) - gap);
  }
  const box = (row, a, b, shade) => {
    const x0 = Math.max(0, Math.floor((a - shown.from) * scale)), x1 = Math.min(width, Math.max(x0 + 1, Math.round((b - shown.from) * scale)));
    for (let y = tops[row]; y < ends[row]; y++) {
      if (x1 - x0 > 24) pixels.fill(shade, y * width + x0, y * width + x1);
      else for (let at = y * width + x0, end = y * width + x1; at < end; at++) pixels[at] = shade;
    }
  };
  const failed = [];
  for (let i = 0; i < run.n; i++) {
    if (run.begin[i] > shown.to) break;
    const row = lanes.rowOf[run.lane[i]];
    if (row < 0 || run.end[i] < shown.from) continue;
    const dataset = run.dataset[i] < 0 ? last : run.dataset[i], dimmed = lanes.only >= 0 && lanes.only !== dataset;
    if (run.error[i]) failed.push(i);
    else if (dimmed) box(row, run.begin[i], run.end[i], dim[dataset]);
    else {
      if ((run.end[i] - run.begin[i]) * scale > 2) box(row, run.begin[i], run.end[i], light[dataset]);
      box(row, run.start[i], run.stop[i], full[dataset]);
    }
  }
  for (const i of failed) { /* over the others, and wide enough to be seen */
    const dimmed = lanes.only >= 0 && lanes.only !== run.dataset[i];
    box(lanes.rowOf[run.lane[i]], run.begin[i], Math.max(run.end[i], run.begin[i] + 2 / scale), dimmed ? badDim : bad);
  }
  const sheet = new OffscreenCanvas(width, height);
  sheet.getContext('2d').putImageData(picture, 0, 0);
  c.drawImage(sheet, LEFT, 0, plotWidth, lanes.height);
  labelLanes(run, c);
}

/* Names of workers where there is room for them, else how many there are. */
function labelLanes(run, c) {
  const rows = lanes.rows.length, rowHeight = lanes.height / (rows || 1);
  c.fillStyle = colours.muted; c.textAlign = 'right'; c.textBaseline = 'middle';
  let first = 0, free = 0;
  for (let row = 1; row <= rows; row++) {
    if (row < rows && run.laneWorker[lanes.rows[row]] === run.laneWorker[lanes.rows[first]]) continue;
    const middle = Math.max(7, (first + row) / 2 * rowHeight), worker = run.laneWorker[lanes.rows[first]];
    if (middle - 7 >= free && middle + 6 < lanes.height + 8) {
      c.fillText(Number.isNaN(worker) ? 'not known' : run.names.workers.length < 100 ? `worker ${worker + 1}` : grouped(worker + 1), LEFT - 8, middle);
      free = middle + (rowHeight * (row - first) < 14 ? 40 : 7);
    }
    first = row;
  }
}

/* The chunk at a place, or within two pixels of it; -1 if there is none. */
function chunkAt(run, row0, row1, t, slack) {
  for (let row = Math.max(0, row0); row <= Math.min(row1, lanes.rows.length - 1); row++) {
    const lane = lanes.rows[row];
    let low = lanes.starts[lane], high = lanes.starts[lane + 1];
    while (low < high) { const middle = (low + high) >> 1; if (run.begin[lanes.chunks[middle]] <= t + slack) low = middle + 1; else high = middle; }
    for (let back = low - 1; back >= lanes.starts[lane] && back > low - 10; back--)
      if (run.end[lanes.chunks[back]] >= t - slack) return lanes.chunks[back];
  }
  return -1;
}

function chunkFacts(run, i) {
  const known = x => !Number.isNaN(x), facts = [];
  const add = (name, text) => { if (text) facts.push([name, text]); };
  const events = run.events[i], entries = known(run.entries[i]) ? run.entries[i] : events;
  if (run.error[i]) add('failed with', run.names.errors[run.error[i] - 1]);
  if (known(run.file[i])) add('file', shortened(run.names.files[run.file[i]]));
  if (known(run.entryStart[i]) && known(entries)) add('entries', `${countWhole(run.entryStart[i])} – ${countWhole(run.entryStart[i] + entries)}`);
  if (known(events)) add('events', countWhole(events) + (run.process_time[i] > 0 ? `, ${hertzText(events / run.process_time[i])}` : ''));
  const [address, host] = workerOf(run, run.lane[i]);
  add('worker', shortened(address, 80) + (host ? ` on ${shortened(host, 60)}` : ''));
  add('began', `${momentText(run.begin[i] - shown.origin, 0.1)}${clockText(run.begin[i])}`);
  if (known(run.process_time[i])) add('in process()', secondsText(run.process_time[i]));
  if (known(run.cpu_time[i]) && run.process_time[i] > 0) add('on the CPU', `${percentText(100 * run.cpu_time[i] / run.process_time[i])} of it`);
  if (known(run.open_time[i])) add('opening', secondsText(run.open_time[i]));
  if (known(run.events_time[i])) add('building events', secondsText(run.events_time[i]));
  if (known(run.return_time[i])) add('handing back', secondsText(run.return_time[i]));
  if (known(run.memory[i])) add('peak memory', memoryText(run.memory[i] * 1024));
  if (known(run.bytes[i])) add('read', dataText(run.bytes[i]));
  if (run.attempt[i] > 1) add('attempt', String(run.attempt[i]));
  return facts;
}

const countWhole = x => grouped(x);

function showTip(run, i, x, y) {
  const tip = find('tip'), dataset = run.dataset[i] < 0 ? ['dataset not known', -1] : run.names.datasets[run.dataset[i]];
  const head = make('div', 'head');
  head.append(make('i', run.error[i] ? 'bad' : datasetClass(dataset[1])), make('bdi', '', shortened(dataset[0], 100)));
  const list = make('dl');
  for (const [name, text] of chunkFacts(run, i)) list.append(make('dt', '', name), make('dd', '', text));
  tip.replaceChildren(head, list);
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), room = 14;
  let left = x + room, top = y + room;
  if (left + box.width > innerWidth - 8) left = Math.max(8, x - room - box.width);
  if (top + box.height > innerHeight - 8) top = Math.max(8, y - room - box.height);
  tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function hideTip() {
  find('tip').hidden = true;
}

function addLegend(run, parent, redraw) {
  const used = new Set(run.dataset), names = run.names.datasets;
  const order = [...used].filter(d => d >= 0).sort((a, b) => (names[a][1] < 0) - (names[b][1] < 0) || names[a][1] - names[b][1] || a - b);
  const legend = parent.appendChild(make('div', 'legend'));
  legend.setAttribute('role', 'group');
  legend.setAttribute('aria-label', 'Datasets: choose one to bring it out');
  for (const dataset of order.slice(0, 24)) {
    const button = legend.appendChild(make('button'));
    button.type = 'button';
    button.title = names[dataset][0];
    button.setAttribute('aria-pressed', 'false');
    button.append(make('i', datasetClass(names[dataset][1])), make('span', '', shortened(names[dataset][0], 60)));
    button.addEventListener('click', () => {
      lanes.only = lanes.only === dataset ? -1 : dataset;
      for (const other of legend.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button && lanes.only >= 0));
      redraw();
    });
  }
  if (order.length > 24) legend.append(make('span', 'quiet', `and ${order.length - 24} more`));
  if (run.error.some(e => e > 0)) {
    const failed = legend.appendChild(make('span', 'quiet'));
    failed.append(make('i', 'bad'), ' failed attempt');
  }
}

/* Where a chunk is in the plot, in CSS pixels. */
function chunkBox(run, i) {
  const row = lanes.rowOf[run.lane[i]], rowHeight = lanes.height / lanes.rows.length;
  const left = Math.max(LEFT, xOf(run.begin[i], lanes.plotWidth)), right = Math.min(LEFT + lanes.plotWidth, xOf(run.end[i], lanes.plotWidth));
  return { left, width: Math.max(2, right - left), top: row * rowHeight, height: Math.max(3, rowHeight), seen: row >= 0 && right >= LEFT && left <= LEFT + lanes.plotWidth };
}

function addLanes(run, parent) {
  indexLanes(run);
  chooseLanes(run, '');
  addRangeBar(parent, 'drag to zoom · double click for the whole run');
  const tools = parent.appendChild(make('div', 'tools'));
  const filter = searchField('Filter workers', tools);
  const count = tools.appendChild(make('span', 'count'));
  const plot = make('div', 'plot'), canvas = plot.appendChild(make('canvas'));
  const frame = plot.appendChild(make('div', 'frame')), hair = plot.appendChild(make('div', 'hair'));
  const redraw = () => { drawLanes(run, canvas); hideTip(); frame.hidden = true; };
  const tell = () => { count.textContent = `${countText(lanes.rows.length)} of ${things(run.about.lanes, 'lane')}, one per thread of a worker`; };
  addLegend(run, parent, redraw);
  parent.append(plot);
  frame.hidden = hair.hidden = true;
  plot.tabIndex = 0;
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-label', `${things(run.n, 'attempt')} at chunks in ${things(run.about.lanes, 'lane')}, one per thread of a worker. ` +
    'Arrow keys go from chunk to chunk, plus and minus zoom, 0 shows the whole run.');
  const mark = (i, x, y) => {
    lanes.current = i;
    const box = chunkBox(run, i);
    frame.hidden = !box.seen;
    frame.style.transform = `translate(${box.left - 1}px, ${box.top - 1}px)`;
    frame.style.width = box.width + 2 + 'px';
    frame.style.height = box.height + 2 + 'px';
    const place = plot.getBoundingClientRect();
    showTip(run, i, x === undefined ? place.left + box.left + box.width / 2 : x, y === undefined ? place.top + box.top + box.height : y);
  };
  const leave = () => { hideTip(); frame.hidden = true; };
  followPointer(plot, (event, t) => {
    const y = event.clientY - plot.getBoundingClientRect().top, rowHeight = lanes.height / (lanes.rows.length || 1);
    const slack = 2 * (shown.to - shown.from) / (lanes.plotWidth || 1);
    const i = y < lanes.height ? chunkAt(run, Math.floor(y / rowHeight), Math.floor((y + 0.99) / rowHeight), t, slack) : -1;
    if (i >= 0) mark(i, event.clientX, event.clientY); else leave();
  }, leave);
  plot.addEventListener('keydown', event => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.shiftKey || !moves[event.key] || !lanes.rows.length) return;
    event.preventDefault();
    const i = neighbour(run, ...moves[event.key]);
    if (i < 0) return;
    if (run.end[i] < shown.from || run.begin[i] > shown.to) pan(run.begin[i] - (shown.from + shown.to) / 2);
    mark(i);
    say(chunkFacts(run, i).map(fact => fact.join(' ')).join(', '));
  });
  plot.addEventListener('blur', leave);
  filter.addEventListener('input', () => { chooseLanes(run, filter.value); tell(); redraw(); });
  tell();
  charts.push({
    draw: redraw,
    moment: t => {
      hair.hidden = Number.isNaN(t);
      if (!hair.hidden) hair.style.transform = `translateX(${xOf(t, lanes.plotWidth || 1)}px)`;
    },
  });
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

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

const TONES = ['', 'strong', 'quiet', 'good', 'warn', 'bad'];
const FEW_ROWS = 12, ROWS_AT_ONCE = 100;
const SVG = 'http://www.w3.org/2000/svg';

function searchField(label, parent) {
  const field = parent.appendChild(make('input'));
  field.type = 'search';
  field.placeholder = label;
  field.setAttribute('aria-label', label);
  field.autocomplete = 'off';
  field.spellcheck = false;
  return field;
}

const cellText = cell => cell === null ? 'n/a' : Array.isArray(cell) ? cell[0] : cell;
const cellValue = cell => Array.isArray(cell) && typeof cell[1] === 'number' ? cell[1] : null;

function compareCells(a, b) {
  const x = cellValue(a), y = cellValue(b);
  if (x !== null && y !== null) return x - y;
  return cellText(a).localeCompare(cellText(b), 'en', { numeric: true });
}

/* Text in two parts, of which the first may be cut; the same as in src/view/html.c. */
function nameElement(text) {
  const letters = Array.from(text);
  if (letters.length < 28) return make('bdi', '', text);
  const name = make('bdi', 'name');
  name.title = text;
  name.append(make('span', '', letters.slice(0, -16).join('')), make('span', '', letters.slice(-16).join('')));
  return name;
}

function cellElement(cell, column) {
  const tone = cell === null ? 'quiet' : Array.isArray(cell) ? TONES[cell[2] || 0] : '';
  const element = make('td', `${column.classes} ${tone}`);
  if (column.bar && Array.isArray(cell) && cell.length > 3) {
    const svg = element.appendChild(document.createElementNS(SVG, 'svg')), bar = svg.appendChild(document.createElementNS(SVG, 'rect'));
    svg.setAttribute('aria-hidden', 'true');
    bar.setAttribute('width', cell[3] + '%');
    bar.setAttribute('height', '100%');
  }
  const text = cellText(cell);
  element.append(column.name ? nameElement(text) : column.message ? make('div', '', text) : text);
  return element;
}

function csvCell(cell) {
  const value = cellValue(cell);
  if (value !== null) return String(value);
  let text = cell === null ? '' : cellText(cell);
  if (/^[=+\-@\t\r]/.test(text)) text = "'" + text; /* a spreadsheet would run it */
  return /[",\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.body.appendChild(make('textarea', 'unseen'));
    area.value = text;
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

class Table {
  constructor(element) {
    this.element = element;
    this.id = element.id.replace('table-', '');
    this.body = element.querySelector('tbody');
    this.more = element.querySelector('.more');
    this.cut = this.more.textContent;
    this.heads = [...element.querySelectorAll('thead th')];
    const first = this.body.rows[0];
    this.columns = this.heads.map((head, i) => {
      const classes = first ? first.cells[i].classList : [];
      const kept = ['num', 'bar', 'text'].filter(name => first && classes.contains(name));
      return { title: head.textContent, classes: kept.join(' '), bar: kept.includes('bar'), name: !kept.includes('num') && !kept.includes('text'), message: kept.includes('text') };
    });
    this.sort = -1;
    this.descending = false;
    this.limit = FEW_ROWS;
    this.addTools();
    this.heads.forEach((head, i) => this.addSortButton(head, i));
  }

  async load() {
    if (!this.rows) {
      this.rows = (await packedJson('rows-' + this.id)).rows;
      this.found = this.rows;
    }
    return this.rows;
  }

  addTools() {
    const tools = make('div', 'tools');
    this.filter = searchField('Filter', tools);
    this.filter.setAttribute('aria-label', `Filter ${this.id}`);
    this.count = tools.appendChild(make('span', 'count'));
    this.count.setAttribute('role', 'status');
    this.all = tools.appendChild(make('button', 'plain', 'Show all'));
    this.all.type = 'button';
    this.all.hidden = !/^and /.test(this.cut); /* it may also be a remark */
    this.filter.hidden = this.body.rows.length < 6;
    const copy = tools.appendChild(make('button', 'plain', 'Copy as CSV'));
    copy.type = 'button';
    this.filter.addEventListener('input', () => this.update());
    this.all.addEventListener('click', () => { this.limit = this.limit === Infinity ? FEW_ROWS : Infinity; this.update(); });
    copy.addEventListener('click', () => this.copy(copy));
    this.element.insertBefore(tools, this.element.querySelector('.scroll'));
  }

  addSortButton(head, i) {
    const button = make('button', '', head.textContent);
    button.type = 'button';
    if (!head.textContent) button.setAttribute('aria-label', `Column ${i + 1}`);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      this.descending = this.sort === i ? !this.descending : this.columns[i].classes.includes('num');
      this.sort = i;
      this.heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', this.descending ? 'descending' : 'ascending');
      this.update();
    });
  }

  choose() {
    const wanted = this.filter.value.trim().toLowerCase();
    if (wanted) this.texts ||= this.rows.map(row => row.map(cellText).join('\n').toLowerCase());
    let found = wanted ? this.rows.filter((row, i) => this.texts[i].includes(wanted)) : this.rows.slice();
    if (this.sort >= 0) {
      const sign = this.descending ? -1 : 1, at = this.sort;
      found.sort((a, b) => (a[at] === null) - (b[at] === null) || sign * compareCells(a[at], b[at]));
    }
    this.found = found;
  }

  async update() {
    const turn = this.turn = (this.turn || 0) + 1;
    await this.load();
    this.choose();
    const end = Math.min(this.found.length, this.limit);
    for (let at = 0; at < end || at === 0; at += ROWS_AT_ONCE) {
      if (at) await pause();
      if (turn !== this.turn) return; /* something newer is under way */
      const rows = this.found.slice(at, Math.min(end, at + ROWS_AT_ONCE)).map(cells => {
        const row = make('tr');
        row.append(...cells.map((cell, i) => cellElement(cell, this.columns[i])));
        return row;
      });
      if (at) this.body.append(...rows); else this.body.replaceChildren(...rows);
    }
    this.tell(end);
  }

  tell(end) {
    const total = this.rows.length, found = this.found.length;
    this.count.textContent = found === total ? '' : `${countText(found)} of ${things(total, 'row')}`;
    this.more.textContent = end < found ? `and ${countText(found - end)} more` : found === 0 ? 'no row has this text' : '';
    this.all.hidden = found <= FEW_ROWS;
    this.all.textContent = this.limit === Infinity ? 'Show fewer' : 'Show all';
  }

  async copy(button) {
    await this.load();
    this.choose();
    const lines = [this.columns.map(column => csvCell(column.title)), ...this.found.map(row => row.map(csvCell))];
    const copied = await copyText(lines.map(line => line.join(',') + '\r\n').join(''));
    const text = copied ? `Copied ${things(this.found.length, 'row')}` : 'The browser does not allow copying';
    button.textContent = text;
    say(text);
    setTimeout(() => { button.textContent = 'Copy as CSV'; }, 2000);
  }
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

function followSections() {
  const links = new Map([...document.querySelectorAll('nav a')].map(link => [link.getAttribute('href').slice(1), link]));
  const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute('aria-current');
      const link = links.get(entry.target.id);
      if (link) link.setAttribute('aria-current', 'true');
    }
  }, { rootMargin: '-15% 0px -75% 0px' });
  for (const section of document.querySelectorAll('main > section, #top')) watcher.observe(section);
}

function followScreen() {
  const again = () => { readColours(); drawNow(); };
  let width = 0;
  new ResizeObserver(() => {
    if (width && width !== document.body.clientWidth) drawSoon();
    width = document.body.clientWidth;
  }).observe(document.body);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  addEventListener('beforeprint', () => { document.documentElement.classList.add('light'); again(); });
  addEventListener('afterprint', () => { document.documentElement.classList.remove('light'); again(); });
  addEventListener('scroll', hideTip, { passive: true });
}

async function drawRun() {
  const timeline = find('timeline'), lanesPlace = find('lanes');
  if (!timeline && !lanesPlace) return;
  if (!('DecompressionStream' in window)) throw new Error('this browser is from before 2023');
  const run = await readRun();
  await pause();
  shown.most = run.length;
  shown.to = run.length;
  shown.origin = run.runStart;
  shown.elapsed = run.about.whole.elapsed;
  shown.clock = run.about.from_ms === null ? NaN : run.about.from_ms;
  if (timeline) {
    const panels = panelsOf(run);
    timeline.replaceChildren();
    if (panels.length) addRangeBar(timeline, 'drag to zoom · double click for the whole run · arrows, + and − work too');
    else timeline.append(make('p', 'missing', 'Nothing in this run changes over time: no chunk, no worker and no heartbeat was recorded.'));
    panels.forEach((panel, i) => addPanel(timeline, panel, i === panels.length - 1));
  }
  await pause();
  if (lanesPlace) {
    lanesPlace.replaceChildren();
    addLanes(run, lanesPlace);
  }
  show(0, run.length);
  await drawn();
  followScreen();
}

async function begin() {
  readColours();
  for (const element of document.querySelectorAll('.table')) if (element.querySelector('table.grid')) new Table(element);
  followSections();
  try {
    await drawRun();
  } catch (error) {
    for (const place of document.querySelectorAll('.needs-script'))
      place.textContent = `This chart could not be drawn: ${error.message}. The tables have the numbers.`;
    console.error(error);
  }
  document.documentElement.dataset.ready = 'yes';
}

begin();
})();
