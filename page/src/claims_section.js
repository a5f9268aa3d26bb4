// Claims of publications, as a table.

import {claimRows} from './claims.js';
import {h, section} from './dom.js';
import {digits3} from './format.js';
import {partsOf} from './paper.js';
import {table} from './table.js';

const figure = (value) => (typeof value === 'number' ? digits3(value).replace('-', '−') : '');
const range = (low, high) => (typeof low !== 'number' ? '' : low === high ? figure(low) : `${figure(low)} … ${figure(high)}`);

const columns = [
  {key: 'scheme', title: 'scheme'}, {key: 'network', title: 'network'}, {key: 'says', title: 'says'},
  {key: 'least', title: 'published', format: (_, row) => (row ? range(row.least, row.most) : '')},
  {key: 'value', title: 'simulated', format: figure},
  {key: 'low', title: 'between', format: (_, row) => (row ? range(row.low, row.high) : '')},
  {key: 'unit', title: 'unit'}, {key: 'kind', title: 'kind'}, {key: 'verdict', title: 'verdict'}, {key: 'machine', title: 'machine'}, {key: 'framework', title: 'framework'},
  {key: 'because', title: 'because'}, {key: 'obtained', title: 'obtained'}, {key: 'setting', title: 'setting'},
  {key: 'fitted', title: 'fitted'}, {key: 'not_compared', title: 'not compared'}, {key: 'source', title: 'source'},
];

export function claimsSection(document, {suffix}) {
  const rows = claimRows(document.claims);
  const told = partsOf(document.tally).map(({kind, column, verdicts}) =>
    `${kind}, ${column}: ${verdicts.map(({verdict, count}) => `${count} ${verdict}`).join(', ')}`);
  return {
    answers: [{headline: `${document.claims.length} claims of publications${told.length > 0 ? '' : ', none is compared'}`, details: told.join('; ')}],
    element: section(`claims${suffix}`, 'What publications say',
      h('p', {class: 'note'}, 'Reproduced: the simulated interval meets the published range within the tolerance. Verdicts of one kind are not added to another’s: arithmetic checks how the publication was read, and what was fitted is no test.'),
      table({name: 'claims', rows, columns})),
  };
}
