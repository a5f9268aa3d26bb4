// Rows of a scheme as a tree: GEMMs by layer and phase, everything else by kind and kernel.

import {words} from './format.js';
import {cyclesOf, denseCyclesOf, isGemm} from './study.js';

function leavesByParent(rows) {
  const parents = new Map();
  for (const row of rows) {
    const name = isGemm(row) ? row.layer : words(row.kind);
    const key = `${isGemm(row)} ${name}`;
    if (!parents.has(key)) parents.set(key, {name, isGemm: isGemm(row), leaves: new Map()});
    const leaves = parents.get(key).leaves;
    const leaf = isGemm(row) ? row.phase : row.op;
    if (!leaves.has(leaf)) leaves.set(leaf, {name: leaf, cycles: 0, dense: 0, rows: []});
    const one = leaves.get(leaf);
    one.cycles += cyclesOf(row);
    one.dense += denseCyclesOf(row);
    one.rows.push(row);
  }
  return [...parents.values()];
}

const sum = (nodes, key) => nodes.reduce((so_far, one) => so_far + one[key], 0);

/** [{name, isGemm, cycles, dense, children: [{name, cycles, dense, rows}]}], cycles of a step. */
export function layerTree(rows) {
  return leavesByParent(rows).map(({name, isGemm: gemm, leaves}) => {
    const children = [...leaves.values()].filter((one) => one.cycles > 0);
    return {name, isGemm: gemm, children, cycles: sum(children, 'cycles'), dense: sum(children, 'dense')};
  }).filter((one) => one.cycles > 0);
}

/** Speedup of a node; 0 if the dense step has nothing in its place. */
export const gainOf = (node) => (node.dense > 0 ? node.dense / node.cycles : 0);
