// The live page's worker (src/live.js): is given the compiled program once, then answers {number, words} with {number, status, out,
// error}, each by an instance of its own; without words with the names of the shipped files.
'use strict';

importScripts('stcsim.js');

let program = null;

const namesIn = (instance, folder) => instance.FS.readdir(`/configs/${folder}`)
  .filter((file) => file.endsWith('.yaml')).map((file) => file.slice(0, -'.yaml'.length)).sort();

onmessage = async ({data}) => {
  if (data instanceof WebAssembly.Module) {
    program = data;
    return;
  }
  const answer = {number: data.number, status: 0, out: '', error: ''};
  const instance = await stcsim({
    arguments: [...(data.words ?? [])],
    noInitialRun: !data.words,
    print: (line) => { answer.out += `${line}\n`; },
    printErr: (line) => { answer.error += `${line}\n`; },
    onExit: (status) => { answer.status = status; },
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(program, imports).then((made) => done(made, program));
      return {};
    },
  });
  if (!data.words) answer.names = Object.fromEntries(['arch', 'networks', 'schemes'].map((folder) => [folder, namesIn(instance, folder)]));
  postMessage(answer);
};
