// Any other document: its values and its tables.

import {flatten} from './data.js';
import {h, section} from './dom.js';
import {plain, words} from './format.js';
import {columnsOf, table} from './table.js';

const heads = new Set(['schema', 'version', 'config_hash', 'config', 'file']);
const isRows = (value) => Array.isArray(value) && value.length > 0 && typeof value[0] === 'object' && value[0] !== null;
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

export function genericSection(document, {suffix}) {
  const entries = Object.entries(document).filter(([key, value]) => !heads.has(key) && value !== undefined);
  const facts = entries.filter(([, value]) => value === null || typeof value !== 'object');
  const tables = entries.filter(([, value]) => isRows(value) || isObject(value))
    .map(([key, value]) => [key, isObject(value) ? flatten(value) : value]);
  const kind = document.schema.split('/')[0].split('.')[1];
  return {
    answers: [{headline: `${kind}: ${document.file}`, details: ''}],
    element: section(`document-${kind}${suffix}`, `${kind}: ${document.file}`,
      h('dl', {class: 'facts'}, facts.map(([key, value]) => h('div', {}, h('dt', {}, words(key)), h('dd', {}, plain(value))))),
      tables.map(([key, rows]) => [h('h3', {}, words(key)), table({name: `${kind}-${key}`, rows, columns: columnsOf(rows)})])),
  };
}
