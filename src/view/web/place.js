/* Where a reader is, in the fragment of the address: what is shown, pinned, lit, and how. So a view can be sent to
 * others, and comes back when the page is loaded again: #t=12.5-40&c=123&by=cpu&slow=1. A fragment without "=" is that of
 * a section, and is left alone. */

const PLACE_EVERY_MS = 250; /* browsers allow only so many changes */
let placeTimer = 0, placeRun = null;

const spelled = text => encodeURIComponent(text).replace(/%(2C|2F|3A|40)/g, decodeURIComponent);

function placeText() {
  const parts = [], digits = Math.max(0, Math.ceil(4 - Math.log10(shown.to - shown.from)));
  const add = (key, value) => parts.push(`${key}=${spelled(value)}`), seconds = t => String(Number((t - shown.origin).toFixed(Math.min(9, digits))));
  if (isZoomed()) add('t', `${seconds(shown.from)}-${seconds(shown.to)}`);
  if (lanes.pinned >= 0) add('c', placeRun.number[lanes.pinned]);
  if (lanes.by !== 'dataset') add('by', lanes.by);
  if (lanes.byHost) add('group', 'host');
  if (lanes.wantedHeight) add('rows', lanes.wantedHeight);
  for (const [key, value] of Object.entries(lanes.filter || {})) add(key, value === true ? 1 : value);
  return parts.join('&');
}

/* As few changes as browsers allow, and no entry in the history. */
function keepPlace() {
  if (!placeRun || placeTimer) return;
  placeTimer = setTimeout(() => {
    placeTimer = 0;
    const text = placeText();
    if (!text && !location.hash.includes('=')) return;
    try {
      history.replaceState(null, '', location.href.split('#')[0] + (text && '#' + text));
    } catch { /* a page inside another may have no address of its own */ }
  }, PLACE_EVERY_MS);
}

function readPlace(text) {
  const place = new Map();
  for (const part of text.split('&')) {
    const at = part.indexOf('=');
    try { place.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1))); } catch { /* not ours */ }
  }
  return place;
}

function filterOfPlace(place) {
  const filter = {};
  for (const key of FILTER_NAMES) if (place.get(key)) filter[key] = place.get(key);
  for (const key of FILTER_TIMES) if (Number.isFinite(parseFloat(place.get(key)))) filter[key] = parseFloat(place.get(key));
  for (const key of FILTER_FLAGS) if (place.get(key) === '1') filter[key] = true;
  return filter;
}

function goToPlace(run) {
  const place = readPlace(location.hash.slice(1)), times = /^(-?[\d.]+)-(-?[\d.]+)$/.exec(place.get('t') || '');
  const [from, to] = times ? times.slice(1).map(t => Number(t) + shown.origin) : [shown.least, shown.most];
  if (from < to) show(from, to);
  if (!lanes.plot) return;
  const pinned = place.has('c') ? run.number.indexOf(Number(place.get('c'))) : -1;
  lanes.wantedHeight = ROW_HEIGHTS.find(height => height === Number(place.get('rows'))) || 0;
  groupByHost(run, place.get('group') === 'host');
  colourBy(run, place.get('by'));
  lightChunks(run, filterOfPlace(place));
  pin(run, pinned);
  if (pinned >= 0) scrollToRow(run, pinned);
  if (lanes.pinned >= 0 || lanes.filter) find('chunks').scrollIntoView({ behavior: 'instant' });
}

function followPlace(run) {
  placeRun = run;
  if (location.hash.includes('=')) goToPlace(run);
  addEventListener('hashchange', () => { if (location.hash.includes('=')) goToPlace(run); });
}
