// The block diagram of a machine, with what a launch did in it: drawn as wide as there is room, boxes below each other.

import {h, svg} from './dom.js';
import {count, digits3, wholePercent} from './format.js';

const [box, gap, rounded] = [34, 46, 5];
const mostWidth = 560;
const room = 82;   // beside a box, for its share: no bar ends in it
const baseline = 4.5;   // below the middle of a line of text

const amount = (value) => (value >= 1000 ? count(value) : digits3(value));
/** Two lines beside an arrow. */
export const wayTexts = ({bytes, peak, of}) => (peak === null ? [`${amount(bytes)} B/clk`, `no limit (${of})`]
  : [`${amount(bytes)} of ${amount(peak)} B/clk`, `${wholePercent(bytes / peak)} (${of})`]);

const line = (x, y, text, kind, anchor = 'start') => svg('text', {x, y: y + baseline, class: kind, 'text-anchor': anchor}, text);

function unitBox({name, busy}, y, width) {
  const wide = width - room;
  return [svg('rect', {x: 0.5, y, width: wide, height: box, rx: rounded, class: 'unit'}),
          svg('rect', {x: 0.5, y, width: Math.max(0, Math.min(1, busy) * wide), height: box, rx: rounded, class: 'busy'}),
          line(10, y + box / 2, name, 'name'), line(wide + 8, y + box / 2, `busy ${wholePercent(busy)}`, 'share')];
}

/** As thick as its share of the peak. */
function arrow(x, y, isUp, {bytes, peak}) {
  const [from, to] = isUp ? [y + gap - 3, y + 9] : [y + 3, y + gap - 9];
  const share = peak === null ? 0 : bytes / peak;
  const tip = isUp ? `${x - 5},${to} ${x + 5},${to} ${x},${to - 7}` : `${x - 5},${to} ${x + 5},${to} ${x},${to + 7}`;
  const kind = share > 0.8 ? 'way full' : 'way';
  return [svg('line', {x1: x, x2: x, y1: from, y2: to, class: kind, 'stroke-width': 1.5 + 6 * Math.min(1, share)}), svg('polygon', {points: tip, class: kind})];
}

function wayBetween(way, y, width) {
  const part = (one, x, isUp) => (one ? [arrow(x, y, isUp, one), wayTexts(one).map((text, i) => line(x + 12, y + 14 + 17 * i, text, i === 0 ? 'name' : 'share'))] : []);
  return [part(way.down, 16, false), part(way.up, (width - room) / 2 + 16, true)];
}

export function machineView({units, ways}) {
  const host = h('div', {class: 'machine'});
  const height = units.length * box + ways.length * gap + 2;
  const draw = () => {
    const width = Math.max(280, Math.min(mostWidth, host.clientWidth));
    host.replaceChildren(svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'block diagram of the machine'},
      units.map((unit, i) => [unitBox(unit, 1 + i * (box + gap), width), ways[i] ? wayBetween(ways[i], 1 + i * (box + gap) + box, width) : []])));
  };
  new ResizeObserver(draw).observe(host);
  draw();
  return host;
}
