#!/usr/bin/env bash
# tutorial.sh COMMAND [FILTER]: a command of docs/tutorial.md and its output, through FILTER. It runs in a folder `bert` with the
# files that the tutorial writes: config.json by its `echo`, and blocks of YAML that begin with `# NAME`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bert"
cd "$folder/bert"
eval "$(grep -E "^echo .* >config.json$" "$root/docs/tutorial.md")"
awk '/^```$/ { name = "" } /^# [a-z_]+\.yaml$/ { name = $2 } name != "" { print >name }' "$root/docs/tutorial.md"
echo "\$ $1"
eval "$1" 2>/dev/null | eval "${2:-cat}"
