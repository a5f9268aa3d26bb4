#!/usr/bin/env bash
# configure.sh PRESET [-B DIRECTORY] [OPTION...]: configures a preset's build directory, or another, whatever its state.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
directory=build
[ "$preset" = release ] || directory=build-$preset
[ "${1:-}" != -B ] || directory=$2

# A cache left by another generator, compiler or checkout or an interrupted first run cannot be reused.
fresh=()
cache=$directory/CMakeCache.txt
if [ -d "$directory" ] &&
   ! { { [ "$preset" != asan ] || grep -q '^CMAKE_CXX_COMPILER:.*[=/]clang++$' "$cache"; } &&
       grep -qxF 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache" &&
       grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; } 2>/dev/null; then
  fresh=(--fresh)
fi

# Stated each time, so that a compiler cache or linker removed since the last run is forgotten. Precompiled headers
# are cached only with these checks off: they depend on nothing that time or macros of the command line change.
launcher=
! command -v ccache >/dev/null || launcher="env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache"
linker=
! command -v mold >/dev/null || linker=-fuse-ld=mold
cmake --preset "$preset" "${fresh[@]}" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
  -DCMAKE_EXE_LINKER_FLAGS="$linker" "$@" >/dev/null
