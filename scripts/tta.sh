#!/usr/bin/env bash
# tta.sh [JOBS]: writes results/tta.md: time to accuracy from simulated steps and published learning curves, from the
# files in configs/.
set -euo pipefail
cd "$(dirname "$0")/.."
export STCSIM_CONFIG_DIR=$PWD/configs
jobs=${1:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

tta() { build/stcsim tta "$@" --format markdown --jobs "$jobs" --cache "$scratch/cache"; }

{
  cat <<'TEXT'
# Time to accuracy

Made by `make tta`: `stcsim tta EXPERIMENT --format markdown` of the experiments named below. [docs/accuracy.md](../docs/accuracy.md)
has the definitions.

## CNN

### ResNet-50: which scheme gets to 75.9 % first?

A measured dense curve, and published final values of sparse trainings (`tta_resnet50`).

TEXT
  tta tta_resnet50
  cat <<'TEXT'

### SDGP's Fig. 10: larger groups at the same ratio, ResNet-9 with a batch of 512

McDanel et al. compare 4:32 with 16:32 (and 2:4) by counting: dgrad is a third of the convolutions' time and
shortened by the pattern's factor, pruning costs nothing. What the hardware makes of it (`tta_resnet9`):

TEXT
  tta tta_resnet9
  cat <<'TEXT'

The paper's count, on a machine where nothing but multiplications takes time (`--set 'machines=[ideal]' --set framework=ideal
--set stream_kernels=false`), comes out as published:

TEXT
  tta tta_resnet9 --set 'machines=[ideal]' --set framework=ideal --set stream_kernels=false | sed -n '/^### Pairs/,/^|/p' |
    grep '^- '
  cat <<'TEXT'

The A100 has no such hardware: 4:8, 8:16, 16:32 and 4:32 run dense there and pay for pruning all the same, so the whole
of what the paper saves would have to come from fewer epochs. On `a100_nm`, which has the patterns, most of the time
of an epoch is forward, wgrad and what moves bytes, which the pattern does not shorten.

### SDGP's ImageNet training of ResNet-18: resolution 160, then 192

A training in two parts, each with its own simulated step (`tta_resnet18`).

TEXT
  tta tta_resnet18
  cat <<'TEXT'

### Measured: ResNet-50 of MLPerf v2.0 on one DGX A100

Eight GPUs (`tta_mlperf_resnet50`). Nothing was fitted: the step is that of `stcsim run`, the number of epochs that of the measured
run. Evaluations, the input and the exchange of gradients are in the measured times and not in the simulated ones.

TEXT
  tta tta_mlperf_resnet50
  cat <<'TEXT'

## BERT

### BERT-Large, 0.5 points of F1 below dense

`stcsim tta bert_large --target dense-0.5`: what was published is F1 on SQuAD of whole pre-trainings.

TEXT
  tta bert_large --target dense-0.5
  cat <<'TEXT'

### Measured: BERT-Large of MLPerf v2.0 on one DGX A100

Eight GPUs (`tta_mlperf_bert`), as above.

TEXT
  tta tta_mlperf_bert
  cat <<'TEXT'

The same with every sequence padded to 512 tokens, which NVIDIA's code does not do:

TEXT
  tta tta_mlperf_bert --set networks.0.name=bert_large_pretraining_s512
  cat <<'TEXT'

## GPT

GPT-2 small, medium and 774M, 0.02 nats above dense: `stcsim tta gpt2_124m --target dense+0.02nats` and so on.

TEXT
  for network in gpt2_124m gpt2_350m gpt2_774m; do tta "$network" --target dense+0.02nats; done
  cat <<'TEXT'

## How far off the laws are

`python3 -m stcsim.losses`, from `configs/curves/dense_runs.csv` and `final_values.csv`. A law that is used is the first of its table.

TEXT
  STCSIM=build/stcsim PYTHONPATH=python python3 -B -m stcsim.losses --errors
} >"$scratch/tta.md"

mv "$scratch/tta.md" results/tta.md
echo "wrote results/tta.md"
