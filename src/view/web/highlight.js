/* What is lit in the lanes: chunks that a filter names, while the others are dimmed. Whoever wants some lit dispatches
 * "highlight" on the document, with the filter, or null for none, as its detail:
 *
 *   worker, host, file, dataset, site, error   names as in the tables
 *   from, to                                   seconds since the start: what ran at some time between them
 *   failed, first, slow                        true; first: what each worker began before it had done a chunk
 *   chunk                                      its number as in the tables, which also pins it
 *
 * Chunks have to be all of what it says. */

const FILTER_NAMES = ['worker', 'host', 'file', 'dataset', 'site', 'error'], FILTER_TIMES = ['from', 'to'], FILTER_FLAGS = ['failed', 'first', 'slow'];

const sameFilter = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const sendHighlight = filter => document.dispatchEvent(new CustomEvent('highlight', { detail: filter }));

/* The indices of a name: of several that go by it, as a worker by its address; else of those that end so, where a table
 * has left out what all paths begin with. */
function indicesOf(names, wanted) {
  const spelt = names.map(name => Array.isArray(name) ? name : [name]), found = new Set();
  spelt.forEach((ways, i) => { if (ways.includes(wanted)) found.add(i); });
  if (!found.size && wanted) spelt.forEach((ways, i) => { if (ways[0].endsWith(wanted)) found.add(i); });
  return found;
}

/* What each name of a filter goes by, and which of them a chunk has. */
const NAMED = {
  worker: [run => run.names.workers.map(([name, , address]) => address ? [name, address] : [name]), (run, i) => run.laneWorker[run.lane[i]]],
  host: [run => run.names.workers.map(([, host]) => [host]), (run, i) => run.laneWorker[run.lane[i]]],
  file: [run => run.names.files, (run, i) => run.file[i]],
  dataset: [run => run.names.datasets.map(([name]) => [name]), (run, i) => run.dataset[i]],
  site: [run => run.names.sites, siteOf],
  error: [run => run.names.errors, (run, i) => run.error[i] - 1],
};

/* As src/analysis/straggler_groups.c says it: what finds nothing loaded. What begins in the last moments of a worker's
 * first chunk follows it. */
function isFirst(run) {
  const done = new Map(), workerOfChunk = i => run.laneWorker[run.lane[i]];
  for (let i = 0; i < run.n; i++) {
    const end = run.end[i] - (run.end[i] - run.begin[i]) / 50, before = done.get(workerOfChunk(i));
    if (!run.error[i] && !(before <= end)) done.set(workerOfChunk(i), end);
  }
  return i => !(run.begin[i] >= done.get(workerOfChunk(i)));
}

/* A list of questions, all of which a chunk that is lit answers with yes. */
function questionsOf(run, filter) {
  const questions = [], origin = shown.origin;
  for (const key of FILTER_NAMES) {
    if (filter[key] === undefined) continue;
    const [namesOf, indexOf] = NAMED[key], wanted = indicesOf(namesOf(run), filter[key]);
    questions.push(i => wanted.has(indexOf(run, i)));
  }
  if (filter.from !== undefined) questions.push(i => run.end[i] - origin >= filter.from);
  if (filter.to !== undefined) questions.push(i => run.begin[i] - origin <= filter.to);
  if (filter.failed) questions.push(i => run.error[i] > 0);
  if (filter.first) questions.push(isFirst(run));
  if (filter.slow) questions.push(i => run.timesExpected[i] >= run.about.slow_from);
  return questions;
}

function chunksLit(run, filter) {
  const questions = questionsOf(run, filter), lit = new Uint8Array(run.n);
  for (let i = 0; i < run.n; i++) lit[i] = questions.every(question => question(i));
  return lit;
}

/* "slower than expected, worker 10.0.0.1:40000" */
function filterWords(filter) {
  const flags = { failed: 'failed', first: 'begun before their worker had done one', slow: 'slower than expected' };
  const words = FILTER_FLAGS.filter(flag => filter[flag]).map(flag => flags[flag]);
  for (const key of FILTER_NAMES) if (filter[key] !== undefined) words.push(`${key === 'site' ? 'storage' : key} ${shortened(filter[key], 80)}`);
  const [from, to] = FILTER_TIMES.map(key => filter[key] === undefined ? '' : momentText(filter[key], 1));
  if (from || to) words.push(from && to ? `between ${from} and ${to}` : from ? `after ${from}` : `before ${to}`);
  return words.join(', ');
}

/* ---- Lighting --------------------------------------------------------------------------------------------------- */

/* What is lit may all be outside of what is shown. */
function showSomeLit(run) {
  let from = Infinity, to = -Infinity;
  for (let i = 0; i < run.n; i++) {
    if (!lanes.lit[i]) continue;
    if (run.begin[i] <= shown.to && run.end[i] >= shown.from) return;
    from = Math.min(from, run.begin[i]);
    to = Math.max(to, run.end[i]);
  }
  if (from <= to) show(from - (to - from) / 4, to + (to - from) / 4);
}

function lightChunks(run, filter) {
  const { chunk, ...rest } = filter || {}, any = Object.keys(rest).length > 0;
  lanes.filter = any ? rest : null;
  lanes.lit = any ? chunksLit(run, rest) : null;
  if (any) showSomeLit(run);
  const i = chunk === undefined ? -1 : run.number.indexOf(Number(chunk));
  if (i >= 0) {
    pin(run, i);
    bringIntoView(run, i);
  }
  tellLit(run);
  if (chunk !== undefined && i < 0) say('This attempt has no place in the lanes');
  fillLegend(run);
  lanes.redraw();
  keepPlace();
}

function tellLit(run) {
  const count = lanes.lit ? lanes.lit.reduce((sum, lit) => sum + lit, 0) : 0;
  lanes.litStatus.hidden = !lanes.filter && !lanes.row;
  lanes.allLit.hidden = !lanes.filter;
  lanes.backToRow.hidden = !lanes.row;
  lanes.litText.textContent = lanes.filter ? `${countText(count)} of ${things(run.n, 'attempt')} lit: ${filterWords(lanes.filter)}` : '';
  if (lanes.pinned < 0 || lanes.filter) say(lanes.filter ? lanes.litText.textContent : 'All chunks are lit');
}

/* What is lit, and the way back to where that was asked for. */
function addLitStatus(run, parent) {
  lanes.litStatus = parent.appendChild(make('p', 'lit-status'));
  lanes.litText = lanes.litStatus.appendChild(make('b'));
  lanes.allLit = plainButton(lanes.litStatus, 'Light all', () => sendHighlight(null));
  lanes.backToRow = plainButton(lanes.litStatus, 'Back to the row', () => {
    lanes.row.scrollIntoView({ block: 'center' });
    lanes.row.focus({ preventScroll: true });
    lanes.row = null;
    tellLit(run);
  });
  lanes.litStatus.hidden = true;
  document.addEventListener('highlight', event => lightChunks(run, event.detail));
}

/* ---- From rows of tables ------------------------------------------------------------------------------------------ */

/* By table: the columns that say which chunks a row is about, and what else they are. */
const ROWS_ABOUT = {
  slowest: { chunk: 'chunk' },
  files: { file: 'file' },
  workers: { worker: 'worker' },
  ledger_workers: { worker: 'worker' },
  datasets: { dataset: 'dataset' },
  reading: { dataset: 'dataset' },
  storage: { server: 'site' },
  missing: { file: 'file', dataset: 'dataset' },
  failures: { error: 'error', failed: true },
  failures_by_file: { error: 'error', file: 'file', worker: 'worker', dataset: 'dataset', failed: true },
};

function filterOfRow(table, row) {
  const { failed, ...columns } = ROWS_ABOUT[table.id], filter = failed ? { failed } : {};
  table.columns.forEach(({ title }, i) => {
    const key = columns[title], text = row.cells[i].textContent.trim();
    if (key && text && text !== 'n/a') filter[key] = key === 'chunk' ? Number(text.replace(/\s/g, '')) : text;
  });
  return filter;
}

/* A button in the first cell that says what the row is about. */
function linkRow(table, row) {
  const columns = ROWS_ABOUT[table.id], at = columns ? table.columns.findIndex(({ title }) => columns[title]) : -1;
  if (at < 0 || !find('lanes') || row.cells[at].textContent === 'n/a') return;
  const filter = filterOfRow(table, row), button = make('button', 'to-lanes');
  button.type = 'button';
  button.title = 'Show in the lanes';
  button.setAttribute('aria-label', `Show in the lanes: ${row.cells[at].textContent}`);
  button.addEventListener('click', () => {
    if (!lanes.plot) return;
    lanes.row = button;
    sendHighlight(filter);
    lanes.plot.scrollIntoView({ block: 'center' });
    lanes.plot.focus({ preventScroll: true });
  });
  row.cells[at].prepend(button);
}
