// Which of many curves are shown before a name is clicked.

const most = 8;

/** Curves in the order in which they are told apart, and whether each is shown at first: of many, the first few. */
export function chosenCurves(curves, first = []) {
  const rank = (one) => (first.includes(one.name) ? first.indexOf(one.name) : first.length);
  const ordered = curves.filter((one) => one.points.length > 0).sort((a, b) => rank(a) - rank(b));
  return {ordered, selected: Object.fromEntries(ordered.map((one, i) => [one.name, ordered.length <= most + 2 || i < most]))};
}
