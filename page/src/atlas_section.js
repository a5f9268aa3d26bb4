// The atlas: heat maps of what every scheme gains on every network and machine; a click shows where a gain goes.

import {commandOf, fastestOf, isOptimizers, measures, stepsOf, tally} from './atlas.js';
import {fill, h, section, select, tabs} from './dom.js';
import {falls} from './falls.js';
import {bytes, factor, percent, time, words} from './format.js';

const fullAt = 1.5;   // times as fast, or as slow, have the full colour

/** Without the memory for both steps there is no gain: what they need. */
const misfitOf = (cell, onclick) => h('td', {class: 'number heat misfit', onclick}, bytes(cell.memory_bytes));

function cellOf(gain, about, isOpen, onclick) {
  const share = Math.min(1, Math.abs(Math.log(gain)) / Math.log(fullAt));
  return h('td', {class: isOpen ? 'number heat open' : 'number heat', onclick, style: {
    background: `color-mix(in srgb, var(--${gain < 1 ? 'slow' : 'fast'}) ${Math.round(100 * share)}%, var(--neutral))`, color: share > 0.55 ? '#ffffff' : 'var(--text)'}},
  h('div', {}, factor(gain)), about && h('div', {class: 'about'}, about));
}

const isOpen = (one, measure) => measure === 'speedup' && one.low > 0 && one.low <= 1 && one.high >= 1;
const map = (corner, columns, lines) => h('div', {class: 'pane'}, h('table', {class: 'matrix map'},
  h('thead', {}, h('tr', {}, h('th', {}, corner), columns.map((name) => h('th', {scope: 'col'}, name)))), h('tbody', {}, lines)));

function details(cell, atlas, own) {
  const steps = stepsOf(cell, atlas.names);
  return h('div', {class: 'details'}, h('h3', {}, `${cell.scheme}: ${cell.network} on ${cell.machine}`),
    h('p', {}, `A training takes ${time(cell.time_us)} a step, dense ${time(cell.dense_time_us)}: ${factor(cell.speedup)}` +
      `${cell.low > 0 ? `, between ${factor(cell.low)} and ${factor(cell.high)}` : ''}${cell.verdict ? ` (${words(cell.verdict)})` : ''}. ` +
      `Were pruning not charged ${factor(cell.free)}; with the best of all kernels on both sides ${factor(cell.best)}.` +
      `${isOptimizers(cell) ? ` ${percent(Math.min(1, cell.optimizer))} of what it gains is the optimizer’s, which updates fewer weights.` : ''}` +
      `${cell.fits ? '' : ` It needs ${bytes(cell.memory_bytes)} (dense or sparse, whichever is more), which this machine does not have.`}`),
    steps.length > 0 ? falls(steps.map((one) => ({...one, name: words(one.name)})), `what is left of the gain of ${cell.scheme}`)
      : h('p', {class: 'note'}, 'Nothing of it runs on sparse tensor cores here.'),
    h('p', {class: 'note'}, 'Made by: ', h('code', {}, commandOf(cell, own))));
}

export function atlasSection(atlas, {suffix}) {
  const frameworks = [...new Set(atlas.cells.map((one) => one.framework))];
  const schemes = [...new Set(atlas.cells.map((one) => one.scheme))];
  const families = [...new Set(atlas.networks.map((one) => one.family))];
  const [own] = frameworks;
  const state = {framework: own, family: '', measure: 'speedup', machine: atlas.machines[0]};
  const byPlace = new Map();
  for (const one of atlas.cells) {
    const place = JSON.stringify([one.framework, one.machine, one.network]);
    byPlace.set(place, [...(byPlace.get(place) ?? []), one]);
  }
  const cellsAt = (machine, network) => byPlace.get(JSON.stringify([state.framework, machine, network])) ?? [];
  const [chooser, fastest, machineTabs, all] = [h('div', {class: 'chooser atlas'}), h('div'), h('div'), h('div')];
  const box = h('div', {class: 'detail-box', 'aria-live': 'polite'});
  const open = (cell) => {
    fill(box, details(cell, atlas, own));
    box.scrollIntoView({block: 'nearest'});
  };
  const set = (key) => (value) => { state[key] = value; show(); };
  function show() {
    const {measure, machine} = state;
    const networks = atlas.networks.filter((one) => state.family === '' || one.family === state.family).map((one) => one.name);
    fill(chooser, select('networks', [{value: '', label: 'all'}, ...families], state.family, set('family')), select('what', measures, measure, set('measure')),
      frameworks.length > 1 && select('framework', frameworks, state.framework, set('framework')));
    fill(fastest, map('network', atlas.machines, networks.map((network) => h('tr', {}, h('th', {scope: 'row'}, network), atlas.machines.map((one) => {
      const cell = fastestOf(cellsAt(one, network), measure);
      if (!cell) return h('td', {}, '');
      if (!cell.fits) return misfitOf(cell, () => open(cell));
      return cellOf(cell[measure], cell.scheme + (isOptimizers(cell) ? ' (optimizer)' : ''), isOpen(cell, measure), () => open(cell));
    })))));
    fill(machineTabs, atlas.machines.length > 8 ? select('machine', atlas.machines, machine, set('machine')) : tabs('machine', atlas.machines, machine, set('machine')));
    fill(all, map('network', schemes, networks.map((network) => h('tr', {}, h('th', {scope: 'row'}, network), schemes.map((scheme) => {
      const cell = cellsAt(machine, network).find((one) => one.scheme === scheme);
      const between = cell && measure === 'speedup' && cell.low > 0 && cell.low !== cell.high ? `${cell.low.toFixed(2)}…${cell.high.toFixed(2)}` : '';
      if (!cell) return h('td', {}, '');
      return cell.fits ? cellOf(cell[measure], between, isOpen(cell, measure), () => open(cell)) : misfitOf(cell, () => open(cell));
    })))));
  }
  show();
  const counts = tally(atlas.cells.filter((one) => one.framework === own));
  return {
    answers: [{headline: `${counts.faster} of ${counts.all} trainings are surely faster sparse, ${counts.slower} surely slower`,
               details: `${atlas.networks.length} networks under ${schemes.length} schemes on ${atlas.machines.length} machines that exist; of ${counts.open} simulation cannot tell, ${counts.misfits} do not fit the machine’s memory.`}],
    element: section(`atlas${suffix}`, 'What sparse training gains', chooser,
      h('div', {class: 'scale', 'aria-hidden': 'true'}, h('span', {}, `${fullAt}× as slow`), h('span', {class: 'gradient'}), h('span', {}, `${fullAt}× as fast`), h('span', {class: 'open-mark'}, '1.02×'), h('span', {}, 'cannot be told from dense'), h('span', {class: 'misfit-mark'}, '90 GB'), h('span', {}, 'needs more memory than there is')),
      h('h3', {}, 'The fastest scheme of each'), fastest, box, h('h3', {}, 'Every scheme'), machineTabs, all,
      h('p', {class: 'note'}, 'Dense time / time of a whole training on the same machine, everything charged. Below it: where it lies if simulated times are as far off as validated ones. A click on a gain shows where it goes, and the command that makes it.')),
  };
}
