"""Laws of losses: exact on curves made by hand, and as far off as is said on public runs that they were not fitted to."""

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from stcsim.losses import chance, errors, gaps, rest, runs

RUNS = runs.shipped()
TRACK = rest.track_runs(RUNS, errors.TRACK_TARGET)


def made(name, points, source="a", planned=100.0):
    return runs.Run(name, source, "loss", planned, None, points)


def falling(planned=100.0, above=0.0, until=1.0):
    """A straight line from 5 to 3, and by so much above it."""
    return [(step * planned / 10, 5 - step / 5 + above) for step in range(round(10 * until) + 1)]


class Curves(unittest.TestCase):
    def test_values_lie_on_straight_lines_and_the_last_goes_on(self):
        points = [(0, 4.0), (10, 3.0), (20, 2.5)]
        self.assertEqual([runs.value_at(points, step) for step in (0, 5, 10, 15, 20, 30)], [4, 3.5, 3, 2.75, 2.5, 2])

    def test_a_target_is_reached_where_the_curve_comes_down_to_it(self):
        points = [(0, 4.0), (10, 3.0), (20, 3.5), (30, 2.5)]
        self.assertEqual(runs.crossing_of(points, 3.25), 7.5)
        self.assertEqual(runs.crossing_of(points, 3.0), 10)
        self.assertEqual(runs.crossing_of(points, 2.75), 27.5)
        self.assertIsNone(runs.crossing_of(points, 2.4))

    def test_quantiles_count_weights(self):
        self.assertEqual(runs.quantile([3, 1, 2, 4], 0.5), 2)
        self.assertEqual(runs.quantile([3, 1, 2, 4], 0.9), 4)
        self.assertEqual(runs.quantile([1, 2, 3], 0.5, [1, 1, 8]), 3)

    def test_shipped_runs_are_whole(self):
        self.assertEqual(len(RUNS), 466)
        self.assertEqual(len({run.name for run in RUNS}), len(RUNS))
        for run in RUNS:
            steps = [step for step, _ in run.points]
            self.assertEqual(steps, sorted(set(steps)), run.name)
            self.assertLessEqual(steps[-1], run.planned, run.name)


class Siblings(unittest.TestCase):
    def known(self, then):
        """Leads of 0.002 of which so much is left at the target, of another folder."""
        mean = falling()
        return [rest.Lead(made("b", [(step, loss + then) for step, loss in mean], "b"), mean, 3.3, 0.002, then)]

    def test_what_is_left_of_the_lead_moves_their_mean(self):
        siblings = [made("1", falling(above=0.001)), made("2", falling(above=-0.001))]
        seen = made("3", falling(above=0.002)).until(0.6)
        found = rest.sibling_prediction(seen, siblings, 3.3, self.known(0.001))
        self.assertAlmostEqual(found.step, 85 + 0.001 / 0.02, 9)  # a step is worth 0.02
        self.assertEqual(found.siblings, 2)

    def test_a_lead_that_is_no_chance_is_not_moved_by_all_of_it(self):
        mean = falling()
        for lead, most in ((0.5, 0.003), (-0.5, -0.003), (0.001, 0.001)):
            self.assertAlmostEqual(rest.lead_of(made("1", falling(above=lead)).until(0.5), mean), most, 12)

    def test_the_part_that_is_left_is_that_of_least_squares(self):
        mean, generator = falling(), random.Random(64)
        known = [rest.Lead(made("b", mean), mean, 3.3, seen, 0.7 * seen) for seen in
                 (generator.uniform(-0.003, 0.003) for _ in range(20))]
        self.assertAlmostEqual(rest.kept_of(known), 0.7, 12)

    def test_the_interval_is_as_wide_as_nine_of_ten_were_off(self):
        mean = falling()
        known = [rest.Lead(made(str(at), [(step, loss + at / 1000) for step, loss in mean], "b"), mean, 3.3, 0.0, at / 1000)
                 for at in range(1, 11)]
        self.assertAlmostEqual(rest.band_of(known, 0.5), 0.009, 9)

    def test_runs_that_began_alike_are_found_and_others_are_not(self):
        near = [made("1", falling(above=0.002))]
        other = [made("2", falling(above=0.1), "b"), made("3", falling(200), "c", 200.0)]
        seen = made("4", falling()).until(0.6)
        self.assertEqual(rest.alike(seen, near + other), near)
        self.assertEqual(rest.alike(seen, other), [])


class Rest(unittest.TestCase):
    def test_the_rest_of_a_family_of_lines_is_its_line(self):
        generator = random.Random(64)
        family = [made(str(at), falling(above=generator.uniform(-0.5, 0.5)), str(at)) for at in range(12)]
        run = made("new", falling(above=0.2))
        curve = rest.continued(run, rest.rest_law(family, 0.6), 0.6)
        self.assertEqual(curve[0], run.points[6])
        for step, loss in curve:
            self.assertAlmostEqual(loss, run.at(step), delta=0.001)  # the ridge costs a little

    def test_the_rest_falls_with_the_learning_rate(self):
        """Of runs that began alike, those whose rate falls earlier are lower by 0.65: the law says so of a new one."""
        family = [made(str(at), [(step, loss - (step > 60) * decay.share) for step, loss in falling(above=at / 100)],
                       str(at))._replace(decay=decay) for at in range(12)
                  for decay in [runs.Decay(0.25 + 0.65 * (at % 2))]]
        law = rest.rest_law(family, 0.6)
        late, early = (rest.continued(made("new", falling())._replace(decay=runs.Decay(share)), law, 0.6)[-1][1]
                       for share in (0.25, 0.9))
        self.assertAlmostEqual(late - early, 0.65, delta=0.02)

    def test_rates_fall_as_a_power_of_what_is_left(self):
        decay = runs.Decay(0.5, 2.0, 0.25)
        for part, rate in ((0.0, 1.0), (0.5, 1.0), (0.75, 0.5625), (1.0, 0.25)):
            self.assertAlmostEqual(decay.rate(part), rate, 12)
        self.assertAlmostEqual(runs.Decay().rate(0.65), 0.5, 12)

    def test_what_comes_after_the_seen_part_does_not_matter(self):
        run = TRACK[40]
        cut = run.until(errors.TRACK_SEEN)
        changed = run._replace(points=cut.points + [(step, loss + 1) for step, loss in run.points if step > 0.6 * run.planned])
        others = rest.elsewhere(TRACK, run.source)
        law = rest.rest_law(others, errors.TRACK_SEEN)
        known = list(rest.leads(others, errors.TRACK_SEEN, errors.TRACK_TARGET))
        siblings = [one for one in TRACK if one.configuration == run.configuration and one is not run]
        self.assertEqual(rest.continued(run, law, 0.6), rest.continued(changed, law, 0.6))
        self.assertEqual(rest.sibling_prediction(run.until(0.6), siblings, 3.3, known),
                         rest.sibling_prediction(changed.until(0.6), siblings, 3.3, known))
        self.assertEqual(rest.alike(run.until(0.6), others), rest.alike(changed.until(0.6), others))


    def test_each_folder_counts_the_same(self):
        many = [made(str(at), falling(), "a") for at in range(9)]
        law = rest.rest_law([*many, made("one", falling(above=1.0), "b")], 0.6)
        self.assertAlmostEqual(law.ends[-1], 3.5, 12)
        self.assertAlmostEqual(law.means[0] - falling()[0][1] + 1.5 / 5, 0.5, 9)  # the first loss is seen at step 15

    def test_a_folder_is_predicted_without_its_own_runs(self):
        """Whatever they do after the seen part."""
        source = TRACK[40].source
        changed = [run if run.source != source else
                   run._replace(points=[(step, loss - (step > 0.6 * run.planned) * 0.05) for step, loss in run.points])
                   for run in TRACK]
        self.assertEqual(*([one.step for run, one in errors.by_rest(all_runs, 0.6, 3.3) if run.source == source]
                           for all_runs in (TRACK, changed)))
        alone = [run if at == 40 else old for at, (run, old) in enumerate(zip(changed, TRACK))]
        self.assertEqual(*(errors.by_alike(all_runs, 0.6, 3.3)[40][1].step for all_runs in (TRACK, alone)))
        known = [[lead for lead in rest.elsewhere(list(rest.leads(all_runs, 0.6, 3.3)), source)]
                 for all_runs in (TRACK, changed)]
        self.assertEqual(*known)
        self.assertNotIn(source, {lead.run.source for lead in known[0]})

    def test_errors_are_shares_of_the_step(self):
        run = made("r", falling())  # 3.3 at step 85
        found = [(run, rest.Prediction(85 * (1 + off), 85 * low, 85 * high))
                 for off, low, high in ((0.01, 0.9, 1.1), (0.02, 1.01, 1.1), (0.5, 0.9, 1.5))]
        said = errors.errors_of("law", found, 3.3)
        self.assertAlmostEqual(said.median, 0.02, 12)
        self.assertAlmostEqual(said.nine_of_ten, 0.5, 12)
        self.assertAlmostEqual(said.inside, 2 / 3, 12)
        self.assertAlmostEqual(said.width, 0.85 * (0.2 + 0.09 + 0.6) / 3, 12)


class PublicRuns(unittest.TestCase):
    """Each folder is predicted by what the others say."""

    @classmethod
    def setUpClass(cls):
        cls.errors = dict(zip((law.__name__ for law in errors.LAWS.values()), errors.track_errors(RUNS)))
        cls.seeds = errors.spread_of_crossings(TRACK, errors.TRACK_TARGET)

    def test_the_step_of_a_loss_is_predicted_from_the_first_part(self):
        asked = self.errors["by_alike"]
        self.assertEqual((asked.runs, asked.reached), (185, 185))
        self.assertLess(asked.median, 0.05)
        self.assertTrue(0.85 <= asked.inside <= 0.97, asked)

    def test_the_interval_is_at_most_two_and_a_half_times_that_of_seeds(self):
        between_seeds = 2 * statistics.NormalDist().inv_cdf(0.95) * self.seeds
        self.assertLess(self.errors["by_alike"].width, 2.5 * between_seeds)

    def test_it_beats_the_mean_of_its_siblings(self):
        rival = self.errors["by_mean"]
        self.assertLess(self.errors["by_alike"].median, rival.median)
        self.assertLess(self.errors["by_siblings"].median, 0.8 * rival.median)

    def test_new_configurations_are_predicted_better_than_by_a_share_or_a_power_law(self):
        law = self.errors["by_rest"]
        self.assertTrue(0.85 <= law.inside <= 0.97, law)
        self.assertLess(law.median, 0.6 * self.errors["by_share"].median)
        self.assertGreater(self.errors["by_power_law"].median, 0.1)

    def test_two_seeds_differ_by_no_more_than_said_in_most_pairs(self):
        pairs = chance.pairs_inside(chance.ends_of(RUNS))
        self.assertEqual(pairs["track_1"][0] + pairs["track_3"][0], 1725)
        for track in ("track_1", "track_3"):
            of_all, inside = pairs[track]
            self.assertTrue(0.90 <= inside / of_all <= 0.99, (track, pairs))

    def test_seeds_come_together_as_the_run_goes_on(self):
        spreads = [spread for part, spread, _ in chance.spread_by_progress(RUNS) if part >= 0.2]
        self.assertEqual(spreads, sorted(spreads, reverse=True))

    def test_one_exponent_says_what_longer_runs_end_with(self):
        off = {pair.name.rpartition("/")[2]: error for pair, error in chance.length_errors(chance.pairs_of_lengths(RUNS))}
        self.assertEqual(len(off), 7)
        self.assertEqual([name for name, error in off.items() if abs(error) > 0.06], ["2024-11-10_ScaleShortcuts"])
        self.assertLess(max(map(abs, off.values())), 1 / 3)
        for law in chance.PUBLISHED_LAWS:
            self.assertGreater(max(abs(chance.published_error(pair, law)) for pair in chance.pairs_of_lengths(RUNS)), 0.4)


class Chance(unittest.TestCase):
    def test_student_s_distribution(self):
        for freedom, both_sides in ((3, 3.182), (4, 2.776), (6, 2.447), (10, 2.228), (30, 2.042)):
            self.assertAlmostEqual(chance.student_95(freedom) / both_sides, 1, delta=0.012)

    def test_the_band_holds_most_pairs_of_configurations_that_scatter_differently(self):
        """Their variances are such as the prior takes them to be: 4 over a chi-square of 4 degrees."""
        generator = random.Random(6)
        spreads = [0.002 * math.sqrt(4 / generator.gammavariate(2, 2)) for _ in range(1000)]
        ends = {(str(at), 1.0): [generator.gauss(3, spread) for _ in range(5)] for at, spread in enumerate(spreads)}
        spread = chance.spread_of(ends)
        self.assertAlmostEqual(spread, statistics.median(spreads), delta=0.0002)
        inside = [abs(one[0] - one[1]) <= chance.band_95(one[2:], spread) for one in ends.values()]
        self.assertAlmostEqual(statistics.fmean(inside), 0.96, delta=0.015)

    def test_a_pair_is_held_against_other_seeds_alone(self):
        ends = {("records/track_1_a", 1.0): [3.0, 3.02], **{(f"records/track_1_{at}", 1.0): [3.0, 3.002] for at in range(9)}}
        self.assertEqual(chance.pairs_inside(ends), {"track_1": (10, 9)})

    def test_lengths_are_those_of_recipes_and_ends_of_reruns_their_means(self):
        pairs = {pair.name.rpartition("/")[2]: pair for pair in chance.pairs_of_lengths(RUNS)}
        self.assertEqual(pairs["190M"].short, (7272 * 524288, (3.60097 + 3.59992) / 2))
        self.assertEqual(pairs["190M"].long, (72625 * 524288, 3.33669))
        self.assertAlmostEqual(chance.Lengths("", (1.0, 4.0), (16.0, 2.0)).exponent, 0.25, 12)

    def test_own_seeds_count_beside_the_others(self):
        self.assertAlmostEqual(chance.band_95([], 0.002), chance.student_95(4) * math.sqrt(2) * 0.002, 12)
        self.assertGreater(chance.band_95([3.0, 3.02, 2.98], 0.002), 2 * chance.band_95([], 0.002))
        self.assertLess(chance.band_95([3.0] * 9, 0.002), chance.band_95([], 0.002))


class Gaps(unittest.TestCase):
    def test_losses_are_shares_of_the_dense_value(self):
        row = {"pattern": "2:8", "metric": "top-1 %", "dense": "80", "sparse": "78", "operands": "data gradient",
               "source": "McDanel et al.", "network": "n"}
        self.assertEqual(gaps.gap_of(row), gaps.Gap("SDGP", "n", "top-1", "gradients", 2, 8, 2.5))
        ppl = gaps.gap_of({**row, "metric": "perplexity (lower is better)", "dense": "10", "sparse": "100"})
        self.assertAlmostEqual(ppl.percent, 100, 12)
        for change in ({"pattern": "2:4 then 2:8"}, {"metric": "BLEU"}, {"dense": ""}, {"dense": "0"}):
            self.assertIsNone(gaps.gap_of({**row, **change}))

    def test_no_law_is_used_since_none_is_better_than_no_loss_at_all(self):
        """A quarter of the density loses four times what half of it does, by the law; held-out papers say otherwise."""
        self.assertAlmostEqual(gaps.of_density(gaps.Gap("a", "n", "top-1", "weights", 1, 4, 0.0),
                                               [gaps.Gap("b", "n", "top-1", "weights", 2, 4, 0.5)]), 2.0, 12)
        found = {one.law: one for one in gaps.gap_errors(gaps.published_gaps())}
        self.assertGreater(found["the nearest published one"].rows, 100)
        none = found.pop("no loss at all")
        for one in found.values():
            self.assertGreater(one.median, none.median, one)


class Documents(unittest.TestCase):
    def test_about_losses_are_made_of_shipped_files(self):
        """`make pays`, `make tta` and so on: what scripts/pages.txt says they are made of lies there, and not in out/."""
        root, groups, inputs, target = Path(__file__).resolve().parents[2], {}, {}, ""
        for line in (root / "scripts/pages.txt").read_text(encoding="utf-8").splitlines():
            kind, *words = line.split() or [""]
            if kind == "group":
                groups[words[0]] = words[1:]
            elif kind == "target":
                target = words[0]
            elif kind == "from":
                inputs.setdefault(target, []).extend(one for word in words for one in groups.get(word, [word]))
        for target in ("pays", "patterns", "study", "tta"):
            self.assertGreater(len(inputs[target]), 5, target)
            for pattern in inputs[target]:
                self.assertTrue(any(root.glob(pattern)) and not pattern.startswith("out"), f"{target}: {pattern}")


@unittest.skipUnless("STCSIM" in os.environ, "needs the program")
class Command(unittest.TestCase):
    def asked(self, *words):
        """What `stcsim tta --curves-only` says of the first 60 % of a public run of 3175 steps, under another name."""
        run = next(run for run in TRACK if run.source.endswith("20260506_trustlight"))
        with tempfile.TemporaryDirectory() as folder:
            for name, points in (("new.csv", run.until(0.6).points), ("old.csv", run.points)):
                Path(folder, name).write_text("step,val_loss\n" + "".join(f"{x:.0f},{loss}\n" for x, loss in points))
            return run, subprocess.run([os.environ["STCSIM"], "tta", "--curves-only", "new.csv", *words], cwd=folder,
                                       capture_output=True, text=True, check=False)

    def test_the_step_is_said_and_what_it_is_by(self):
        run, said = self.asked("--target", "3.3", "--planned", "3175", "--format", "json")
        found = json.loads(said.stdout)["runs"][0]
        self.assertTrue(found["low"] < found["step"] < found["high"])
        self.assertAlmostEqual(found["step"] / run.crossing(3.3), 1, delta=0.005)
        self.assertEqual((found["seen"], found["siblings"], found["by"]), (1875, 4, run.source))
        text = self.asked("--target", "3.3", "--planned", "3175")[1].stdout
        self.assertIn(f"new.csv reaches 3.3 at {found['step']:,.0f} steps, in nine of ten cases", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80 + len(run.source))

    def test_finished_runs_replace_public_ones(self):
        run, said = self.asked("--target", "3.3", "--planned", "3175", "--against", "old.csv", "--format", "json")
        found = json.loads(said.stdout)["runs"][0]
        self.assertEqual((found["siblings"], found["by"]), (1, "--against"))
        self.assertAlmostEqual(found["step"], run.crossing(3.3), 6)  # it is itself

    def test_what_cannot_be_predicted_is_refused(self):
        for words, error in ((("--target", "3.3", "--planned", "1900"), "up to 99% of --planned 1900, must have three"),
                             (("--target", "3.9", "--planned", "3175"), "new.csv has reached 3.9"),
                             (("--target", "3.3", "--planned", "6000"), "--against must name finished runs"),
                             (("--target", "3", "--planned", "3175", "--against", "old.csv"),
                              "--against old.csv never reaches 3"),
                             (("--target", "3.3", "--planned", "3175", "--higher-is-better"), "only the rest of a loss"),
                             (("--target", "3.3", "--planned", "3175", "--rate-decay", "7"), "--rate-decay is '7', must be")):
            said = self.asked(*words)[1]
            self.assertIn(error, said.stderr)
            self.assertNotIn("Traceback", said.stderr)
            self.assertEqual(said.stdout, "")
            self.assertEqual(said.returncode, 2)

    def test_without_a_request_errors_are_printed(self):
        said = subprocess.run([sys.executable, "-B", "-m", "stcsim.losses"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=True)
        self.assertIn("| linear law of the rest, of other configurations | 185 |", said.stdout)
        self.assertIn("| the nearest published one |", said.stdout)

    def test_families_have_four_schemes_with_a_value_and_its_source_each(self):
        """Published of the network, or of own small trainings; what is neither is unknown."""
        for network, target, schemes in (("gpt2_124m", "dense+0.02nats", "dense, fst, slope"),
                                         ("gpt2_774m", "dense+0.02nats", "dense, fst, slope"),
                                         ("bert_large", "dense-0.5", "dense, asp, slope, fst, mvue-1-2"),
                                         ("resnet50", "dense-0.3", "dense, asp, sr-ste, sdgp, bi-mask")):
            words = ["tta", network, "--target", target, "--set", f"schemes=[{schemes}]", "--format", "json"]
            machine = "a100" if network in ("bert_large", "resnet50") else "h100_sxm"
            said = subprocess.run([os.environ["STCSIM"], *words, "--set", f"machines=[{machine}]"], capture_output=True,
                                  text=True, check=True)
            document = json.loads(said.stdout)
            results = [one for one in document["results"] if one["scheme"] != "dense"]
            known = [one["scheme"] for one in results if one["published"] or one["own"]]
            self.assertGreaterEqual(len(known) + len(document["others"]), 4, (network, known, document["others"]))
            for one in results:
                self.assertEqual(one["verdict"] == "unknown", one["predicted"] is None, one["scheme"])
                self.assertEqual(one["published"] is None, "published final" not in one["evidence"], one["scheme"])
            for other in document["others"]:
                self.assertRegex(other, r"published final .* \(.+\)$")


if __name__ == "__main__":
    unittest.main()
