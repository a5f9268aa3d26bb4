// A table that sorts, filters and exports CSV. Of a long one only the rows in view are elements.

import {download, fill, h} from './dom.js';
import {plain, words} from './format.js';
import {csv, predicate, sorted} from './filter.js';

const rowHeight = 28;
const spare = 8;        // rows beyond what is in view
const tallRows = 12;    // of a tall table, that are shown without scrolling

/** Columns of every key that any of the rows has. */
export function columnsOf(rows, keys = [...new Set(rows.flatMap(Object.keys))]) {
  return keys.map((key) => ({key, title: words(key)}));
}

const many = (count) => (count === 1 ? '1 row' : `${count} rows`);
/** A comparison that the filter understands. */
const exampleOf = (columns) => {
  const one = columns.find(({title}) => title === 'speedup') ?? columns.find(({isNumber}) => isNumber);
  const name = (one ?? columns[0])?.title.replaceAll(' ', '_') ?? 'column';
  return one ? `${name}<1` : `${name}=…`;
};

/** Of a column of so many letters, in rem. */
const widthOf = (letters) => letters * 0.56 + 1.4;

function prepared(columns, rows) {
  return columns.map((column) => {
    const value = column.value ?? ((row) => row[column.key]);
    const format = column.format ?? plain;
    const sample = rows.length > 2000 ? rows.filter((_, i) => i % Math.ceil(rows.length / 2000) === 0) : rows;
    const longest = sample.reduce((most, row) => Math.max(most, format(value(row), row).length),
      column.title.length + 2);
    const isNumber = rows.some((row) => typeof value(row) === 'number');
    return {...column, value, format, isNumber, width: Math.min(longest, column.widest ?? 44)};
  });
}

/**
 * @param options {name: of the CSV file, columns (`widest`: letters beyond which a text is cut), rows, onrow: row => called on click, sortBy: key,
 *   descending, most: rows that are shown without scrolling, saved: columns of the CSV file if they are others, isTall: rows
 *   are as high as their texts, whose lines are kept, and all of them are elements}; of a tall table's columns `kind` and
 *   `mark: row =>` are classes of cells
 */
export function table({name, columns: asked, rows, onrow, sortBy, descending = true, most = 60, saved, isTall = false}) {
  const columns = prepared(asked, rows);
  let shown = rows;
  let sort = sortBy ? {key: sortBy, descending} : null;
  const isLong = !isTall && rows.length > most;

  const body = h('tbody');
  const heads = columns.map((column) => h('th', {
    scope: 'col', class: column.isNumber ? 'number' : null, title: column.help ?? column.key,
    onclick: () => sortOn(column),
  }, h('button', {type: 'button'}, column.title)));
  const grid = h('table', {class: isTall ? 'data tall' : 'data'},
    !isTall && h('colgroup', {}, columns.map((one) => h('col', {style: {width: `${widthOf(one.width)}rem`}}))),
    h('thead', {}, h('tr', {}, heads)), body);
  const total = columns.reduce((sum, one) => sum + widthOf(one.width), 0);
  if (!isTall) grid.style.width = `${total}rem`;
  const pane = h('div', {class: isLong ? 'pane long' : isTall && rows.length > tallRows ? 'pane high' : 'pane', tabindex: 0, role: 'region', 'aria-label': name}, grid);
  const told = h('span', {class: 'told', 'aria-live': 'polite'});
  const box = h('input', {
    type: 'search', placeholder: `filter: words, ${exampleOf(columns)}`, 'aria-label': `filter ${name}`,
    oninput: () => update(),
  });

  const tallCell = (column, row) => h('td', {
    class: [column.isNumber && 'number', column.kind, column.mark?.(row)].filter(Boolean).join(' '), 'data-title': column.title,
  }, column.format(column.value(row), row).split('\n').filter(Boolean).map((one) => h('div', {}, one)));
  const cellsOf = (row) => isTall ? columns.map((column) => tallCell(column, row)) : columns.map((column) => {
    const text = column.format(column.value(row), row);
    return h('td', {class: column.isNumber ? 'number' : null, title: text.length > column.width ? text : null}, text);
  });
  const lineOf = (row) => h('tr', onrow ? {class: 'link', onclick: () => onrow(row)} : {}, cellsOf(row));
  const gap = (count) => h('tr', {class: 'gap', 'aria-hidden': 'true'},
    h('td', {colspan: columns.length, style: {height: `${count * rowHeight}px`}}));

  let drawn = '';
  function draw(force) {
    const top = Math.max(0, Math.floor(pane.scrollTop / rowHeight) - spare);
    const view = Math.ceil((pane.clientHeight || 480) / rowHeight) + 2 * spare;
    const [first, last] = isLong ? [Math.min(top, shown.length), Math.min(shown.length, top + view)] : [0, shown.length];
    if (!force && drawn === `${first}-${last}`) return;
    drawn = `${first}-${last}`;
    fill(body, first > 0 && gap(first), shown.slice(first, last).map(lineOf),
      last < shown.length && gap(shown.length - last));
  }
  function update() {
    const found = rows.filter(predicate(box.value, columns));
    const column = sort && columns.find((one) => one.key === sort.key);
    shown = column ? sorted(found, column, sort.descending) : found;
    heads.forEach((head, i) => head.setAttribute('aria-sort',
      columns[i] === column ? (sort.descending ? 'descending' : 'ascending') : 'none'));
    told.textContent = shown.length === rows.length ? many(rows.length) : `${shown.length} of ${many(rows.length)}`;
    pane.scrollTop = 0;
    draw(true);
  }
  function sortOn(column) {
    sort = sort?.key === column.key ? {key: column.key, descending: !sort.descending}
      : {key: column.key, descending: column.isNumber};
    update();
  }
  pane.addEventListener('scroll', () => draw(false), {passive: true});
  update();
  const save = h('button', {type: 'button', onclick: () => download(`${name}.csv`, csv(shown, saved ?? columns), 'text/csv')}, 'CSV');
  return h('div', {class: 'table'}, h('div', {class: 'tools'}, box, told, save), pane);
}
