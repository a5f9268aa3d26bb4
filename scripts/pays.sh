#!/usr/bin/env bash
# pays.sh [JOBS]: writes results/pays.md: which n:m is worth hardware at a loss of at most 0.1, 0.5 and 1 point, on SDGP's
# published grid and on own trainings, whose curves are those of configs/curves/study.csv.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
out=out/pays
mkdir -p "$out"
rm -rf "$out"/*.sqlite "$out/cache"

awk -v to=out/study -f scripts/unpack_curves.awk configs/curves/study.csv >"$out/tasks"

# design SPACE LOSS [OPTIONS]: what `stcsim design` answers.
design() { build/stcsim design "$1" --target "dense-$2" --jobs "$jobs" --results "$out/$1.sqlite" --format markdown "${@:3}"; }

# narrow: of a front, the fastest that is within with 2:4's own widths, as a line of the answer.
narrow() {
  awk -F ' *[|] *' '$3 == "widths x1" && $5 == "yes" { printf "- with 2:4'"'"'s widths: %s, %s, %s of dense, area %s\n", $2, $6, $7, $9; exit }'
}

# part SPACE [OPTIONS]: the answers for each loss, and the front, which is the same for all.
part() {
  local loss answer
  for loss in 0.1 0.5 1; do
    answer=$(design "$1" "$loss" "${@:2}")
    printf '\n**At most %s points:**\n\n' "$loss"
    grep -E '^- (answer|may be)' <<<"$answer"
    grep -q 'not distinguishable' <<<"$answer" || narrow <<<"$answer"
  done
  printf '\n%s\n\n' "$(sed -n 's/^- losses/Losses/p' <<<"$answer")"
  sed -n '/^|/,$p' <<<"$answer"
}

tta() { build/stcsim tta "$@" --jobs "$jobs" --cache "$out/cache" 2>/dev/null; }

# times [OPTIONS]: the table of times of Fig. 10, without what it rests on.
times() { tta tta_figure_10 --format markdown "$@" | sed -n '/^| scheme | reached/,/^$/p' | sed -E 's/\|[^|]*\|$/|/'; }

{
  cat <<'TEXT'
# Which n:m pays, in hours and points?

Made by `make pays` (scripts/pays.sh): `stcsim design SPACE --target dense-LOSS` and `stcsim tta`.
[docs/hardware.md](../docs/hardware.md#designs-that-keep-an-accuracy) says how a winner is named, and when none is. All machines are A100s
whose sparse tensor cores know one pattern more, with ways of operand B as wide as 2:4's (x1), twice and four times that; nobody has built
one. In the tables *within* is whether a scheme is known to lose no more than one point.

## SDGP's published grid, ResNet-9 on CIFAR-10
TEXT
  part pays_resnet9
  cat <<'TEXT'

**What this cannot tell**: the published values are one run each, of one network that loses little under any pattern. Others lose
more: RegNetX-400MF 0.9 points with 2:4, as published.

## The same hardware, accuracies of own trainings on images
TEXT
  part pays_resnet9 --set accuracy.task=images
  cat <<'TEXT'

**What small networks cannot tell**: this one has 16 to 64 channels, so a group of 32 is all of a pixel's gradient in half of its layers, and
512 steps of training leave little time to make up for a bad one. It contradicts the publication above, where 4:32 loses 0.4 points and
1:8 0.6. Neither is wrong: they are other networks, and a user's is a third one.

## Own trainings on tokens, steps of BERT-Large
TEXT
  part pays_bert_large
  cat <<'TEXT'

**What small networks cannot tell**: SDGP was published for convolutions alone, and this task was made to punish biased pruning.

## Beside it: the answer without accuracy

[exploration.md](exploration.md) (`make explore`) answers another question: which tensor core is worth its area and energy, of machines with
ways of their own for each unit. It knows no loss, so it can name another pattern. What that pattern loses stands in the tables above.
[patterns_to_build.md](patterns_to_build.md) (`make patterns_to_build`) joins both: one recommendation, and what would change it.

## "I accept 0.3 points on ResNet-50"

TEXT
  echo '```text'
  echo '$ stcsim tta pays_resnet50 --target dense-0.3'
  tta pays_resnet50 --target dense-0.3
  echo '```'
  cat <<'TEXT'

## SDGP's Fig. 10 from own curves

McDanel et al. say that 4:32 gets to 94.5 % "27 %" faster than 16:32 (section IV-C), or than 2:4 (conclusion), by a count that charges
no pruning: 1.27 times as fast, or in 27 % less time, which is 1.37 times. Own curves of five seeds (`tiny_resnet9` on generated images)
with the simulated steps of ResNet-9 (`tta_figure_10`), to a target that all reach; *speedup* of 4:32 is over 16:32, of the others
over dense, and *between* has the seeds and the steps' errors:

TEXT
  times
  echo '4:32 held against 2:4:'
  echo
  times --set time_to_accuracy.trainings.0.against=sdgp | grep -E '^\| *(scheme|sdgp-4:32) |^\|--'
  echo
  echo 'To the same share of the end of our dense runs that 94.5 is of the published 95.3:'
  echo
  times --target "$(awk -F, '$1 == "images" && $2 == "dense" { end = $5 } END { printf "%.4f", end * 94.5 / 95.3 }' \
    configs/papers/trained.csv)"
  cat <<'TEXT'
**What small networks cannot tell**: here 4:32 takes more epochs than 16:32 and 2:4, and more time by it; for the published figure it
would have to take fewer. Both are shown; which of them a network of the user's does, nobody knows before it is trained.

## How well a loss at the end predicts the way there

Dense curve and final loss alone, against what was trained. The interval that results carry is tried on other rows than it is made of
(`tests/unit/curves/loss_count_test.cpp`); here it is that of all means.

TEXT
  node scripts/loss_counts.mjs out/study/images out/study/tokens
  cat <<'TEXT'

**What small networks cannot tell**: curves of eight epochs with a learning rate that falls to 0, and accuracies that begin near chance. A
large network's curve is flat for most of its training, where a small loss is many epochs.
TEXT
} >"$out/pays.md"

mv "$out/pays.md" results/pays.md
echo "wrote results/pays.md"
