// The live page (live.html), and its worker: stcsim.wasm simulates the GEMM of the form's fields, which are the query string.
'use strict';

const kTypes = ['fp16', 'bf16', 'tf32', 'int8', 'int4', 'fp8_e4m3', 'fp8_e5m2', 'nvfp4'];

/** The worker: answers [number, words] with {number, status, out, error}, each by an instance of its own; without words with
 * the names of machines. */
function serve() {
  importScripts('stcsim.js');
  const compiled = WebAssembly.compileStreaming(fetch('stcsim.wasm'));
  onmessage = async ({data: [number, words]}) => {
    const answer = {number, status: 0, out: '', error: ''};
    const program = await compiled;
    const instance = await stcsim({
      arguments: [...(words ?? [])],
      noInitialRun: !words,
      print: (line) => { answer.out += `${line}\n`; },
      printErr: (line) => { answer.error += `${line}\n`; },
      onExit: (status) => { answer.status = status; },
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(program, imports).then((made) => done(made, program));
        return {};
      },
    });
    if (!words) answer.machines = instance.FS.readdir('/configs/arch').filter((file) => file.endsWith('.yaml')).sort();
    postMessage(answer);
  };
}

const element = (name, text) => Object.assign(document.createElement(name), {textContent: text});
const count = (value) => value.toLocaleString('en');
const time = (us) => (us >= 1000 ? `${(us / 1000).toPrecision(3)} ms` : `${us.toPrecision(3)} µs`);
const factor = (value) => `${value.toFixed(2)}×`;

/** Rows of the table: what, dense, sparse. */
function rows(dense, sparse) {
  const likely = ({low, high}, text) => `${text(low)} … ${text(high)}`;
  return [
    ['cycles', count(dense.cycles), count(sparse.cycles)],
    ['time', time(dense.time_us), time(sparse.time_us)],
    ['likely', dense.time_interval ? likely(dense.time_interval, time) : '–', sparse.time_interval ? likely(sparse.time_interval, time) : '–'],
    ['gain', factor(1), factor(sparse.speedup)],
    ['bound by', dense.bound_by, sparse.bound_by],
    ['of dense peak', `${dense.percent_of_dense_peak.toFixed(1)} %`, `${sparse.percent_of_dense_peak.toFixed(1)} %`],
    ['clock', `${Math.round(dense.sustained_clock_mhz)} MHz`, `${Math.round(sparse.sustained_clock_mhz)} MHz`],
    ['kernel', dense.kernel.name, sparse.kernel.name],
  ];
}

function page() {
  const workers = ['dense', 'sparse'].map(() => new Worker('live.js'));
  const waiting = new Map();
  let asked = 0;
  for (const worker of workers) worker.onmessage = ({data}) => { waiting.get(data.number)(data); waiting.delete(data.number); };
  const ask = (words) => new Promise((resolve) => {
    waiting.set(++asked, resolve);
    workers[words?.includes('dense') ? 0 : 1].postMessage([asked, words]);
  });
  const run = (...words) => ask(words);
  const form = document.getElementById('experiment');
  const show = (id, text) => { document.getElementById(id).textContent = text; };
  const options = (sparsity) => [...new FormData(form)].flatMap(([name, value]) =>
    [`--${name}`, name === 'sparsity' ? sparsity ?? value : value]);
  let shown = 0;

  async function simulate() {
    const mine = ++shown;
    history.replaceState(null, '', `?${new URLSearchParams(new FormData(form))}`);
    show('command', ['stcsim', 'gemm', ...options()].join(' '));
    document.getElementById('why').hidden = true;
    if (!form.reportValidity()) return;
    show('state', 'Simulating …');
    const began = performance.now();
    const answers = await Promise.all([run('gemm', ...options('dense'), '--format', 'json'), run('gemm', ...options(), '--format', 'json')]);
    if (mine !== shown) return;
    const table = document.getElementById('answer');
    table.replaceChildren();
    const failed = answers.find(({status}) => status !== 0);
    if (failed) return show('state', failed.error);
    show('state', `Simulated in ${((performance.now() - began) / 1000).toFixed(2)} s.`);
    const [dense, sparse] = answers.map(({out}) => JSON.parse(out));
    for (const cells of [['', 'dense', sparse.pattern], ...rows(dense, {speedup: 1, ...sparse})]) {
      const row = table.insertRow();
      row.append(...cells.map((text, at) => element(at === 0 ? 'th' : 'td', text)));
    }
  }

  document.getElementById('explain').onclick = async () => {
    const began = performance.now();
    show('state', 'Explaining …');
    const {out, error, status} = await run('explain', ...options());
    show('state', status === 0 ? `Explained in ${((performance.now() - began) / 1000).toFixed(2)} s.` : error);
    show('why', out);
    document.getElementById('why').hidden = status !== 0;
  };

  (async () => {
    for (const file of (await ask()).machines) form.arch.append(new Option(file.slice(0, -'.yaml'.length)));
    for (const type of kTypes) form.dtype.append(new Option(type, type));
    for (const [name, value] of new URLSearchParams(location.search)) if (form.elements[name]) form.elements[name].value = value;
    form.onchange = simulate;
    form.onsubmit = (event) => event.preventDefault();
    await simulate();
  })();
}

if (typeof document === 'undefined') serve();
else page();
