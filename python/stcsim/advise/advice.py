"""What is advised: changes screened by what they save at most, simulated at the clock of the step as it is, and ordered."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from .._process import Error
from .changes import CHANGES, Change, unmeasured, with_products
from .published import CODE, accuracy_of
from .situation import Situation, plain_experiment
from .steps import Experiment, Gain, Step, Steps, gain_of

#: A change that saves less at most is not simulated.
LEAST_SHARE = 0.005
SPARSITY = "sparsity"
#: Less is named, and not advised.
LEAST_GAIN = 1.02
#: So many are advised.
MOST_ADVICE = 3
TOO_LARGE = "its step does not fit into memory"
#: Roles to which a scheme may be kept, each alone.
ROLES = ("ffn", "attention")


class Advice(NamedTuple):
    name: str
    group: str
    rank: int
    title: str
    #: The step before and after, for as many samples.
    before_us: float
    us: float
    gain: Gain
    cost: str
    code: List[str]
    #: None: nobody knows whether a dense run does not reach the same accuracy sooner.
    pays: Optional[bool] = True
    #: The clock that the board's power allows then, where that is another.
    clock_mhz: float = 0
    #: Those of which a scheme makes a product sparse.
    layers: Sequence[str] = ()

    @property
    def saved_us(self) -> float:
        return self.before_us - self.us


class Untried(NamedTuple):
    """What cannot be simulated, and why."""
    name: str
    reason: str


class Advised(NamedTuple):
    situation: Situation
    advice: List[Advice]
    #: Not advised: surely not faster, or not surely faster, or less than another of its group.
    others: List[Advice]
    untried: List[Untried]
    simulated: int


def _advice_of(situation: Situation, change: Change, simulated: Sequence[Step]) -> Advice:
    base, step = situation.base, simulated[-1]
    if len(simulated) > 1:
        after = with_products(base, *simulated)
    elif change.after:
        after = change.after(situation, step)
    else:
        after = situation.placed(step)
    is_measured, host_us = bool(situation.measured_us) or situation.is_profile, situation.measured_us and situation.host_us
    gain = gain_of(base, after, is_measured, bool(host_us) and after.waits_us == 0)
    if host_us and after.waits_us > 0 and change.name != "batch":
        gain = gain._replace(low=min(gain.low, 1.0))  # what other launches take of the host is not known
    clock = after.clock_mhz if after.clock_mhz != base.clock_mhz else 0
    return Advice(change.name, change.group, change.rank, change.title(situation), base.us, after.us, gain, change.cost,
                  change.code(situation), clock_mhz=clock)


def _experiments(situation: Situation, change: Change) -> List[Experiment]:
    changed = {**situation.experiment, **change.overrides(situation)}
    if situation.is_profile and change.name == "pad":
        return [unmeasured(situation.experiment), unmeasured(changed)]
    return [changed]


def _of_training(speedup: float, share: float) -> float:
    """Of a training, a share of whose steps gain so much."""
    return 1 / (share / speedup + 1 - share)


def _scheme_advice(situation: Situation, totals: Mapping[str, Any]) -> Advice:
    name, _, where = totals["scheme"].partition("@")
    share = totals["share_of_training"]
    ends = [_of_training(totals[key], share) for key in ("speedup", "speedup_low", "speedup_high")]
    if situation.measured_us and situation.host_us >= situation.simulated.kernels_us:
        ends = [1.0, 1.0, 1.0]  # the host is what takes the time
    accuracy = accuracy_of(name, {**situation.network, "name": situation.name})
    title = f"{name} in {where} layers only" if where else name
    code = CODE.get(name, [f"stcsim list scheme {name}  # published by"])
    before_us = situation.base.us
    return Advice(totals["scheme"], SPARSITY, 1 if accuracy.is_kept else 2, title, before_us, before_us / ends[0], Gain(*ends),
                  accuracy.text, code, accuracy.is_kept)


def _schemes_tried(situation: Situation, steps: Steps, schemes: Sequence[Any]) -> List[Union[Advice, Untried]]:
    """All together, in halves where one cannot be simulated."""
    try:
        totals = steps.schemes({**situation.experiment, "schemes": [*schemes]})
    except Error as error:
        if len(schemes) == 1:
            return [Untried(schemes[0] if isinstance(schemes[0], str) else schemes[0]["name"], str(error))]
        half = len(schemes) // 2
        return _schemes_tried(situation, steps, schemes[:half]) + _schemes_tried(situation, steps, schemes[half:])
    return [_scheme_advice(situation, one) if _fits(situation, one) else Untried(one["scheme"], TOO_LARGE) for one in totals]


def _schemes(situation: Situation, steps: Steps, names: Sequence[str]) -> List[Union[Advice, Untried]]:
    """Of all schemes; then the best in layers of one role alone."""
    found = _schemes_tried(situation, steps, names)
    best = max((one for one in found if isinstance(one, Advice)), key=lambda one: one.gain.value, default=None)
    roles = [role for role in ROLES if any(layer.get("role") == role for layer in situation.network["layers"])]
    if best is None or best.gain.verdict != "faster" or len(roles) < 2:
        return found
    in_roles = [{"extends": best.name, "name": f"{best.name}@{role}", "layers": {"roles": [role]}} for role in roles]
    return found + _schemes_tried(situation, steps, in_roles)


def _with_layers(situation: Situation, steps: Steps, one: Advice) -> Advice:
    if one.group != SPARSITY:
        return one
    name, _, role = one.name.partition("@")
    scheme: Any = {"extends": name, "name": one.name, "layers": {"roles": [role]}} if role else name
    step = steps.run([{**situation.experiment, "schemes": [scheme]}])[0]
    return one._replace(layers=list(dict.fromkeys(row.layer for row in step.rows if row.is_sparse)))


def _ordered(found: Sequence[Advice]) -> List[Advice]:
    """Surely faster ones, the best of each group, those first that cost next to nothing; the most time saved first."""
    best: Dict[str, Advice] = {}
    for one in sorted(found, key=lambda one: -one.saved_us):
        if one.gain.verdict == "faster" and one.gain.value >= LEAST_GAIN:
            best.setdefault(one.group, one)
    return sorted(best.values(), key=lambda one: (one.rank, -one.saved_us))[:MOST_ADVICE]


def _tried(situation: Situation, steps: Steps, changes: Sequence[Change]) -> List[Union[Advice, Untried]]:
    """Those that apply and could save enough, simulated together."""
    least = LEAST_SHARE * situation.base.us
    some = [change for change in changes if change.applies(situation) and change.most_us(situation) >= least]
    asked = [_experiments(situation, change) for change in some]
    answers = iter(steps.run([one for experiments in asked for one in experiments]))
    found: List[Union[Advice, Untried]] = []
    for change, experiments in zip(some, asked):
        simulated = _free(situation, steps, experiments, [next(answers) for _ in experiments])
        reasons = [str(one) for one in simulated if isinstance(one, Error)]
        if not reasons and not _fits(situation, simulated[-1].totals):
            reasons = [TOO_LARGE]
        found.append(Untried(change.name, reasons[0]) if reasons else _advice_of(situation, change, simulated))
    return found


def _fits(situation: Situation, totals: Mapping[str, Any]) -> bool:
    """Into memory, if the step advised upon does."""
    return bool(totals.get("fits") or not situation.base.totals.get("fits"))


def _free(situation: Situation, steps: Steps, experiments: Sequence[Experiment], locked: List[Any]) -> List[Any]:
    """The same without the clock locked, where that is simulated quickly."""
    step = locked[-1]
    is_step = experiments[-1]["stream_kernels"] and len(experiments) == 1 and isinstance(step, Step)
    if not is_step or not situation.keeps_clock(step):
        return locked
    return steps.run([{key: value for key, value in experiments[0].items() if key != "clock_mhz"}])


def _after_padding(situation: Situation, steps: Steps, found: Sequence[Union[Advice, Untried]]) -> Situation:
    """The step that all else is held against: with its widths padded, if that gains."""
    if situation.is_profile or not found or isinstance(found[0], Untried) or found[0].gain.verdict != "faster":
        return situation
    experiments = _experiments(situation, CHANGES[0])
    locked = steps.run(experiments)
    return situation.on(experiments[0], _free(situation, steps, experiments, locked)[0], locked[0])


def advise(request: Mapping[str, Any], steps: Steps) -> Advised:
    """:raises Error: if the step itself cannot be simulated"""
    experiment = plain_experiment(request)
    base = steps.run([experiment])[0]
    if isinstance(base, Error):
        raise base
    locked = {**experiment, "clock_mhz": round(base.clock_mhz)}
    first = Situation(request, base, steps.run([locked])[0])
    first.experiment = locked
    found = _tried(first, steps, CHANGES[:1])
    then = _after_padding(first, steps, found)
    found += _tried(then, steps, CHANGES[1:])
    if then.base.products_us >= LEAST_SHARE * then.base.us:
        found += _schemes(then, steps, request["schemes"])
    tried = [one for one in found if isinstance(one, Advice)]
    advice = [_with_layers(then, steps, one) for one in _ordered(tried)]
    names = [one.name for one in advice]
    return Advised(first, advice, [one for one in tried if one.name not in names],
                   [one for one in found if isinstance(one, Untried)], steps.simulated)
