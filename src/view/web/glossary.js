/* Labels that say what they mean: pointed at, focused or tapped, a label opens the one popover, with the meaning, the
 * formula and the source of each number that stands beside it. */

const glossary = { entries: null, label: null, timer: 0 };
const OPENS_AFTER_MS = 250, CLOSES_AFTER_MS = 200; /* so that nothing flickers under a pointer on its way */

function termElement(key) {
  const [name, meaning, formula, source] = glossary.entries[key] || [];
  const entry = make('div', 'entry'), list = make('dl');
  entry.append(make('p', '', meaning), list);
  const add = (word, text, className) => { if (text) list.append(make('dt', '', word), make('dd', className, text)); };
  add('computed', formula);
  add('from', source);
  add('name', name, 'code'); /* in Python, JSON and CSV */
  return entry;
}

/* Below its label, or above where there is no room below. */
function placeTerm() {
  const popover = find('term'), label = glossary.label.getBoundingClientRect(), box = popover.getBoundingClientRect();
  const left = Math.max(8, Math.min(label.left, innerWidth - box.width - 8));
  const below = label.bottom + 6, above = label.top - box.height - 6;
  const top = below + box.height <= innerHeight - 8 || above < 8 ? below : above;
  popover.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

async function openTerm(label) {
  clearTimeout(glossary.timer);
  if (glossary.label === label) return;
  closeTerm();
  glossary.label = label;
  glossary.entries ||= await packedJson('data-glossary');
  if (glossary.label !== label) return; /* something else was pointed at meanwhile */
  const popover = find('term');
  popover.replaceChildren(make('p', 'head', label.textContent), ...label.dataset.terms.split(' ').map(termElement));
  popover.hidden = false;
  label.setAttribute('aria-describedby', 'term');
  placeTerm();
}

function closeTerm() {
  clearTimeout(glossary.timer);
  if (!glossary.label) return;
  glossary.label.removeAttribute('aria-describedby');
  glossary.label = null;
  find('term').hidden = true;
}

function soon(delay, action) {
  clearTimeout(glossary.timer);
  glossary.timer = setTimeout(action, delay);
}

const labelAt = event => event.target instanceof Element ? event.target.closest('[data-terms]') : null;

function makeUsable(label) {
  label.tabIndex = 0;
  label.setAttribute('role', 'button');
}

/* A label that a script makes; terms as src/view/glossary.c writes them. */
function labelElement(text, terms) {
  const label = make('span', '', text);
  if (terms) {
    label.dataset.terms = terms;
    makeUsable(label);
  }
  return label;
}

function followLabels() {
  document.querySelectorAll('span[data-terms]').forEach(makeUsable);
  document.addEventListener('pointerover', event => {
    const label = labelAt(event);
    if (event.pointerType !== 'mouse') return;
    if (label) soon(OPENS_AFTER_MS, () => openTerm(label));
    else if (find('term').contains(event.target)) clearTimeout(glossary.timer); /* it may be read, and copied from */
    else soon(CLOSES_AFTER_MS, closeTerm);
  });
  document.addEventListener('focusin', event => {
    const label = labelAt(event);
    if (label && label.matches(':focus-visible')) openTerm(label); else if (!label) closeTerm();
  });
  document.addEventListener('focusout', event => { if (labelAt(event)) closeTerm(); });
  document.addEventListener('click', event => {
    const label = labelAt(event);
    if (label) openTerm(label); else if (!find('term').contains(event.target)) closeTerm();
  });
  document.addEventListener('keydown', event => {
    const label = labelAt(event);
    if (event.key === 'Escape') closeTerm();
    else if (label && label.tagName === 'SPAN' && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      openTerm(label);
    }
  });
  addEventListener('scroll', () => { if (glossary.label && !find('term').hidden) placeTerm(); }, { passive: true, capture: true });
}
