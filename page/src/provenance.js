// Where the figures come from: files, versions, configurations, the command that makes them again.

import {flatten} from './data.js';
import {download, h, section} from './dom.js';
import {plain} from './format.js';
import {table} from './table.js';

const shortHash = (document) => (document.config_hash ?? '').slice(0, 8);

/** The command that makes a document again, or null where it is not known. */
export function commandOf(document) {
  if (document.schema === 'stcsim.paper/2') return `stcsim evidence papers ${document.paper}`;
  if (document.schema === 'stcsim.study/2') return `stcsim run config-${shortHash(document)}.json --format json`;
  if (document.schema === 'stcsim.atlas/1') return 'make atlas';
  return null;
}

function sourceOf(document) {
  const command = commandOf(document);
  return h('div', {class: 'source'},
    h('h3', {}, document.file),
    h('dl', {class: 'facts'}, [['schema', document.schema], ['stcsim', document.version], ['configuration', document.config_hash ?? '–']]
      .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    document.config && h('p', {}, h('button', {type: 'button', onclick: () =>
      download(`config-${shortHash(document)}.json`, `${JSON.stringify(document.config, null, 2)}\n`, 'application/json')},
    'Save the configuration'), command && [' and make it again: ', h('code', {}, command)]),
    !document.config && command && h('p', {}, 'To make it again: ', h('code', {}, command)),
    document.config && h('details', {}, h('summary', {}, 'Resolved configuration'), table({
      name: `configuration-${shortHash(document)}`, rows: flatten(document.config),
      columns: [{key: 'key', title: 'key'}, {key: 'value', title: 'value', format: (value) => (typeof value === 'number' ? String(value) : plain(value))}]})));
}

export const provenance = (documents) => section('provenance', 'Where this comes from', documents.map(sourceOf));
