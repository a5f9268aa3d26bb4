// Figures of publications beside the simulation's (stcsim.claims/1).

/** A row for each claim and answer; claims that are not compared have one without an answer. */
export function claimRows(claims) {
  return claims.flatMap(({answers, ...claim}) => (answers?.length > 0 ? answers.map((answer) => ({...claim, ...answer})) : [claim]));
}

/** How often each verdict was given: [['as published', 3], ...], the most frequent first. */
export function verdicts(rows) {
  const counts = new Map();
  for (const {verdict} of rows) if (verdict) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
