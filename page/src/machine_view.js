// The block diagram of a machine, with what a launch did in it: drawn as wide as there is room, boxes below each other.

import {chart} from './charts.js';
import {count, digits3, wholePercent} from './format.js';

const [box, gap, rounded] = [34, 46, 5];
const mostWidth = 560;
const room = 82;   // beside a box, for its share: no bar ends in it
const downRoom = 176;   // for the largest numbers of a way down

const amount = (value) => (value >= 1000 ? count(value) : digits3(value));
/** Two lines beside an arrow. */
export const wayTexts = ({bytes, peak, of}) => (peak === null ? [`${amount(bytes)} B/clk`, `no limit (${of})`]
  : [`${amount(bytes)} of ${amount(peak)} B/clk`, `${wholePercent(bytes / peak)} (${of})`]);

/** The shapes of a diagram of that width. */
function shapes({units, ways}, width, {text, colour}) {
  const wide = width - room;
  const line = (x, y, words, tone) => ({type: 'text', silent: true, style: {text: words, x, y, fill: colour(tone), verticalAlign: 'middle', font: `${text.fontSize}px ${text.fontFamily}`}});
  const rect = (y, across, style) => ({type: 'rect', silent: true, shape: {x: 0.5, y, width: across, height: box, r: rounded}, style});
  const unitBox = ({name, busy}, y) => [
    rect(y, wide, {fill: colour('raised'), stroke: colour('line')}),
    rect(y, Math.max(0, Math.min(1, busy) * wide), {fill: colour('fast'), opacity: 0.3}),
    line(10, y + box / 2, name, 'text'), line(wide + 8, y + box / 2, `busy ${wholePercent(busy)}`, 'quiet')];
  /** As thick as its share of the peak. */
  const arrow = (x, y, isUp, {bytes, peak}) => {
    const [from, to, tip] = isUp ? [y + gap - 3, y + 9, -7] : [y + 3, y + gap - 9, 7];
    const share = peak === null ? 0 : bytes / peak;
    const tone = colour(share > 0.8 ? 'slow' : 'quiet');
    return [{type: 'line', silent: true, shape: {x1: x, y1: from, x2: x, y2: to}, style: {stroke: tone, lineWidth: 1.5 + 6 * Math.min(1, share)}},
            {type: 'polygon', silent: true, shape: {points: [[x - 5, to], [x + 5, to], [x, to + tip]]}, style: {fill: tone}}];
  };
  const part = (one, x, y, isUp) => (one ? [...arrow(x, y, isUp, one), ...wayTexts(one).map((words, i) => line(x + 12, y + 14 + 17 * i, words, i === 0 ? 'text' : 'quiet'))] : []);
  return units.flatMap((unit, i) => {
    const y = 1 + i * (box + gap);
    return [...unitBox(unit, y), ...(ways[i] ? [...part(ways[i].down, 16, y + box, false), ...part(ways[i].up, Math.max(downRoom, 0.6 * wide), y + box, true)] : [])];
  });
}

function numbersOf({units, ways}) {
  const wayOf = (way) => (way ? [way.bytes, way.peak, way.of] : [null, null, null]);
  return {columns: ['unit', 'busy, share of the launch', ...['down', 'up'].flatMap((way) => [`${way}, B/clk`, `most ${way}, B/clk`, `${way} of`])],
          rows: units.map(({name, busy}, i) => [name, busy, ...wayOf(ways[i]?.down), ...wayOf(ways[i]?.up)])};
}

export function machineView(machine, label) {
  const build = (context) => ({textStyle: context.text, series: [{type: 'custom', coordinateSystem: 'none', data: [0],
    renderItem: () => ({type: 'group', children: shapes(machine, Math.min(mostWidth, context.width), context)})}]});
  return chart({build, label, height: machine.units.length * box + machine.ways.length * gap + 2, numbers: numbersOf(machine)});
}
