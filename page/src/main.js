// The page: reads what is embedded and draws it.

import './style.css';
import {startCharts} from './charts.js';
import {h} from './dom.js';
import {partsOf} from './parts.js';
import {provenance} from './provenance.js';
import {startTheme, themeButton} from './theme.js';

function answers(parts) {
  const all = parts.flatMap((part) => part.answers);
  const [first, ...others] = all;
  return h('div', {class: 'answer'}, h('h1', {}, first?.headline ?? 'Nothing to show'), h('p', {class: 'lead'}, first?.details ?? ''),
    others.length > 0 && h('ul', {class: 'answers'}, others.slice(0, 12).map((one) =>
      h('li', {}, h('strong', {}, one.headline), one.details && `. ${one.details}`))),
    others.length > 12 && h('p', {class: 'note'}, `and ${others.length - 12} more below`));
}

function start() {
  startTheme();
  startCharts();
  const {documents, parts} = partsOf(document.getElementById('data').textContent);
  document.body.replaceChildren(
    h('header', {}, h('span', {class: 'brand'}, `stcsim ${documents[0].version}`),
      h('span', {class: 'buttons'}, themeButton(), h('button', {type: 'button', onclick: () => window.print()}, 'Print'))),
    h('main', {}, answers(parts), parts.map((part) => part.element), provenance(documents)));
  document.documentElement.dataset.ready = 'yes';
}

start();
