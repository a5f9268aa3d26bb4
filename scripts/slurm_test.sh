#!/usr/bin/env bash
# slurm_test.sh [PROGRAM]: what `stcsim sweep emit --slurm` writes, on a real Slurm of one node: an array of tasks, one
# of which is killed in the middle and submitted again, and the merge after them. The result must equal, byte for byte,
# that of one process. Brings up munged, slurmctld and slurmd (Debian's packages, `scripts/install-deps.sh slurm`) in a
# folder of its own, on the loopback interface, without systemd, and ends them again. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
stcsim=$(realpath "${1:-build/stcsim}")
export STCSIM_CONFIG_DIR=$PWD/configs
shards=4
folder=$(mktemp -d)
daemons=()

# Ends what was started here, by its number; Slurm's daemons end their tasks.
finish() {
  local status=$?
  [ $status -eq 0 ] || tail -n 20 "$folder"/*.log "$folder"/shards/*.log 2>/dev/null || true
  [ ${#daemons[@]} -eq 0 ] || scancel --quiet --user=root 2>/dev/null || true
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
  for daemon in "${daemons[@]}"; do wait "$daemon" 2>/dev/null || true; done
  rm -rf "$folder"
  exit $status
}
trap finish EXIT

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
  local until=$((SECONDS + $1))
  shift
  while ! "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $until ]; then
      echo "slurm_test.sh: gave up waiting for: $*" >&2
      return 1
    fi
    sleep 0.2
  done
}

start_cluster() {
  local node port
  node=$(hostname -s)
  port=$((20000 + RANDOM % 20000))
  mkdir -p "$folder"/{munge,spool,state,shards}
  chmod 755 "$folder" "$folder/munge"
  dd if=/dev/urandom of="$folder/munge/key" bs=1 count=1024 status=none
  chmod 600 "$folder/munge/key"
  cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES
SlurmUser=root
AuthInfo=socket=$folder/munge/socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=0
ReturnToService=2
CONF
  export SLURM_CONF=$folder/slurm.conf
  munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge.log" --seed-file="$folder/munge/seed" >/dev/null 2>&1 &
  daemons+=($!)
  wait_until 30 test -S "$folder/munge/socket"
  slurmctld -D -i >"$folder/slurmctld.log" 2>&1 &
  daemons+=($!)
  slurmd -D -N "$node" >"$folder/slurmd.log" 2>&1 &
  daemons+=($!)
  wait_until 60 bash -c 'sinfo --noheader --format=%T | grep -qx idle'
}

state_of() { scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p' | sort -u | tr '\n' ' '; }
is_state() { [ "$(state_of "$1")" = "$2 " ]; }
is_over() { [[ ! "$(state_of "$1")" =~ PENDING|RUNNING|COMPLETING|CONFIGURING ]]; }

# Points take about a second each in one process, so that there is a middle to be killed in.
cat >"$folder/space.yaml" <<'SPACE'
description: the test of Slurm
machines: [a100_nm]
gemms: [1024x2048x1024, 2048x1024x4096, 1000x3000x2000]
axes:
  gemm.pattern: ["2:4", "1:8", "4:32"]
  machine.accelerator.num_sms: {from: 36, to: 108, step: 6}
  machine.accelerator.sm.operand_selector.b_bytes_per_clk: [64, 256]
SPACE
"$stcsim" sweep run "$folder/space.yaml" --results "$folder/single.sqlite" --jobs 2
"$stcsim" sweep export "$folder/space.yaml" --results "$folder/single.sqlite" --output "$folder/single.csv"

start_cluster
echo "Slurm is up: $(sinfo --noheader --format='%n %c CPUs %T')"
"$stcsim" sweep emit "$folder/space.yaml" --slurm --shards $shards --directory "$folder/shards" \
  --results "$folder/merged.sqlite" --output "$folder/submit.sh"
bash "$folder/submit.sh" >"$folder/merge_job"
merge=$(cat "$folder/merge_job")
array=$(scontrol show job "$merge" | sed -n 's/.*Dependency=afterok:\([0-9]*\).*/\1/p')

# The second task, killed with what it started as soon as its file has some points.
has_points() {
  local done
  done=$("$stcsim" sweep status "$folder/space.yaml" --results "$1" --format json | grep -o '"done": [0-9]*') &&
    [ "${done#*: }" -gt 0 ]
}
wait_until 60 has_points "$folder/shards/shard-2.sqlite"
scancel --signal=KILL --full "${array}_2"
wait_until 60 is_over "${array}_2"
kept=$("$stcsim" sweep status "$folder/space.yaml" --results "$folder/shards/shard-2.sqlite")
echo "killed: $kept"
wait_until 300 is_over "$array"
wait_until 60 is_state "$merge" CANCELLED  # its condition cannot be met any more
[ ! -e "$folder/merged.sqlite" ]

bash "$folder/submit.sh" 2 >"$folder/merge_job"
wait_until 300 is_state "$(cat "$folder/merge_job")" COMPLETED
cat "$folder/shards/shard-2.log" "$folder/shards/merge.log"
"$stcsim" sweep export "$folder/space.yaml" --results "$folder/merged.sqlite" --output "$folder/merged.csv"
cmp "$folder/single.csv" "$folder/merged.csv"
echo "slurm_test.sh: the merged result is that of one process"
