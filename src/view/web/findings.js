/* Findings light up the chunks that they are about in the lanes, by filters of src/view/report_findings.c. And the
 * summary, to paste it elsewhere. */

function addLight(card, filter, told) {
  const button = make('button', 'plain', `Light up its chunks: ${filterWords(filter)}`);
  button.type = 'button';
  button.setAttribute('aria-pressed', 'false');
  button.addEventListener('click', () => {
    const lit = button.getAttribute('aria-pressed') === 'true';
    sendHighlight(lit ? null : filter);
    if (!lit) told.scrollIntoView({ block: 'start' });
  });
  document.addEventListener('highlight', event => button.setAttribute('aria-pressed', String(event.detail !== null && sameFilter(event.detail, filter))));
  card.querySelector('.links').prepend(button);
}

async function followFindings() {
  const filters = await packedJson('data-findings'), section = find('chunks');
  if (!filters || !find('lanes')) return;
  for (const [id, filter] of Object.entries(filters)) addLight(find('finding-' + id), filter, section);
}

/* ---- The summary as Markdown ----------------------------------------------------------------------------------- */

function addCopyButton() {
  if (!find('data-summary')) return;
  const button = plainButton(find('top'), 'Copy as Markdown', async () =>
    answer(button, copyAnswer(await copyText(new TextDecoder().decode(await unpacked(find('data-summary').textContent))))));
  button.classList.add('copy');
  find('top').prepend(button);
}
