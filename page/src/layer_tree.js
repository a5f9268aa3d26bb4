// Rows of a scheme as a tree: GEMMs by layer and phase, everything else by kind and kernel.

import {words} from './format.js';
import {denseTimeOf, isGemm, timeOf} from './study.js';

function leavesByParent(rows) {
  const parents = new Map();
  for (const row of rows) {
    const name = isGemm(row) ? row.layer : words(row.kind);
    const key = `${isGemm(row)} ${name}`;
    if (!parents.has(key)) parents.set(key, {name, isGemm: isGemm(row), leaves: new Map()});
    const leaves = parents.get(key).leaves;
    const leaf = isGemm(row) ? row.phase : row.op;
    if (!leaves.has(leaf)) leaves.set(leaf, {name: leaf, time: 0, dense: 0, rows: []});
    const one = leaves.get(leaf);
    one.time += timeOf(row);
    one.dense += denseTimeOf(row);
    one.rows.push(row);
  }
  return [...parents.values()];
}

const sum = (nodes, key) => nodes.reduce((so_far, one) => so_far + one[key], 0);

/** [{name, isGemm, time, dense, children: [{name, time, dense, rows}]}], µs of a step. */
export function layerTree(rows) {
  return leavesByParent(rows).map(({name, isGemm: gemm, leaves}) => {
    const children = [...leaves.values()].filter((one) => one.time > 0);
    return {name, isGemm: gemm, children, time: sum(children, 'time'), dense: sum(children, 'dense')};
  }).filter((one) => one.time > 0);
}

/** Speedup of a node; 0 if the dense step has nothing in its place. */
export const gainOf = (node) => (node.dense > 0 ? node.dense / node.time : 0);
