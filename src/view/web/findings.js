/* Findings light up the chunks that they are about in the lanes: they say which by an event, whose detail is a filter
 * (see src/view/report_findings.c), or null for all. And the summary, to paste it elsewhere. */

function filterText(filter) {
  const named = { worker: 'worker', host: 'host', site: 'storage', file: 'file', dataset: 'dataset' };
  for (const [key, word] of Object.entries(named)) if (filter[key]) return `${word} ${shortened(filter[key], 48)}`;
  if (filter.failed) return 'attempts that failed';
  if (filter.first) return 'the first of each worker';
  if (filter.slow) return 'slower than expected';
  return `from ${momentText(filter.from, 1)} to ${momentText(filter.to, 1)}`;
}

const light = filter => document.dispatchEvent(new CustomEvent('highlight', { detail: filter }));

function addLight(card, filter, told) {
  const button = make('button', 'plain', `Light up its chunks: ${filterText(filter)}`);
  button.type = 'button';
  button.setAttribute('aria-pressed', 'false');
  button.addEventListener('click', () => {
    const lit = button.getAttribute('aria-pressed') === 'true';
    light(lit ? null : filter);
    if (!lit) told.scrollIntoView({ block: 'start' });
  });
  document.addEventListener('highlight', event => button.setAttribute('aria-pressed', String(event.detail === filter)));
  card.querySelector('.links').prepend(button);
}

/* Above the lanes, what is lit in them. */
function addLitLine(names) {
  const line = make('p', 'lit'), text = line.appendChild(make('span')), button = line.appendChild(make('button', 'plain', 'Light up all'));
  button.type = 'button';
  line.hidden = true;
  button.addEventListener('click', () => light(null));
  document.addEventListener('highlight', event => {
    line.hidden = !event.detail;
    if (event.detail) text.textContent = [names.get(event.detail), filterText(event.detail)].filter(Boolean).join(': ');
    say(event.detail ? `Chunks that are lit: ${text.textContent}` : 'All chunks are lit');
  });
  find('lanes').before(line);
}

async function followFindings() {
  const filters = await packedJson('data-findings'), section = find('chunks'), names = new Map();
  if (!filters || !find('lanes')) return;
  for (const [id, filter] of Object.entries(filters)) {
    const card = find('finding-' + id);
    names.set(filter, card.querySelector('h3').textContent);
    addLight(card, filter, section);
  }
  addLitLine(names);
}

/* ---- The summary as Markdown ----------------------------------------------------------------------------------- */

function addCopyButton() {
  if (!find('data-summary')) return;
  const title = 'Copy as Markdown', button = make('button', 'plain copy', title);
  button.type = 'button';
  button.addEventListener('click', async () => {
    const copied = await copyText(new TextDecoder().decode(await unpacked(find('data-summary').textContent)));
    button.textContent = copied ? 'Copied' : 'The browser does not allow copying';
    say(copied ? 'The summary is copied' : button.textContent);
    setTimeout(() => { button.textContent = title; }, 2000);
  });
  find('top').prepend(button);
}
