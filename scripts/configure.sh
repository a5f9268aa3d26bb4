#!/usr/bin/env bash
# configure.sh PRESET: configures a preset's build directory, whatever state the directory is in.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
directory=build
[ "$preset" = release ] || directory=build-$preset

# A cache left by another generator, another checkout or an interrupted first run cannot be reused.
fresh=()
cache=$directory/CMakeCache.txt
if [ -d "$directory" ] &&
   ! { grep -qxF 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache" &&
       grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; } 2>/dev/null; then
  fresh=(--fresh)
fi

# Stated each time, so that a compiler cache removed since the last run is forgotten.
launcher=$(command -v ccache || true)
cmake --preset "$preset" "${fresh[@]}" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >/dev/null
