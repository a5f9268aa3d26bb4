// Claims of publications, as a table.

import {claimRows, verdicts} from './claims.js';
import {h, section} from './dom.js';
import {digits3} from './format.js';
import {table} from './table.js';

const figure = (value) => (typeof value === 'number' ? digits3(value).replace('-', '−') : '');
const range = (low, high) => (typeof low !== 'number' ? '' : low === high ? figure(low) : `${figure(low)} … ${figure(high)}`);

const columns = [
  {key: 'scheme', title: 'scheme'}, {key: 'network', title: 'network'}, {key: 'says', title: 'says'},
  {key: 'least', title: 'published', format: (_, row) => (row ? range(row.least, row.most) : '')},
  {key: 'value', title: 'simulated', format: figure},
  {key: 'low', title: 'between', format: (_, row) => (row ? range(row.low, row.high) : '')},
  {key: 'unit', title: 'unit'}, {key: 'verdict', title: 'verdict'}, {key: 'machine', title: 'machine'}, {key: 'framework', title: 'framework'},
  {key: 'because', title: 'because'}, {key: 'obtained', title: 'obtained'}, {key: 'setting', title: 'setting'},
  {key: 'not_compared', title: 'not compared'}, {key: 'source', title: 'source'},
];

export function claimsSection(document, {suffix}) {
  const rows = claimRows(document.claims);
  const told = verdicts(rows).map(([verdict, count]) => `${verdict}: ${count}`).join(', ');
  return {
    answers: [{headline: `${document.claims.length} claims of publications: ${told || 'none is compared'}`, details: ''}],
    element: section(`claims${suffix}`, 'What publications say',
      h('p', {class: 'note'}, 'As published: the simulated interval meets the published range; close: within a tenth of its nearer end.'),
      table({name: 'claims', rows, columns})),
  };
}
