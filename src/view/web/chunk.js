/* One chunk in words: in the tip that follows the pointer, and in the panel of the one that is pinned. */

/* A worker is its name on the screen, its host and its address. */
function workerOf(run, lane) {
  const worker = run.laneWorker[lane];
  return Number.isNaN(worker) ? ['worker not known', ''] : run.names.workers[worker];
}

const siteOf = (run, i) => Number.isNaN(run.file[i]) ? -1 : run.names.site_of_file[run.file[i]];

const timesText = times => `${times.toFixed(times < 0.995 ? 2 : times < 9.95 ? 1 : 0)} × as long as expected`; /* it comes in steps of 4 % */

function chunkFacts(run, i) {
  const known = x => !Number.isNaN(x), facts = [];
  const add = (name, text) => { if (text) facts.push([name, text]); };
  const events = run.events[i], entries = known(run.entries[i]) ? run.entries[i] : events;
  if (run.error[i]) add('failed with', run.names.errors[run.error[i] - 1]);
  if (known(run.file[i])) add('file', run.names.files[run.file[i]]);
  if (known(run.entryStart[i]) && known(entries)) add('entries', `${grouped(run.entryStart[i])} – ${grouped(run.entryStart[i] + entries)}`);
  if (known(events)) add('events', grouped(events) + (rateOf(run, i) > 0 ? `, ${hertzText(rateOf(run, i))}` : ''));
  const [name, host, address] = workerOf(run, run.lane[i]);
  add('worker', name);
  if (address) add('address', address);
  add('host', host);
  add('began', `${momentText(run.begin[i] - shown.origin, 0.1)}${clockText(run.begin[i])}`);
  if (known(run.process_time[i])) add('in process()', secondsText(run.process_time[i]));
  if (known(cpuShare(run, i))) add('on the CPU', `${percentText(100 * cpuShare(run, i))} of it`);
  if (known(run.open_time[i])) add('opening', secondsText(run.open_time[i]));
  if (known(run.events_time[i])) add('building events', secondsText(run.events_time[i]));
  if (known(run.return_time[i])) add('returning results', secondsText(run.return_time[i]));
  if (known(run.timesExpected[i])) add('took', timesText(run.timesExpected[i]));
  if (known(run.memory[i])) add('peak memory', memoryText(run.memory[i] * 1024));
  if (known(run.bytes[i])) add('read', dataText(run.bytes[i]));
  if (run.attempt[i] > 1) add('attempt', String(run.attempt[i]));
  return facts;
}

const datasetOf = (run, i) => run.dataset[i] < 0 ? ['dataset not known', -1] : run.names.datasets[run.dataset[i]];

function chunkHead(run, i) {
  const head = make('div', 'head'), [dataset, colour] = datasetOf(run, i);
  head.append(make('i', run.error[i] ? 'bad hatched' : datasetClass(colour)), make('bdi', '', shortened(dataset, 100)));
  head.append(make('span', 'quiet', `chunk ${run.number[i]}`));
  return head;
}

function factList(facts) {
  const list = make('dl');
  for (const [name, text] of facts) list.append(make('dt', '', name), make('dd', '', text));
  return list;
}

/* ---- The tip, also of figures ------------------------------------------------------------------------------------- */

/* Beside a place on the screen, on the side where there is room. */
function openTip(head, facts, x, y) {
  const tip = find('tip');
  tip.replaceChildren(head, factList(facts));
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), room = 14;
  let left = x + room, top = y + room;
  if (left + box.width > innerWidth - 8) left = Math.max(8, x - room - box.width);
  if (top + box.height > innerHeight - 8) top = Math.max(8, y - room - box.height);
  tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function showTip(run, i, x, y) {
  openTip(chunkHead(run, i), chunkFacts(run, i).map(([name, text]) => [name, shortened(text)]), x, y);
}

function hideTip() {
  find('tip').hidden = true;
}

/* ---- The panel of the chunk that is pinned -------------------------------------------------------------------- */

function chunkText(run, i) {
  const lines = [['chunk', run.number[i]], ['dataset', datasetOf(run, i)[0]], ...chunkFacts(run, i)];
  return lines.map(line => line.join(': ')).join('\n') + '\n';
}

function fillPanel(panel, run, i) {
  const head = chunkHead(run, i), buttons = head.appendChild(make('span', 'buttons'));
  const copy = plainButton(buttons, 'Copy', async () =>
    answer(copy, copyAnswer(await copyText(chunkText(run, i)))));
  plainButton(buttons, 'Zoom to it', () => zoomTo(run, i));
  plainButton(buttons, 'Close', unpin).title = 'Escape';
  panel.replaceChildren(head, factList(chunkFacts(run, i)));
}
