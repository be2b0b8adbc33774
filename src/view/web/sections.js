/* Sections: which one is being read, and those that are folded until someone looks for them. The browser's own search
 * opens them by itself; links, addresses and paper need a word. */

function followSections() {
  const links = new Map([...document.querySelectorAll('nav a')].map(link => [link.getAttribute('href').slice(1), link]));
  const watcher = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute('aria-current');
      const link = links.get(entry.target.id);
      if (!link) continue;
      link.setAttribute('aria-current', 'true');
      link.parentElement.scrollLeft = link.offsetLeft - (link.parentElement.clientWidth - link.offsetWidth) / 2;
    }
  }, { rootMargin: '-15% 0px -75% 0px' });
  for (const section of document.querySelectorAll('main > section, #top')) watcher.observe(section);
}

/* Opens what an element is in, and a folded section itself. */
function unfold(element) {
  if (element.matches('.folded')) element.querySelector('details').open = true;
  for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
}

/* Of an address that people may have typed. */
function targetOf(hash) {
  try { return find(decodeURIComponent(hash.slice(1))); } catch { return null; }
}

function goToAddress() {
  const target = targetOf(location.hash);
  if (!target) return;
  unfold(target);
  target.scrollIntoView({ behavior: 'instant' });
}

function addOpenAll() {
  const first = document.querySelector('.folded');
  if (!first) return;
  const all = [...document.querySelectorAll('.folded > details')], row = make('p', 'fold-all');
  const allOpen = () => all.every(details => details.open);
  const tell = () => { button.textContent = allOpen() ? 'Close all' : 'Open all'; };
  const button = plainButton(row, '', () => { const open = !allOpen(); for (const details of all) details.open = open; tell(); });
  for (const details of all) details.addEventListener('toggle', tell);
  tell();
  first.before(row);
}

function followFolds() {
  addOpenAll();
  addEventListener('hashchange', goToAddress);
  document.addEventListener('click', event => {
    const link = event.target.closest('a[href^="#"]'), target = link && targetOf(link.getAttribute('href'));
    if (target) unfold(target); /* before the browser goes there; it does so also where the address stays the same */
  });
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => { for (const details of opened) details.open = false; });
}
