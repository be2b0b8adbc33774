/* Lanes: every chunk on the core that it ran on. */

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
