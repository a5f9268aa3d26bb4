// A paper (stcsim.paper/2): every figure as published, beside what is simulated.

import {h, section} from './dom.js';
import {panelsOf, partsOf, sharedOf, tonesOf, whereOf} from './paper.js';
import {paperChart} from './paper_chart.js';
import {paperColumns, savedColumns, verdictClass} from './paper_table.js';
import {withoutHeading} from './paper_text.js';
import {table} from './table.js';

const tally = (parts) => h('ul', {class: 'tally'}, parts.map(({kind, column, verdicts}) => h('li', {},
  h('span', {class: 'about'}, `${kind}, ${column}: `),
  verdicts.map(({verdict, count}) => h('span', {class: `verdict ${verdictClass(verdict)}`}, h('strong', {}, count), ` ${verdict}`)))));

const swatch = (tone, name, about) => h('span', {class: 'entry'},
  h('span', {class: `swatch ${tone === null ? 'published' : ''}`, style: tone === null ? {} : {background: `var(--${tone})`}}), name,
  about && h('span', {class: 'about'}, ` ${about}`));

/** What the colours of a figure's charts mean. */
function key(figure, panels) {
  const entries = new Map(panels.flatMap((one) => one.key).map((one) => [one.name, one.tone]));
  const isPublished = figure.rows.some(({published}) => published);
  return h('div', {class: 'scale'}, isPublished && swatch(null, 'published'),
    [...entries].map(([name, tone]) => swatch(tone, name, whereOf(figure, name))));
}

function charts(figure, tones) {
  const panels = panelsOf(figure, tones);
  if (panels.length === 0) return null;
  return [key(figure, panels), h('div', {class: panels.length > 1 ? 'panels' : null}, panels.map((one) =>
    h('div', {class: 'panel'}, one.title && h('h4', {}, one.title, h('span', {class: 'about'}, ` ${whereOf(figure, one.title)}`)), paperChart(one).element)))];
}

/** What is the same in all rows, once. */
function shared(figure) {
  const {quantity, setting, note, obtained} = sharedOf(figure);
  const parts = [quantity, obtained && `published figures: ${obtained}`, setting && `setting: ${setting}`, note && `note: ${note}`].filter(Boolean);
  return parts.length > 0 && h('p', {class: 'note'}, `All rows: ${parts.join('; ')}.`);
}

function figurePart(figure, id, paper, tones) {
  return h('article', {class: 'figure', id},
    h('h3', {}, figure.title), h('p', {}, figure.shows),
    figure.source && figure.source !== paper.source && h('p', {class: 'note'}, figure.source),
    charts(figure, tones), shared(figure),
    figure.rows.length > 0 && table({name: `${paper.paper}-${figure.name}`, rows: figure.rows, columns: paperColumns(figure), saved: savedColumns(figure), isTall: true}),
    figure.not_obtained.length > 0 && [h('h4', {}, 'Not obtained'), h('ul', {class: 'missing'}, figure.not_obtained.map((one) => h('li', {}, withoutHeading(one))))]);
}

export function paperSection(paper, {suffix}) {
  const tones = tonesOf(paper.figures);
  const idOf = (figure) => `paper${suffix}-${figure.name}`;
  return {
    answers: [{headline: paper.title, details: [paper.sentence, paper.spread].filter(Boolean).join(' ')}],
    element: section(`paper${suffix}`, paper.source, h('p', {}, `What it says: ${paper.about}`), tally(partsOf(paper.tally)),
      h('p', {class: 'note'}, 'In the tables, below a value: its interval, how far it is from what was published (from the nearer end of a range), ' +
        'and its verdict with its kind: arithmetic checks how the paper was read, not what it claims, and what was fitted is no test. In the charts: intervals as whiskers, what was published as a stroke, a range as a field.'),
      paper.figures.length > 1 && h('ul', {class: 'figures'}, paper.figures.map((figure) =>
        h('li', {}, h('a', {href: `#${idOf(figure)}`}, figure.title)))),
      paper.figures.map((figure) => figurePart(figure, idOf(figure), paper, tones))),
  };
}
