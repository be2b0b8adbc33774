/* The script of the page, in files of one idea each that are put together when it is built: page (elements, numbers, the
 * data), glossary (what labels mean), sections (and their folds), time (what is shown over time), colouring, chunk,
 * lanes, highlight, place (in the address), findings, tables, figures, begin. Nothing is fetched, and text from the run
 * only ever becomes text: there is no innerHTML here. */
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

function plainButton(parent, text, act) {
  const button = parent.appendChild(make('button', 'plain', text));
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}

/* What a button did stands on it for a moment. */
function answer(button, text) {
  const before = button.dataset.text ||= button.textContent;
  button.textContent = text;
  say(text);
  setTimeout(() => { button.textContent = before; }, 2000);
}

const copyAnswer = (copied, what = 'Copied') => copied ? what : 'The browser does not allow copying';

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
    number: filled(packed.number, n, 0), events: column('events'), bytes: column('bytes'), memory: column('memory_kib'), attempt: column('attempt'),
    entryStart: column('entry_start'), entries: column('entries'), file: column('file'),
    error: filled(packed.error, n, 0), recomputed: filled(packed.recomputed, n, 0), dataset: new Int32Array(n), lane: new Int32Array(n),
    laneWorker: filled(packed.lane_worker, about.lanes, NaN),
    start: new Float64Array(n), stop: new Float64Array(n), end: new Float64Array(n),
    timesExpected: column('slowness').map(steps => 2 ** ((steps - about.slowness_middle) / about.slowness_steps)),
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
  run.anyFailed = run.error.some(error => error > 0);
  run.anySlow = run.timesExpected.some(times => times >= about.slow_from);
  return run;
}

/* ---- Colours -------------------------------------------------------------------------------------------------- */

let colours = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'neutral', 'bad', 'ground', 'ink', 'muted', 'grid', 'faint', 'ramp', 'balance'];
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
