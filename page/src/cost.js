// Arithmetic on energies and areas (stcsim.cost/1).

/** Sums by unit, the largest first: [{unit, own, dense}]. */
export function energyByUnit(actions) {
  const units = new Map();
  for (const one of actions) {
    const sum = units.get(one.unit) ?? {unit: one.unit, own: 0, dense: 0};
    sum.own += one.joules;
    sum.dense += one.dense_joules ?? 0;
    units.set(one.unit, sum);
  }
  return [...units.values()].sort((a, b) => Math.max(b.own, b.dense) - Math.max(a.own, a.dense));
}

/** Parts with the area that the whole machine has of them: those of an SM, which come first and sum to it, as often as there are SMs. */
export function areasOf(area, parts) {
  let ofSm = 0;
  return parts.map((part) => {
    const isOfSm = ofSm < area.sm_um2 * (1 - 1e-9);
    if (isOfSm) ofSm += part.um2;
    return isOfSm ? {...part, um2: part.um2 * area.sms} : part;
  });
}
