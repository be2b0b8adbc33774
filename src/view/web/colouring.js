/* What the colour of a chunk says: the class that it is of, or where it is on a scale. A colouring gives each chunk the
 * number of its shade; the last shade is for what is not known. */

const SHADES_OF_SCALE = 32, MOST_ENTRIES = 24;

/* Stops such as "#fff, #000", from the style, as this many colours from the first to the last. */
function rampColours(stops, count) {
  const points = stops.split(/,\s*/).map(rgb);
  return Array.from({ length: count }, (_, i) => {
    const at = i / (count - 1) * (points.length - 1), before = Math.min(points.length - 2, Math.floor(at));
    const mix = points[before].map((c, k) => Math.round(c + (points[before + 1][k] - c) * (at - before)));
    return '#' + mix.map(c => c.toString(16).padStart(2, '0')).join('');
  });
}

/* entries: { text, shade, filter }, of which a click brings out what the filter says. */
function classColouring(run, classOf, entries, names) {
  const shade = new Uint8Array(run.n);
  for (let i = 0; i < run.n; i++) shade[i] = classOf(i);
  return { shade, entries, names, colours: () => names.map(name => colours[name]) };
}

const CLASS_NAMES = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'neutral'];
const NO_CLASS = CLASS_NAMES.length - 1;

function byDataset(run) {
  const names = run.names.datasets, shadeOf = d => d < 0 || names[d][1] < 0 ? NO_CLASS : names[d][1];
  const used = [...new Set(run.dataset)].filter(d => d >= 0).sort((a, b) => shadeOf(a) - shadeOf(b) || a - b);
  return classColouring(run, i => shadeOf(run.dataset[i]),
    used.map(d => ({ text: names[d][0], shade: shadeOf(d), filter: { dataset: names[d][0] } })), CLASS_NAMES);
}

/* The servers that most chunks were read from have colours of their own. */
function bySite(run) {
  const names = run.names.sites, chunks = new Float64Array(names.length), shadeOf = [];
  for (let i = 0; i < run.n; i++) if (siteOf(run, i) >= 0) chunks[siteOf(run, i)]++;
  const order = names.map((_, site) => site).filter(site => chunks[site] > 0).sort((a, b) => chunks[b] - chunks[a]);
  order.forEach((site, rank) => { shadeOf[site] = Math.min(rank, NO_CLASS); });
  return classColouring(run, i => siteOf(run, i) < 0 ? NO_CLASS : shadeOf[siteOf(run, i)],
    order.map(site => ({ text: names[site], shade: shadeOf[site], filter: { site: names[site] } })), CLASS_NAMES);
}

function byOutcome(run) {
  const texts = ['succeeded', 'succeeded after a retry', 'done again, had succeeded'];
  const outcome = i => run.error[i] ? 3 : run.recomputed[i] ? 2 : run.attempt[i] > 1 ? 1 : 0;
  const made = classColouring(run, outcome, [], ['neutral', 'c0', 'c1', 'bad']), used = new Set(made.shade);
  made.entries = texts.map((text, shade) => ({ text, shade })).filter(entry => used.has(entry.shade));
  return made;
}

/* Of values along a scale, which may be NaN. ends: texts for the legend before it and after it. */
function scaleColouring(run, valueOf, low, high, ramp, ends) {
  const shade = new Uint8Array(run.n);
  let known = 0;
  for (let i = 0; i < run.n; i++) {
    const share = (valueOf(i) - low) / (high - low);
    shade[i] = Number.isNaN(share) ? SHADES_OF_SCALE : Math.min(SHADES_OF_SCALE - 1, Math.max(0, Math.floor(share * SHADES_OF_SCALE)));
    known += !Number.isNaN(share);
  }
  return { shade, ends, ramp, entries: known < run.n ? [{ text: 'not known', shade: SHADES_OF_SCALE }] : [],
           colours: () => [...rampColours(colours[ramp], SHADES_OF_SCALE), colours.neutral] };
}

const bySlowness = run => scaleColouring(run, i => Math.log2(run.timesExpected[i]), -2, 2, 'balance', ['¼', '4 × as long as expected']);

const cpuShare = (run, i) => run.process_time[i] > 0 ? run.cpu_time[i] / run.process_time[i] : NaN;
const byCpu = run => scaleColouring(run, i => cpuShare(run, i), 0, 1, 'ramp', ['0', '100 % on the CPU']);

const rateOf = (run, i) => run.process_time[i] > 0 && run.events[i] > 0 ? run.events[i] / run.process_time[i] : NaN;

/* Between rates that few chunks are beyond, by factors. */
function byRate(run) {
  const rates = Float64Array.from({ length: run.n }, (_, i) => rateOf(run, i)).filter(rate => rate > 0).sort();
  const at = share => rates[Math.min(rates.length - 1, Math.floor(share * rates.length))];
  const low = Math.log(at(0.02)), high = Math.max(Math.log(at(0.98)), low + 1e-3);
  return scaleColouring(run, i => Math.log(rateOf(run, i)), low, high, 'ramp', [low, high].map(x => hertzText(Math.exp(x))));
}

const COLOURINGS = {
  dataset: { title: 'dataset', told: () => true, make: byDataset },
  slow: { title: 'slower than expected', told: run => run.timesExpected.some(Number.isFinite), make: bySlowness },
  cpu: { title: 'CPU share', told: run => run.cpu_time.some(Number.isFinite), make: byCpu },
  rate: { title: 'event rate', told: run => run.events.some((_, i) => rateOf(run, i) > 0), make: byRate },
  site: { title: 'storage server', told: run => run.names.sites.length > 0, make: bySite },
  failed: { title: 'outcome', told: () => true, make: byOutcome },
};

/* Made when it is first asked for. */
function colouringOf(run, key) {
  const kind = COLOURINGS[key];
  return kind.made ||= kind.make(run);
}

/* ---- The legend ------------------------------------------------------------------------------------------------ */

/* A scale has one class that it can be asked for: that which is not known. */
const swatch = (colouring, shade) => make('i', colouring.names ? colouring.names[shade] : 'neutral');

function scaleBar(colouring) {
  const scale = make('span', 'scale'), [low, high] = colouring.ends;
  scale.append(make('span', '', low), make('i', colouring.ramp), make('span', '', high));
  return scale;
}

/* Buttons bring out what they name; the others only name it. */
function legendEntry(mark, text, filter) {
  const entry = make(filter ? 'button' : 'span', filter ? '' : 'quiet');
  entry.append(mark, make('span', '', shortened(text, 60)));
  if (filter) {
    entry.type = 'button';
    entry.title = text;
    entry.setAttribute('aria-pressed', String(sameFilter(filter, lanes.filter)));
    entry.addEventListener('click', () => sendHighlight(sameFilter(filter, lanes.filter) ? null : filter));
  }
  return entry;
}

function fillLegend(run) {
  const colouring = lanes.colouring, legend = lanes.legend;
  const focused = [...legend.children].indexOf(document.activeElement);
  legend.replaceChildren();
  if (colouring.ends) legend.append(scaleBar(colouring));
  for (const { text, shade, filter } of colouring.entries.slice(0, MOST_ENTRIES)) legend.append(legendEntry(swatch(colouring, shade), text, filter));
  if (colouring.entries.length > MOST_ENTRIES) legend.append(make('span', 'quiet', `and ${colouring.entries.length - MOST_ENTRIES} more`));
  if (run.anySlow) legend.append(legendEntry(make('i', 'slow'), 'slower than expected', { slow: true }));
  if (run.anyFailed) legend.append(legendEntry(make('i', 'bad hatched'), 'failed attempt', { failed: true }));
  if (focused >= 0 && legend.children[focused]) legend.children[focused].focus();
}
