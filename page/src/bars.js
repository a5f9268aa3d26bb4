// A bar per scheme, cut into forward, dgrad, wgrad, each kind of other work, and pruning.

import {chart, tip} from './charts.js';
import {factor, percent, time, words} from './format.js';
import {denseTime, isFailed, kindsOf, partsOf, stepWord} from './study.js';

const gemmColours = ['gemm1', 'gemm2', 'gemm3'];
const otherColours = ['kind1', 'kind2', 'kind3', 'kind4', 'kind5', 'kind6', 'kind7', 'kind8', 'kind9', 'kind10'];

function colourOf(part, index, colour) {
  if (part.kind === 'gemm') return colour(gemmColours[index]);
  if (part.kind === 'work') return colour('pruning');
  if (part.name === 'optimizer') return colour('optimizer');
  return colour(otherColours[(index - 3 + otherColours.length) % otherColours.length]);
}

export function bars(group) {
  const totals = group.totals.filter((total) => !isFailed(total))
    .sort((a, b) => (b.scheme === 'dense') - (a.scheme === 'dense') || a['step.time_us'] - b['step.time_us']);
  const kinds = kindsOf(group);
  const parts = totals.map((total) => partsOf(group, total, kinds));
  const names = parts[0]?.map((part) => part.name) ?? [];
  const longest = Math.max(...totals.map((total) => total['step.time_us']));
  const milliseconds = longest >= 1000;
  const unit = milliseconds ? 1000 : 1;

  const shownNames = names.map(words);
  const build = ({narrow, text, axis, tooltip, legend, colour, legendLines}) => {
    const legendHeight = 22 * legendLines(shownNames) + 6;
    return {
      textStyle: text,
      tooltip: {...tooltip, trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => {
        const total = totals[items[0].dataIndex];
        return tip(`${total.scheme}: ${time(total['step.time_us'])}`, parts[items[0].dataIndex]
          .filter((part) => part.us > 0)
          .map((part) => [words(part.name), `${time(part.us)}, ${percent(part.us / total['step.time_us'])}`]));
      }},
      legend: {...legend, top: 0, left: 0, right: 0, itemGap: 10,
               data: shownNames},
      grid: {left: 4, right: narrow ? 8 : 110, top: legendHeight + 8, bottom: 30, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel'},
      xAxis: {...axis, type: 'value', name: milliseconds ? 'ms' : 'µs', nameLocation: 'middle', nameGap: 24, splitNumber: narrow ? 3 : 6},
      yAxis: {...axis, type: 'category', inverse: true, data: totals.map((total) => total.scheme),
              axisLabel: {...text, width: narrow ? 118 : 230, overflow: 'truncate', lineHeight: 15, formatter: (name, i) =>
                (narrow && name !== 'dense' ? `${name}\n${factor(totals[i]['step.speedup'])}` : name)}},
      series: names.map((name, i) => ({
        type: 'bar', stack: 'step', name: words(name), barCategoryGap: '28%',
        itemStyle: {color: colourOf(parts[0][i], i, colour)},
        data: parts.map((one) => one[i].us / unit),
        label: i !== names.length - 1 || narrow ? undefined : {
          show: true, position: 'right', ...text,
          formatter: ({dataIndex}) => `${time(totals[dataIndex]['step.time_us'])}` +
            (totals[dataIndex].scheme === 'dense' ? '' : `  ${factor(totals[dataIndex]['step.speedup'])}`),
        },
      })),
    };
  };
  const height = ({legendLines, narrow}) => 22 * legendLines(shownNames) + 60 + totals.length * (narrow ? 40 : 30);
  return chart({build, height, of: 'scheme', label: `time of a ${stepWord(group)} by scheme; dense ${time(denseTime(group))}`});
}
