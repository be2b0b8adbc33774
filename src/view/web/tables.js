/* Tables that sort, filter and copy. */

const TONES = ['', 'strong', 'quiet', 'good', 'warn', 'bad'];
const FEW_ROWS = 12, ROWS_AT_ONCE = 100;
const SVG = 'http://www.w3.org/2000/svg';

function searchField(label, parent) {
  const field = parent.appendChild(make('input'));
  field.type = 'search';
  field.placeholder = label;
  field.setAttribute('aria-label', label);
  field.autocomplete = 'off';
  field.spellcheck = false;
  return field;
}

const cellText = cell => cell === null ? 'n/a' : Array.isArray(cell) ? cell[0] : cell;
const cellValue = cell => Array.isArray(cell) && typeof cell[1] === 'number' ? cell[1] : null;

function compareCells(a, b) {
  const x = cellValue(a), y = cellValue(b);
  if (x !== null && y !== null) return x - y;
  return cellText(a).localeCompare(cellText(b), 'en', { numeric: true });
}

/* Text in two parts, of which the first may be cut; the same as in src/view/html.c. */
function nameElement(text) {
  const letters = Array.from(text);
  if (letters.length < 28) return make('bdi', '', text);
  const name = make('bdi', 'name');
  name.title = text;
  name.append(make('span', '', letters.slice(0, -16).join('')), make('span', '', letters.slice(-16).join('')));
  return name;
}

function cellElement(cell, column) {
  const tone = cell === null ? 'quiet' : Array.isArray(cell) ? TONES[cell[2] || 0] : '';
  const element = make('td', `${column.classes} ${tone}`);
  if (column.bar && Array.isArray(cell) && cell.length > 3) {
    const svg = element.appendChild(document.createElementNS(SVG, 'svg')), bar = svg.appendChild(document.createElementNS(SVG, 'rect'));
    svg.setAttribute('aria-hidden', 'true');
    bar.setAttribute('width', cell[3] + '%');
    bar.setAttribute('height', '100%');
  }
  const text = cellText(cell);
  if (Array.isArray(cell) && typeof cell[1] === 'string') element.title = cell[1]; /* what the name stands for */
  element.append(column.name ? nameElement(text) : column.message ? make('div', '', text) : text);
  return element;
}

function csvCell(cell) {
  const value = cellValue(cell);
  if (value !== null) return String(value);
  let text = cell === null ? '' : typeof cell[1] === 'string' && Array.isArray(cell) ? cell[1] : cellText(cell);
  if (/^[=+\-@\t\r]/.test(text)) text = "'" + text; /* a spreadsheet would run it */
  return /[",\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.body.appendChild(make('textarea', 'unseen'));
    area.value = text;
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

class Table {
  constructor(element) {
    this.element = element;
    this.id = element.id.replace('table-', '');
    this.body = element.querySelector('tbody');
    this.more = element.querySelector('.more');
    this.cut = this.more.textContent;
    this.heads = [...element.querySelectorAll('thead th')];
    const first = this.body.rows[0];
    this.columns = this.heads.map((head, i) => {
      const classes = first ? first.cells[i].classList : [];
      const kept = ['num', 'bar', 'text'].filter(name => first && classes.contains(name));
      return { title: head.textContent, classes: kept.join(' '), bar: kept.includes('bar'), name: !kept.includes('num') && !kept.includes('text'), message: kept.includes('text') };
    });
    this.sort = -1;
    this.descending = false;
    this.limit = FEW_ROWS;
    this.addTools();
    this.heads.forEach((head, i) => this.addSortButton(head, i));
    for (const row of this.body.rows) linkRow(this, row);
  }

  async load() {
    if (!this.rows) {
      this.rows = (await packedJson('rows-' + this.id)).rows;
      this.found = this.rows;
    }
    return this.rows;
  }

  addTools() {
    const tools = make('div', 'tools');
    this.filter = searchField('Filter', tools);
    this.filter.setAttribute('aria-label', `Filter ${this.id}`);
    this.count = tools.appendChild(make('span', 'count'));
    this.count.setAttribute('role', 'status');
    this.all = plainButton(tools, 'Show all', () => { this.limit = this.limit === Infinity ? FEW_ROWS : Infinity; this.update(); });
    this.all.hidden = !/^and /.test(this.cut); /* it may also be a remark */
    this.filter.hidden = this.body.rows.length < 6;
    const copy = plainButton(tools, 'Copy as CSV', () => this.copy(copy));
    this.filter.addEventListener('input', () => this.update());
    this.element.insertBefore(tools, this.element.querySelector('.scroll'));
  }

  addSortButton(head, i) {
    const button = make('button', '', head.textContent), label = head.querySelector('[data-terms]');
    button.type = 'button';
    if (label) button.dataset.terms = label.dataset.terms;
    if (!head.textContent) button.setAttribute('aria-label', `Column ${i + 1}`);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      this.descending = this.sort === i ? !this.descending : this.columns[i].classes.includes('num');
      this.sort = i;
      this.heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', this.descending ? 'descending' : 'ascending');
      this.update();
    });
  }

  choose() {
    const wanted = this.filter.value.trim().toLowerCase();
    if (wanted) this.texts ||= this.rows.map(row => row.map(cellText).join('\n').toLowerCase());
    let found = wanted ? this.rows.filter((row, i) => this.texts[i].includes(wanted)) : this.rows.slice();
    if (this.sort >= 0) {
      const sign = this.descending ? -1 : 1, at = this.sort;
      found.sort((a, b) => (a[at] === null) - (b[at] === null) || sign * compareCells(a[at], b[at]));
    }
    this.found = found;
  }

  async update() {
    const turn = this.turn = (this.turn || 0) + 1;
    await this.load();
    this.choose();
    const end = Math.min(this.found.length, this.limit);
    for (let at = 0; at < end || at === 0; at += ROWS_AT_ONCE) {
      if (at) await pause();
      if (turn !== this.turn) return; /* something newer is under way */
      const rows = this.found.slice(at, Math.min(end, at + ROWS_AT_ONCE)).map(cells => {
        const row = make('tr');
        row.append(...cells.map((cell, i) => cellElement(cell, this.columns[i])));
        linkRow(this, row);
        return row;
      });
      if (at) this.body.append(...rows); else this.body.replaceChildren(...rows);
    }
    this.tell(end);
  }

  tell(end) {
    const total = this.rows.length, found = this.found.length;
    this.count.textContent = found === total ? '' : `${countText(found)} of ${things(total, 'row')}`;
    this.more.textContent = end < found ? `and ${countText(found - end)} more` : found === 0 ? 'no row has this text' : '';
    this.all.hidden = found <= FEW_ROWS;
    this.all.textContent = this.limit === Infinity ? 'Show fewer' : 'Show all';
  }

  async copy(button) {
    await this.load();
    this.choose();
    const lines = [this.columns.map(column => csvCell(column.title)), ...this.found.map(row => row.map(csvCell))];
    const copied = await copyText(lines.map(line => line.join(',') + '\r\n').join(''));
    answer(button, copyAnswer(copied, `Copied ${things(this.found.length, 'row')}`));
  }
}
