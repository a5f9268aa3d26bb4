// text_task.mjs OUT: makes the text task of `stcsim train train_text`: the bytes of the licences that Debian's base-files ships
// (/usr/share/common-licenses), in windows of 32, as OUT/inputs.npy and OUT/labels.npy, the byte that follows each. Windows are
// in an order drawn once, so that the last tenth, which is not trained on, is of all texts.
import {mkdirSync, readdirSync, lstatSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

const folder = '/usr/share/common-licenses';
const length = 32;

/** A matrix of bytes as NumPy writes it (format 1.0). */
const npy = (bytes, rows) => {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${rows}, ${length}), }`;
  const padded = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const size = Buffer.alloc(2);
  size.writeUInt16LE(padded.length);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), size, Buffer.from(padded, 'latin1'), bytes]);
};

const files = readdirSync(folder).sort().map((name) => join(folder, name)).filter((path) => lstatSync(path).isFile());
const text = Buffer.concat(files.map((path) => readFileSync(path)));
const count = Math.floor((text.length - 1) / length);

// A linear congruential generator (Numerical Recipes' constants): the same order everywhere.
let state = 1;
const below = (limit) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 2 ** 32 * limit);
};
const order = [...Array(count).keys()];
for (let left = count; left > 1; --left) {
  const other = below(left);
  [order[left - 1], order[other]] = [order[other], order[left - 1]];
}
const windows = (shift) => Buffer.concat(order.map((at) => text.subarray(at * length + shift, (at + 1) * length + shift)));

const [out] = process.argv.slice(2);
mkdirSync(out, {recursive: true});
writeFileSync(join(out, 'inputs.npy'), npy(windows(0), count));
writeFileSync(join(out, 'labels.npy'), npy(windows(1), count));
console.log(`${count} windows of ${length} bytes of ${files.length} files`);
