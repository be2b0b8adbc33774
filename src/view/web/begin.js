/* The page comes alive. */

function followScreen(run) {
  const again = () => { readColours(); drawNow(); };
  let width = 0;
  new ResizeObserver(() => {
    if (width && width !== document.body.clientWidth) { makeRoomForNames(run); drawSoon(); }
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
  makeRoomForNames(run);
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
  followPlace(run);
  await drawn();
  followScreen(run);
}

async function begin() {
  readColours();
  for (const element of document.querySelectorAll('.table')) if (element.querySelector('table.grid')) new Table(element);
  for (const element of document.querySelectorAll('.figures figure')) new Figure(element);
  followSections();
  followFolds();
  followLabels();
  addCopyButton();
  goToAddress();
  try {
    await followFindings();
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
