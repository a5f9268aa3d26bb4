#!/usr/bin/env bash
# one_of_each.sh: what the program has one of, and where. A second type of job, loop over worker processes, wire format,
# parser of JSON (its limits of depth and keys) is named, and fails; so is another table that
# lists quantities, whatever it is called, an option's name written twice, and a text read as a number by std::sto*.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

# only WHAT EXPRESSION PLACE FOLDER...: of the sources in the folders, the expression stands in those of PLACE alone.
only() {
  local what=$1 expression=$2 place=$3 found
  shift 3
  found=$(grep -lrE --include=*.cpp --include=*.hpp "$expression" "$@" | sort)
  [ -n "$found" ] && ! grep -qv "^$place" <<<"$found" && return
  echo "$what: one, in $place; found in: $found"
  failed=1
}

everything=(cli common curves models pruning reports sim workloads)
only 'type of a job' '^(struct|class) [A-Za-z]*Job \{' sim/job/ sim reports cli
only 'process of a worker' '::fork\(\)' common/io/worker_process.cpp "${everything[@]}"
only 'loop over jobs of the simulator' '\brun_jobs\(' sim/job/job_runner.cpp sim reports cli
only 'wire format' '\b(to|from)_cbor\(' sim/job/answer_codec.cpp "${everything[@]}"
only 'parser of JSON' '[jJ]son::(parse|accept|sax_parse)\(' common/io/json_ "${everything[@]}"
# An option's name stands where it is described. Whoever reads or allows it names that, which the compiler checks.
only 'description for the parser' 'add_options\(\)' cli/base/arguments.cpp cli
described=$(find cli -name '*.[ch]pp' -print0 | xargs -0 cat | tr '\n' ' ' | grep -oE '\bOption( [A-Za-z_]+)?\{ *"[^"]*"' | sed 's/.*"\(.*\)"/\1/' | sort)
twice=$(uniq -d <<<"$described")
[ "$(wc -l <<<"$described")" -gt 100 ] && [ -z "$twice" ] || { echo "options described more than once:" $twice; failed=1; }
if tables=$(find cli -name '*.[ch]pp' -print0 | xargs -0 grep -nE '\barguments\.[a-z_]+\(\{?"'); then
  echo "an option's name in a text, not its description: $tables"
  failed=1
fi

# What a step is made of has one list, a GEMM's figures another. The others say again what the first says: none may come to
# them, and one that goes leaves this list too.
tables=$(find sim reports cli -name '*.[ch]pp' -print0 | xargs -0 awk -f scripts/quantity_tables.awk | sort)
known='reports/run/study_report.cpp kPhaseColumns
sim/design/work_runner.cpp kWorkPartNames
sim/run/result.hpp kTotalParts
sim/sweep/gemm_figures.cpp kStepParts'
if [ "$tables" != "$known" ]; then
  echo 'lists of quantities: found (>) are others than known (<):'
  diff <(echo "$known") <(echo "$tables") | grep '^[<>]' || true
  failed=1
fi

# What a user writes is read whole or refused: these throw of their own, or read the half of it. number_from() is one of them.
if grep -rnE --include=*.cpp --include=*.hpp --exclude='csv_table.?pp' '\b(sto(i|l|ll|ul|ull|f|d|ld)|ato(i|l|ll|f)|strto(l|ll|ul|ull|f|d|ld))\(' "${everything[@]}" rtl; then
  echo 'numbers in texts: to_number, to_whole_number (common/io/csv_table.hpp)'
  failed=1
fi
exit "$failed"
