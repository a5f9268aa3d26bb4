"""Answers `stcsim tta --curves-only RUN --target X --planned N`; without a request, prints how far off the laws are."""

from __future__ import annotations

import json
import statistics
import sys
import textwrap
from typing import Any, Dict, List, Mapping, Sequence

from stcsim.losses.chance import (PUBLISHED_LAWS, band_95, ends_of, exponent_of, length_errors, pairs_inside,
                                  pairs_of_lengths, published_error, spread_by_progress, spread_of, track_of)
from stcsim.losses.errors import TRACK_TARGET, spread_of_crossings, track_errors
from stcsim.losses.gaps import gap_errors, published_gaps
from stcsim.losses.rest import (LIKELY, Prediction, alike, between, continued, leads, rest_errors, rest_law,
                                sibling_prediction, steps_of, track_runs)
from stcsim.losses.runs import Decay, Run, quantile, shipped

#: A rest is predicted of a run that was seen for this part of its length at least, and at most.
LEAST_SEEN, MOST_SEEN = 0.2, 0.98
WIDTH = 80


def asked_run(one: Mapping[str, Any], request: Mapping[str, Any]) -> Run:
    return Run(one["name"], one["name"], request["metric"], request["planned"], None,
               [(x, value) for x, value in one["points"]], asked_decay(request["decay"]))


def asked_decay(text: str) -> Decay:
    share, _, power = text.partition("^")
    try:
        decay = Decay(float(share), float(power or 1))
    except ValueError:
        decay = Decay(0)
    if not 0 < decay.share <= 1 or not 0 < decay.power < 100:
        refuse(f"--rate-decay is '{text}', must be a share up to 1, or that and a power: 0.7 or 0.8^1.2")
    return decay


def refuse(text: str) -> None:
    print(f"stcsim tta --curves-only: error: {text}", file=sys.stderr)
    sys.exit(2)


def part_seen(run: Run, request: Mapping[str, Any]) -> float:
    part = run.points[-1][0] / run.planned
    if not LEAST_SEEN <= part <= MOST_SEEN or len(run.points) < 3:
        refuse(f"{run.name} has {len(run.points)} points up to {part:.0%} of --planned {run.planned:g}, must have three "
               f"up to {LEAST_SEEN:.0%} at least and {MOST_SEEN:.0%} at most")
    if run.at(run.points[-1][0]) <= request["target"]:
        refuse(f"{run.name} has reached {request['target']:g}: leave --planned out")
    return part


def predicted(run: Run, against: Sequence[Run], request: Mapping[str, Any]) -> Dict[str, Any]:
    """By finished runs of its configuration that are given or began alike, or else by the track's."""
    seen, target = part_seen(run, request), request["target"]
    track = track_runs(shipped(), TRACK_TARGET)
    siblings = list(against) or alike(run, track)
    if siblings:
        by = "--against" if against else siblings[0].source
        found = sibling_prediction(run, siblings, target, list(leads(track, seen, TRACK_TARGET)))
    else:
        by = "linear law"
        found = by_law(run, track, seen, target)
    return {"run": run.name, "seen": run.points[-1][0], "step": found.step, "low": found.low, "high": found.high,
            "by": by, "siblings": found.siblings}


def by_law(run: Run, track: Sequence[Run], seen: float, target: float) -> Prediction:
    losses = [other.at(steps_of(other.planned, seen)[0][-1]) for other in track]
    loss = run.points[-1][1]
    if not min(losses) <= loss <= max(losses):
        refuse(f"{run.name} is at {loss:g}, the public runs of a GPT-2 small that the law was fitted to at "
               f"{min(losses):.2f} to {max(losses):.2f}: --against must name finished runs of its configuration")
    band = quantile([error.off for error in rest_errors(track, seen, TRACK_TARGET)], LIKELY)
    return between(continued(run, rest_law(track, seen), seen), target, band)


def sentences(answers: List[Dict[str, Any]], request: Mapping[str, Any]) -> str:
    lines = []
    for one in answers:
        over, target = request["over"], f"{request['target']:g}"
        reached = (f"reaches {target} at {one['step']:,.0f} {over}" if one["step"]
                   else f"does not reach {target} by its planned {request['planned']:,.0f} {over}")
        latest = f"{one['high']:,.0f}" if one["high"] else "never"
        bounds = f", in nine of ten cases {one['low']:,.0f} to {latest}" if one["low"] else ""
        by = (f"{one['siblings']} finished run{'s' * (one['siblings'] != 1)}, {one['by']}" if one["siblings"]
              else "the linear law of new configurations (errors: python3 -m stcsim.losses)")
        lines += [f"{one['run']} {reached}{bounds}", f"  predicted of its first {one['seen']:,.0f} {over}, by {by}"]
    fill = textwrap.TextWrapper(WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False).fill
    return "".join(fill(line) + "\n" for line in lines)


def answer(request: Mapping[str, Any]) -> None:
    against = [asked_run(one, request) for one in request["against"]]
    short = [run.name for run in against if not run.crossing(request["target"])]
    if short:
        refuse(f"--against {short[0]} never reaches {request['target']:g}, must be a finished run that does")
    answers = [predicted(asked_run(one, request), against, request) for one in request["runs"]]
    if request["format"] == "json":
        print(json.dumps({"kind": "predicted_crossings", "target": request["target"], "planned": request["planned"],
                          "runs": answers}, indent=1))
    else:
        print(sentences(answers, request), end="")


def percent(share: Any) -> str:
    return "–" if share is None else f"{100 * share:.2f} %"


def tables() -> str:
    """Errors of all laws, as Markdown."""
    runs = shipped()
    track = track_runs(runs, TRACK_TARGET)
    seeds = spread_of_crossings(track, TRACK_TARGET)
    lines = [f"The step at which a run reaches {TRACK_TARGET}, of its first 60 % of steps; every folder by what others say. "
             f"Between seeds that step has a standard deviation of {percent(seeds)} of the planned ones.", "",
             "| law | runs | median error | nine of ten | inside the 90 % interval | its width, of the planned steps |",
             "|---|---:|---:|---:|---:|---:|"]
    lines += [f"| {one.law} | {one.runs} | {percent(one.median)} | {percent(one.nine_of_ten)} | {percent(one.inside)} | "
              f"{percent(one.width)} |" for one in track_errors(runs)]
    ends = ends_of(runs)
    lines += ["", "| seeds of | standard deviation, nats | two seeds differ by (95 %) | pairs | of them within |",
              "|---|---:|---:|---:|---:|"]
    for name, (pairs, inside) in pairs_inside(ends).items():
        spread = spread_of({key: one for key, one in ends.items() if track_of(key[0]) == name})
        lines.append(f"| {name} | {spread:.4f} | {band_95([], spread):.4f} | {pairs} | {percent(inside / pairs)} |")
    progress = ", ".join(f"{spread:.4f} at {part:.0%}" for part, spread, _ in spread_by_progress(runs) if part >= 0.2)
    lengths = pairs_of_lengths(runs)
    lines += ["", f"Between seeds, nats, by part of the planned steps: {progress}.", "",
              f"Loss at the end ~ tokens^-{exponent_of(lengths):.4f}:", "",
              f"| recipe | tokens, 10^9 | loss | exponent | that of the others is off | {' | '.join(PUBLISHED_LAWS)} |",
              "|---|---|---|---:|---:|---:|---:|"]
    for pair, off in length_errors(lengths):
        published = " | ".join(f"{100 * published_error(pair, law):+.0f} %" for law in PUBLISHED_LAWS)
        lines.append(f"| {pair.name.rpartition('/')[2]} | {pair.short[0] / 1e9:.1f}, {pair.long[0] / 1e9:.1f} | "
                     f"{pair.short[1]:.3f}, {pair.long[1]:.3f} | {pair.exponent:.4f} | {100 * off:+.0f} % | {published} |")
    gaps = published_gaps()
    middle = statistics.median(abs(gap.percent) for gap in gaps)
    lines += ["", f"Published losses of N:M trainings, each paper by what the others say; the losses themselves are "
              f"{middle:.2f} % of the dense value in the middle:", "",
              "| law of the loss | rows | median error | mean | middle of the papers |", "|---|---:|---:|---:|---:|"]
    lines += [f"| {one.law} | {one.rows} | {one.median:.2f} % | {one.mean:.2f} % | {one.of_papers:.2f} % |"
              for one in gap_errors(gaps)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["request"]:
        answer(json.load(sys.stdin))
    else:
        print(tables(), end="")
