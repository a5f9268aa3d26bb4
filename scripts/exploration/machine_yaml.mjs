// Machines of the exploration as an entry of `machines`, in YAML's flow style, which is JSON.

/** Puts a value at a place with dots. */
function put(object, key, value) {
  const [first, ...rest] = key.split('.');
  if (rest.length === 0) object[first] = value;
  else put((object[first] ??= {}), rest.join('.'), value);
}

/** The machine of a point of a sweep over one machine. @param patterns it has, instead of the point's */
export function machineOf(row, name, patterns) {
  const machine = {extends: row.machine, name};
  for (const [key, value] of Object.entries(row)) {
    if (key.startsWith('machine.')) put(machine, key.slice('machine.'.length), typeof value === 'string' ? JSON.parse(value) : value);
  }
  if (patterns) machine.accelerator.sm.operand_selector.native_patterns = patterns;
  return machine;
}

/** The machine with 2:4's widths whose selector knows a pattern beside 2:4, and no more. */
export function naiveMachine(pattern) {
  const group = Number(pattern.split(':')[1]);
  return {extends: 'a100_nm8_naive', name: `a100_${pattern.replace(':', '_')}`,
          accelerator: {sm: {operand_selector: {native_patterns: ['2:4', pattern], lane_inputs: Math.max(8, group)}}}};
}
