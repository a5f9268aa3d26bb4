// Layers as a treemap: area is time in a step, colour the speedup over dense.

import {chart, tip} from './charts.js';
import {factor, percent, time, words} from './format.js';
import {gainColour, rgbOf, textOn} from './gain_colour.js';
import {gainOf, layerTree} from './layer_tree.js';
import {rowsOf, titleOf} from './study.js';

/** Name, and the gain where there is one. */
const labelOf = (node, between) =>
  (node.dense > 0 && Math.abs(Math.log(gainOf(node))) > 0.005 ? `${node.name}${between}${factor(gainOf(node))}` : node.name);

/** @param onrow called with the row of a leaf that is clicked, and with all rows of it */
export function treemap(group, scheme, onrow) {
  const tree = layerTree(rowsOf(group, scheme));
  const all = tree.reduce((sum, one) => sum + one.time, 0);
  const build = ({text, tooltip, colour, narrow}) => {
    const colours = {neutral: colour('neutral'), slow: colour('slow'), fast: colour('fast')};
    const paint = (node) => {
      const background = node.dense > 0 ? gainColour(gainOf(node), colours) : colour('pruning');
      return {itemStyle: {color: background}, label: {color: textOn(rgbOf(background))}};
    };
    const leafOf = (parent) => (node) =>
      ({name: node.name, value: node.time, node, parent: parent.name, ...paint(node)});
    return {
      textStyle: text,
      tooltip: {...tooltip, formatter: ({data}) => data?.node && tip(
        data.parent ? `${data.parent}, ${data.node.name}` : data.node.name,
        [['time', `${time(data.node.time)}, ${percent(data.node.time / all)}`],
         ['speedup', data.node.dense > 0 ? factor(gainOf(data.node)) : 'no counterpart in dense'],
         ...(data.node.rows?.length === 1 && data.node.rows[0].bound_by ? [['limited by', words(data.node.rows[0].bound_by)]] : [])])},
      series: [{
        type: 'treemap', roam: false, nodeClick: false, breadcrumb: {show: false}, left: 0, right: 0, top: 0, bottom: 0,
        label: {...text, fontSize: narrow ? 10 : 12, lineHeight: narrow ? 12 : 15, overflow: 'truncate', padding: 3,
                formatter: ({data}) => (data?.node ? labelOf(data.node, '\n') : '')},
        upperLabel: {show: true, height: 20, ...text, formatter: ({data}) => (data?.node ? labelOf(data.node, '  ') : ''), backgroundColor: colour('raised'), fontSize: narrow ? 10 : 12, overflow: 'truncate'},
        itemStyle: {borderColor: colour('page'), borderWidth: 1, gapWidth: 1},
        levels: [{itemStyle: {borderWidth: 0, gapWidth: 3}, upperLabel: {show: false}},
                 {itemStyle: {borderColor: colour('line'), borderWidth: 1, gapWidth: 1}}, {}],
        data: tree.map((one) => ({name: one.name, node: one, value: one.time, itemStyle: {color: colour('raised')},
                                  children: one.children.map(leafOf(one))})),
      }],
    };
  };
  return chart({
    build, height: ({narrow}) => (narrow ? 420 : 460), many: true,
    label: `${titleOf(group)}, ${scheme}: layers by time`,
    numbers: {columns: ['layer', 'part', 'time, µs', 'speedup'], rows: tree.flatMap((one) => one.children.map((leaf) => [one.name, leaf.name, leaf.time, leaf.dense > 0 ? gainOf(leaf) : null]))},
    onclick: ({data}) => data?.node?.rows && onrow(data.node.rows[0], data.node.rows),
  });
}
