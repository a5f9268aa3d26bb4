// The live page (live.html): one GEMM, simulated in this browser by stcsim.wasm (worker.js) whenever a field changes.

import './style.css';
import './live.css';
import {startCharts} from './charts.js';
import {flatten} from './data.js';
import {details} from './details.js';
import {fill, h, select} from './dom.js';
import {commandOf, experimentOf, patterns, queryOf, sliders, stopText, stopsOf, types, wordsOf, yamlOf} from './experiment.js';
import {count, factor, percent, time, words as asWords} from './format.js';
import {explainSection, machines, resultOf} from './gemm_section.js';
import {falls} from './falls.js';
import {startTheme, themeButton} from './theme.js';
import {waterfall} from './waterfall.js';

const element = (id) => document.getElementById(id);
const form = element('experiment');
const compiled = WebAssembly.compileStreaming(fetch('stcsim.wasm'));

/** A worker of its own: a question that comes while it is at another takes its place. */
class Simulator {
  #worker = null;
  #waiting = null;
  #asked = 0;

  async ask(words) {
    const program = await compiled;
    if (this.#waiting) this.stop();
    if (!this.#worker) {
      this.#worker = new Worker('worker.js');
      this.#worker.postMessage(program);
    }
    return new Promise((resolve) => {
      const number = ++this.#asked;
      this.#waiting = resolve;
      this.#worker.onmessage = ({data}) => {
        if (data.number !== number) return;
        this.#waiting = null;
        resolve(data);
      };
      this.#worker.onerror = ({message}) => {
        this.stop();
        resolve({status: 1, out: '', error: `The simulator stopped: ${message}`});
      };
      this.#worker.postMessage({number, words});
    });
  }

  /** What was asked stays without an answer. */
  stop() {
    if (!this.#waiting) return;
    this.#worker.terminate();
    this.#worker = null;
    this.#waiting = null;
  }
}

const [quick, thorough, lister] = [new Simulator(), new Simulator(), new Simulator()];
const own = new Map();      // machines as their files have them
const layers = new Map();   // GEMMs of a network's layers
let names = null;           // of shipped files
let shown = 0;

const state = (text, isWrong = false) => {
  element('state').textContent = text;
  element('state').classList.toggle('warning', isWrong);
};
const experiment = () => experimentOf([...new FormData(form)]);

async function documentOf(simulator, words) {
  const {status, out, error} = await simulator.ask([...words, '--format', 'json']);
  if (status !== 0) throw new Error(error.replace(/^stcsim \w+: error: /, ''));
  return JSON.parse(out);
}

let turn = Promise.resolve();
/** One after the other: none takes another's place. */
function listed(words) {
  turn = turn.catch(() => {}).then(() => documentOf(lister, words));
  return turn;
}

/** Beside each other: what, sparse, dense. */
function figures(gemm) {
  const sides = gemm.dense ? [gemm, gemm.dense] : [gemm];
  const row = (name, of) => h('tr', {}, h('th', {scope: 'row'}, name), sides.map((side) => h('td', {class: 'number'}, of(side, side !== gemm))));
  const likely = (interval) => (interval ? `${time(interval.low)} … ${time(interval.high)}` : '–');
  return h('div', {class: 'pane', id: 'figures'}, h('table', {class: 'matrix'},
    h('thead', {}, h('tr', {}, ['', ...sides.map((side) => (side === gemm ? `A ${gemm.pattern}` : 'A dense'))].map((name) => h('th', {scope: 'col', class: name && 'number'}, name)))),
    h('tbody', {},
      row('cycles', ({cycles}) => count(cycles)), row('time', (side) => time(side.time_us)),
      row('likely', (_, isDense) => likely(isDense ? gemm.dense_time_interval : gemm.time_interval)),
      row('gain', (_, isDense) => factor(isDense ? 1 : gemm.speedup ?? 1)),
      row('likely gain', (_, isDense) => (isDense || !gemm.speedup_interval ? '–' : `${factor(gemm.speedup_interval.low)} … ${factor(gemm.speedup_interval.high)}`)),
      row('of the dense peak', (side) => percent(side.percent_of_dense_peak / 100)),
      row('limited by', (side) => (side === gemm ? asWords(gemm.bound_by) : '–')),
      row('clock', (side) => `${Math.round(side.sustained_clock_mhz)} MHz`), row('power', (side) => (side.board_watts ? `${Math.round(side.board_watts)} W` : '–')),
      row('kernel', ({kernel}) => kernel.name))));
}

function headline(gemm) {
  const ran = gemm.ran_sparse ? `${factor(gemm.speedup)} as fast as dense` : `${percent(gemm.percent_of_peak / 100)} of peak`;
  return [h('h2', {id: 'gain'}, ran),
    h('p', {class: 'lead'}, `${time(gemm.time_us)}${gemm.dense ? ` instead of ${time(gemm.dense.time_us)}` : ''}: ` +
      `C[${gemm.m} × ${gemm.n}] = A[${gemm.m} × ${gemm.k}] · B[${gemm.k} × ${gemm.n}]${gemm.batch_count > 1 ? `, ${gemm.batch_count} times` : ''}, on ${gemm.machine}`),
    gemm.reason && h('p', {class: 'note'}, gemm.reason)];
}

function losses(gemm) {
  const steps = waterfall([{...resultOf(gemm), scheme: ''}]);
  return steps && [h('h3', {}, 'Where the gain goes'), falls(steps.map((step) => ({...step,
    name: {multiplication: 'a multiplication', sparse: 'the GEMM'}[step.about] ?? asWords(step.name)})).filter(({about}) => !['gemms', 'free', 'step'].includes(about)), 'what is left of the gain')];
}

function units(gemm) {
  const clocks = {own: gemm.sustained_clock_mhz, dense: (gemm.dense ?? gemm).sustained_clock_mhz};
  const one = (from, over) => details({...resultOf(gemm, from), ...over}, clocks, new Map());
  const wasOpen = element('units')?.open ?? false;
  return h('details', {id: 'units', open: wasOpen}, h('summary', {}, 'Each unit, kernel and traffic'),
    one(gemm, {scheme: `A ${gemm.pattern}`}),
    gemm.dense && one(gemm.dense, {scheme: 'dense', pattern: 'dense', hardware_pattern: 'dense', sparse_operand: 'none', bound_by: '', reason: ''}));
}

function showAnswer(gemm, seconds) {
  fill(element('answer'), headline(gemm), figures(gemm), h('p', {class: 'note', id: 'beside'}), losses(gemm), machines(gemm), units(gemm));
  Object.assign(element('answer').dataset, {cycles: gemm.cycles, denseCycles: gemm.dense?.cycles ?? gemm.cycles, seconds: seconds.toFixed(3)});
  element('now').textContent = gemm.ran_sparse ? `${factor(gemm.speedup)}, ${time(gemm.time_us)}` : time(gemm.time_us);
  state(`Simulated in ${seconds.toFixed(2)} s in this browser.`);
}

/** What takes longer: other software of the machine, and why. */
async function showMore(asked, mine) {
  const isShown = () => mine === shown;
  try {
    const {beside} = await documentOf(thorough, ['gemm', ...wordsOf(asked)]);
    if (!isShown()) return;
    if (beside.length > 0) element('beside').textContent = `With other software of this machine: ${beside.map((one) => `${factor(one.speedup)} in ${time(one.time_us)} (${one.stack})`).join(', ')}.`;
    fill(element('why'), h('p', {class: 'note'}, 'Why: simulating it on machines of which one thing each costs nothing …'));
    const explanation = await documentOf(thorough, ['explain', ...wordsOf(asked)]);
    explanation.counterfactuals = explanation.counterfactuals.map((one) => Object.fromEntries(flatten(one).map(({key, value}) => [key, value])));
    if (isShown()) fill(element('why'), explainSection(explanation, {suffix: ''}).element);
  } catch (error) {
    if (isShown()) fill(element('why'), h('p', {class: 'warning'}, error.message));
  }
}

async function simulate() {
  const mine = ++shown;
  thorough.stop();
  const asked = experiment();
  history.replaceState(null, '', `?${queryOf(asked)}`);
  element('command').textContent = commandOf(asked);
  element('yaml').textContent = yamlOf(asked);
  for (const [at, {key}] of sliders.entries()) showStop(at, key);
  if (!form.checkValidity()) return state('A field is missing or no number that there can be.', true);
  state('Simulating …');
  element('answer').setAttribute('aria-busy', 'true');
  const began = performance.now();
  try {
    const gemm = await documentOf(quick, ['gemm', ...wordsOf(asked), '--no-spread']);
    if (mine !== shown) return;
    showAnswer(gemm, (performance.now() - began) / 1000);
    fill(element('why'));
    showMore(asked, mine);
  } catch (error) {
    if (mine !== shown) return;
    fill(element('answer'));
    fill(element('why'));
    for (const key of ['cycles', 'denseCycles', 'seconds']) delete element('answer').dataset[key];
    element('now').textContent = '';
    state(error.message, true);
  }
  element('answer').removeAttribute('aria-busy');
  document.documentElement.dataset.ready = 'yes';
}

/** The machine as its file has it. */
async function ownOf(arch, dtype) {
  if (!own.has(arch)) own.set(arch, (await listed(['gemm', '--arch', arch, '--m', '8', '--n', '8', '--k', '8', '--dtype', dtype])).config.machine);
  return own.get(arch);
}

const stops = new Map();    // of each slider, by its key
const field = (key) => form.elements[key];

function showStop(at, key) {
  if (!stops.has(key)) return;
  const output = element(`stop-${at}`);
  const ownValue = stops.get(key).find(({multiple}) => multiple === 1).value;
  const value = field(key).value === '' ? ownValue : Number(field(key).value);
  output.textContent = stopText(sliders[at], {value, multiple: value === ownValue ? 1 : value / ownValue});
  element(`slider-${at}`).setAttribute('aria-valuetext', output.textContent);
}

/** One line with a slider; a hidden field has the value, empty where it is the machine's own. */
function sliderOf(slider, at, machine, given) {
  const {key} = slider;
  const all = stopsOf(slider, machine);
  if (all.length === 0) return null;
  stops.set(key, all);
  const nearest = (value) => all.reduce((best, stop, i) => (Math.abs(stop.value - value) < Math.abs(all[best].value - value) ? i : best), 0);
  const ownAt = all.findIndex(({multiple}) => multiple === 1);
  const hidden = h('input', {type: 'hidden', name: key, value: given ?? ''});
  const input = h('input', {type: 'range', id: `slider-${at}`, min: 0, max: all.length - 1, step: 1, value: given ? nearest(Number(given)) : ownAt,
                            oninput: () => { hidden.value = Number(input.value) === ownAt ? '' : all[Number(input.value)].value; later(); }});
  return h('label', {class: 'slider'}, h('span', {}, slider.name), h('output', {id: `stop-${at}`, for: `slider-${at}`}), input, hidden);
}

async function showSliders(given) {
  stops.clear();
  const {arch, dtype} = experiment();
  try {
    const machine = await ownOf(arch, dtype);
    fill(element('sliders'), sliders.map((slider, at) => sliderOf(slider, at, machine, given[slider.key])));
  } catch (error) {
    fill(element('sliders'), h('p', {class: 'note'}, error.message));
  }
}

async function layersOf(network) {
  if (!layers.has(network)) layers.set(network, (await listed(['list', 'layers', network])).gemms);
  return layers.get(network);
}

const named = (box, name) => { box.querySelector('select').name = name; return box; };
const choice = (label, name, options, chosen) => named(select(label, options, options.includes(chosen) ? chosen : options[0], () => {}), name);

/** The fields of the work: sizes and a pattern, or a layer, its product and a scheme. */
async function showWork(given) {
  const number = (name, about, value) => h('label', {class: 'choice'}, h('span', {title: about}, name.toUpperCase()), h('input', {name, type: 'number', min: 1, required: true, inputmode: 'numeric', value: given[name] ?? value}));
  if (!given.network) {
    fill(element('work'), number('m', 'rows of A and C', 4096), number('n', 'columns of B and C', 16384), number('k', 'columns of A, rows of B', 1024),
      h('label', {class: 'choice'}, h('span', {}, 'pattern'), h('input', {name: 'sparsity', value: given.sparsity ?? '2:4', list: 'patterns', size: 8, required: true})),
      h('datalist', {id: 'patterns'}, patterns.map((pattern) => h('option', {value: pattern}))));
    return;
  }
  const gemms = await layersOf(given.network);
  const unique = (all) => [...new Set(all)];
  const layer = gemms.some((one) => one.layer === given.layer) ? given.layer : gemms[0].layer;
  const phases = unique(gemms.filter((one) => one.layer === layer).map((one) => one.phase));
  const phase = phases.includes(given.phase) ? given.phase : phases[0];
  const parts = unique(gemms.filter((one) => one.layer === layer && one.phase === phase).map((one) => String(one.part)));
  fill(element('work'), choice('layer', 'layer', unique(gemms.map((one) => one.layer)), layer), choice('product', 'phase', phases, phase),
    parts.length > 1 && choice('part', 'part', parts, given.part), choice('scheme', 'scheme', names.schemes, given.scheme ?? 'slope'));
}

let timer = 0;
/** Soon, once for several. */
function later() {
  clearTimeout(timer);
  timer = setTimeout(simulate, 60);
}

async function changed({target}) {
  const given = {...Object.fromEntries(new FormData(form))};
  if (target.type === 'range') return;
  if (target.name === 'arch' || (target.name === 'dtype' && stops.size === 0)) await showSliders({});
  if (['network', 'layer', 'phase'].includes(target.name)) {
    try {
      await showWork(given);
      element('work').querySelector(`[name="${target.name}"]`)?.focus();
    } catch (error) {
      state(error.message, true);
      return;
    }
  }
  later();
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  const label = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = label; }, 1500);
}

async function start() {
  startTheme();
  startCharts();
  element('buttons').append(themeButton());
  ({names} = await lister.ask());
  const given = Object.fromEntries(new URLSearchParams(location.search));
  for (const name of names.arch) form.arch.append(new Option(name));
  form.network.append(new Option('sizes typed in', ''), ...names.networks.map((name) => new Option(name)));
  for (const type of types) form.dtype.append(new Option(type));
  form.arch.value = names.arch.includes(given.arch) ? given.arch : 'a100';
  if (names.networks.includes(given.network)) form.network.value = given.network;
  else delete given.network;
  form.dtype.value = types.includes(given.dtype) ? given.dtype : 'fp16';
  await showWork(given);
  // On a phone the answer is what stands first.
  element('machine').open = !matchMedia('(max-width: 560px)').matches || sliders.some(({key}) => given[key]);
  await showSliders(given);
  form.addEventListener('change', changed);
  form.addEventListener('submit', (event) => event.preventDefault());
  element('reset').addEventListener('click', async () => { await showSliders({}); later(); });
  element('copy-yaml').addEventListener('click', ({target}) => copy(target, element('yaml').textContent));
  element('copy-command').addEventListener('click', ({target}) => copy(target, element('command').textContent));
  element('copy-address').addEventListener('click', ({target}) => copy(target, location.href));
  await simulate();
}

start().catch((error) => state(`The simulator could not start: ${error.message}`, true));
