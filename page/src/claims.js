// Figures of publications beside the simulation's (stcsim.claims/2).

/** A row for each claim and answer; claims that are not compared have one without an answer. */
export function claimRows(claims) {
  return claims.flatMap(({answers, ...claim}) => (answers?.length > 0 ? answers.map((answer) => ({...claim, ...answer})) : [claim]));
}
