#!/usr/bin/env bash
# asked.sh measured|NAME: tables of docs/asked.md. `measured` has GEMMs that threads timed; the others have a row for each thread of
# that part: its names and links, what it asks, the answer, with what a command prints in place of {}, and where to see it.
set -euo pipefail
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

# links NAME...: "repository/project#1" as a link, numbers alone of the project before.
links() {
  local text='' project=x/x name
  for name in "$@"; do
    if [[ $name == *'#'* ]]; then project=${name%#*}; fi
    text+="${text:+, }[${project#*/}#${name##*#}](https://github.com/$project/issues/${name##*#})"
  done
  echo "$text"
}

# said COMMAND: what it says in its first lines, as part of a sentence. Other software is said below them.
said() {
  local alone=''
  if [[ $1 =~ ^stcsim\ (gemm|run)\  && $1 != *--functional* ]]; then alone=--no-spread; fi
  eval "$1 $alone" 2>/dev/null >"$lines" || return
  tr '\n' ' ' <"$lines" | sed 's/  */ /g' | case $1 in
    *--functional*) sed -n 's/.*functional check: \([^.]*all equal\).*/\1/p' ;;
    *'stcsim explain'*) sed -n 's/.*\(2:4 gains [0-9.]*\), not.*/\1/p' ;;
    *'stcsim run'*) grep -oE '(fastest|best) [a-z0-9-]+, [^(]*\([^)]*\)' | sed -n '1s/^[a-z]* //p' ;;
    *--sparsity*) sed -n 's/^[^(]*([^)]*).* takes \([^,]*, [^,]* as fast as dense ([^)]*)\).*/\1/p' ;;
    *) sed -n 's/.*dense takes \([^,]*, [^ ]* % of peak\).*/\1/p' ;;
  esac | sed 's/ likely .*//'
}

# live COMMAND: the live page of a GEMM, if it says all that the command does.
live() {
  [[ $1 =~ ^stcsim\ (gemm|explain)\ --arch\ ([a-z0-9_]+)\ ([0-9]+)\ ([0-9]+)\ ([0-9]+)(\ --(dtype|sparsity)\ [^-]+)*$ ]] || return 0
  local query="arch=${BASH_REMATCH[2]}&m=${BASH_REMATCH[3]}&n=${BASH_REMATCH[4]}&k=${BASH_REMATCH[5]}" dtype=fp16 sparsity=dense
  if [[ $1 =~ --dtype\ ([a-z0-9_]+) ]]; then dtype=${BASH_REMATCH[1]}; fi
  if [[ $1 =~ --sparsity\ \'?([0-9:]+( pairs)?) ]]; then sparsity=${BASH_REMATCH[1]/ /+}; fi
  echo "; \`live.html?$query&dtype=$dtype&sparsity=$sparsity\`"
}

rows() {
  local names asks answer command number
  echo '| thread | asks | answer | see |'
  echo '|---|---|---|---|'
  while IFS='|' read -r names asks answer command; do
    number=
    if [[ $answer == *'{}'* ]]; then number=$(said "$command"); [ -n "$number" ] || { echo "$command: says nothing" >&2; return 1; }; fi
    echo "| $(links $names) | $asks | ${answer/\{\}/$number} | \`$command\`$(live "$command") |"
  done
}

case $1 in
  measured)
    echo '| thread | GEMM | measured there | stcsim | off |'
    echo '|---|---|---:|---:|---:|'
    while IFS='|' read -r names card sizes measured options; do
      said "stcsim gemm --arch $card $sizes --sparsity 2:4 $options" >/dev/null
      ours=$(tr '\n' ' ' <"$lines" | sed 's/  */ /g; s/ software: .*//; s/.*, \([0-9.]*\)x as fast.*/\1/')
      awk -v t="$(links $names)" -v c="$card" -v s="$sizes" -v m="$measured" -v o="$ours" 'BEGIN {
        gsub(" ", "×", s); printf "| %s | %s, %s | %sx | %sx | %+.0f %% |\n", t, s, c, m, o, 100 * (o / m - 1) }'
    done <<'END'
NVIDIA/CUDALibrarySamples#203|h100_sxm|8192 8192 8192|1.21
NVIDIA/cutlass#1335|h100_sxm|768 4096 4096|0.616|--stack ampere_kernels --dtype bf16
NVIDIA/cutlass#2229|h100_sxm|8192 4096 4096|1.2
pytorch/pytorch#177866|h100_sxm|3072 3072 10240|1.15
pytorch/pytorch#153825|h100_sxm|3072 3072 10240|0.412|--framework pytorch_2_semi_structured_inference
NVIDIA/CUDALibrarySamples#57|a100|4096 4096 4096|1.11
pytorch/pytorch#111339|a100|4096 32 4096|0.111|--framework pytorch_2_semi_structured_inference
END
    ;;
  kernels)
    rows <<'END'
NVIDIA/cutlass#2229 NVIDIA/CUDALibrarySamples#203|why only 20 % at 8192 cubed on an H100|{}. The bus to the SMs and the board's power hold it back, not a badly chosen kernel|stcsim explain --arch h100_sxm 8192 8192 8192 --sparsity 2:4
NVIDIA/cutlass#1335|sparse much slower than dense on an H100|{}. CUTLASS ran the A100's sparse kernels there. The sign is right, the sparse time is too short|stcsim gemm --arch h100_sxm 768 4096 4096 --stack ampere_kernels --dtype bf16 --sparsity 2:4
NVIDIA/CUDALibrarySamples#57|less than the blog says at 4096 cubed|{}. We are furthest off here: both took longer there than we say|stcsim gemm --arch a100 4096 4096 4096 --sparsity 2:4
NVIDIA/CUDALibrarySamples#228|much slower than cuBLAS at 320, 320, 640|{}. So it is, by the kernel that the library takes|stcsim gemm --arch a100 320 320 640 --sparsity 2:4
NVIDIA/CUDALibrarySamples#301|int8 gains only 30 %; bindings for Python|{}; the interval is wide. `stcsim.gemm()` is the client|stcsim gemm --arch rtx4090 2048 3072 3072 --dtype int8 --sparsity 2:4
NVIDIA/CUDALibrarySamples#253|where the sparse fp4 peak of an RTX 5090 is|{}: power ends it before the peak. Its kernels are assumed|stcsim gemm --arch rtx5090 16384 16384 16384 --dtype nvfp4 --sparsity '4:8 pairs'
Lightning-AI/pytorch-lightning#21677 21743 pytorch/pytorch#182023|is the sparse peak taken for the dense one in MFU|{}. The table has both shares: `of dense peak` and `of sparse peak`|stcsim gemm --arch h100_sxm 8192 8192 8192 --sparsity 2:4
END
    ;;
  calls)
    rows <<'END'
pytorch/pytorch#153825 177866 pytorch/ao#1617|one linear layer is slower with 2:4 on an H100|{} of kernels. The call is slower: cuSPARSELt's descriptors are made anew, which `--framework pytorch_2_semi_structured_inference` adds|stcsim gemm --arch h100_sxm 3072 3072 10240 --sparsity 2:4
pytorch/pytorch#111339|one row, padded to 32, is nine times slower|{} of kernels, which read half of the weights. The call was measured|stcsim gemm --arch a100 4096 32 4096 --sparsity 2:4
pytorch/tutorials#3236 3505|the tutorial's BERT is slower at every batch|{}: nothing is surely gained. The host's part is missing here|stcsim run --network bert_base_s384 --batch 64 --arch h100_sxm --schemes asp --phase inference
NVIDIA/FasterTransformer#767|GPT is not faster, whatever the batch|{} for one token of 64 requests, without calls: we say the opposite|stcsim gemm --arch a100 4096 64 16384 --sparsity 2:4
NVIDIA/TensorRT-LLM#1913 NVIDIA/Model-Optimizer#36|fp8 and 2:4 gain nothing in serving on an RTX 4090|{} for 16 tokens and a kernel that reads half of the weights. TensorRT-LLM did not choose one; serving itself is not simulated|stcsim gemm --arch rtx4090 14336 16 4096 --dtype fp8_e4m3 --sparsity 2:4
NVIDIA/Model-Optimizer#44|Llama-2-70B sparse, as in MLPerf|{} for a product of the prefill. Serving is not simulated|stcsim gemm --arch h100_sxm 28672 4096 8192 --dtype fp8_e4m3 --sparsity 2:4
NVIDIA/TensorRT#2310|InceptionV3 is slower at batch 256 on an A6000|Neither is shipped: import the ONNX file. ResNet-50 on the same die: {}|stcsim run --network resnet50 --batch 256 --arch rtx3090 --schemes asp --phase inference
pytorch/ao#143 1136|end-to-end results are fragmented|All shipped schemes on several networks and machines in [one table](../results/schemes.md)|stcsim run --network resnet50 --arch a100 --schemes all
END
    ;;
  cards)
    rows <<'END'
pytorch/ao#174|what consumer cards gain|{}. Machines are `rtx3090`, `rtx4090`, `rtx5080`, `rtx5090`; a 4070 is not one|stcsim gemm --arch rtx4090 4096 4096 4096 --sparsity 2:4
ROCm/rocm-libraries#1562|fp8 with 2:4 on an MI300X|{} if a library had it. Gains on this card are too large in validated rows|stcsim gemm --arch mi300x 8192 8192 8192 --dtype fp8_e4m3 --sparsity 2:4
NVIDIA/TransformerEngine#2565 2807|where 50 PFLOPS come from on Rubin|Not public. [This page](../results/spcompress.md) says what attention gains if scores are compressed on the fly. A dense product: {}|stcsim gemm --arch rubin 16384 16384 16384 --dtype nvfp4
END
    ;;
  training)
    rows <<'END'
pytorch/ao#1574|fp8 and 2:4 training together|Scheme `s-ste` does both: {} in a small model, whose casts cost more than is gained|stcsim run --network bert_base_s128 --arch h100_sxm --schemes s-ste
pytorch/ao#1920|memory of packed activations|Scheme `torchao-activations` packs them; `--layers` has the memory of a step. No shipped network has squared ReLU (`relu_squared`)|stcsim run --network gpt2_124m --arch h100_sxm --schemes torchao-activations --layers
vllm-project/llm-compressor#952 unslothai/unsloth#1370|is LoRA faster on a sparse frozen base|{} with kernels alone. PyTorch 2.11's copies take most of it (`--framework pytorch_2_11_eager_bf16`). Nobody measured it|stcsim run --network llama3_1b --arch h100_sxm --dtype bf16 --schemes slope --set networks.0.lora.rank=16
vllm-project/llm-compressor#1028 1638 axolotl-ai-cloud/axolotl#2479|recipes of sparse fine-tuning|The step is simulated, with masks that stay: {}. The recipe's accuracy is not known here|stcsim run --network llama3_1b --arch h100_sxm --dtype bf16 --schemes slope
vllm-project/llm-compressor#1800|25 % more throughput, HumanEval falls from 0.84 to 0.66|No answer: `tta` knows losses of trainings, not of one-shot pruning; serving is not simulated|stcsim tta gpt2_774m --target dense+0.02nats
END
    ;;
  simulators)
    rows <<'END'
accel-sim/accel-sim-framework#210 gpgpu-sim/gpgpu-sim_distribution#216|a sparse tensor core in a simulator|Here it is, with metadata, selector and values: {}|stcsim gemm --arch a100 256 256 256 --sparsity 2:4 --functional
accel-sim/accel-sim-framework#467|an A100's fp16 GEMM is three times too slow|{}|stcsim gemm --arch a100 4096 4096 4096
accel-sim/accel-sim-framework#482 451 393|meaning of latency and interval of HMMA|Issue to result, and the time between two issues: the [slowest stage](machine.md#sub_core)|stcsim evidence rows configs/validation/instructions.csv
accel-sim/accel-sim-framework#394 385 405|are A100, H100, RTX 5090 and Ada supported|All four families are; a smaller card is a [file of a few lines](cli.md#new-machine)|stcsim list arch
accel-sim/accel-sim-framework#457|power over time of one kernel|Mean power, clock and joules by unit; no trace over time|stcsim gemm --energy --arch a100 4096 4096 4096
accel-sim/accel-sim-framework#284|make it fast again|States that recur are skipped, and results stay exact ([figures](../results/performance.md))|stcsim gemm --arch a100 8192 8192 8192
accel-sim/accel-sim-framework#281 144 sarchlab/mgpusim#182|traces of a card that one does not have|No traces are needed: work is GEMMs and networks|stcsim run --network resnet50 --arch h200
scalesim-project/scale-sim-v3#6 scalesim-project/SCALE-Sim#125|the sparse data flow; cycles off by one|[machine.md](machine.md#stages) explains it; every cycle is in one bucket, and a timeline shows each|stcsim gemm --arch a100 256 256 256 --sparsity 2:4 --timeline t.json
NVlabs/timeloop#158 Accelergy-Project/timeloop-accelergy-exercises#25|a sparse tensor core, and dense work on it|{} on Sparseloop's core|stcsim gemm --arch stc_1024 128 128 1024 --dtype int8 --sparsity 2:4
NVlabs/timeloop#240|weights of a trained model in the analysis|One layer at a time, from NumPy files; `prune` reads checkpoints|stcsim gemm --arch a100 1024 1024 1024 --sparsity 2:4 --functional --operand-a w.npy
END
    ;;
  *) echo "asked.sh: no such part: $1" >&2; exit 2 ;;
esac
