#!/usr/bin/env bash
# wasm.sh JOBS: the live page in build-wasm/live, for any server of files: live.html with what page/ has for it, and the program
# with the commands of wasm/commands.cpp and what they read of configs/ as WebAssembly, stcsim.js and stcsim.wasm, which Node runs
# too. What it needs stays in build-wasm/ from call to call: a root of Debian 13, whose Emscripten knows C++20, libraries built
# from this Debian's sources, and the page's packages. Needs root and Node.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1 root=build-wasm/root out=$PWD/build-wasm/libraries sources=$PWD/build-wasm/sources
mkdir -p "$sources" "$out/include" "$out/lib/pkgconfig"

if [ ! -e build-wasm/has-root ]; then
  rm -rf $root
  debootstrap --variant=minbase trixie $root >/dev/null
  chroot $root apt-get install --quiet --yes --no-install-recommends emscripten cmake ninja-build pkgconf make >/dev/null
  touch build-wasm/has-root
fi
# Runs a command in the root, which sees this folder and the machine's headers; Emscripten may add to its libraries there.
in_root() {
  unshare --mount bash -c 'root=$0; mkdir -p "$root/$PWD" "$root/host"; mount --bind "$PWD" "$root/$PWD"
    mount --bind /usr/include "$root/host"; mount --bind /proc "$root/proc"
    exec chroot "$root" env -C "$PWD" EM_FROZEN_CACHE=0 NODE_PATH=/usr/share/nodejs "$@"' "$root" "$@"
}

# Sources come from where apt has its packages from: lists of its own, so that the machine's stay as they are.
if [ ! -e "$sources/complete" ]; then
  mkdir -p "$sources/apt/lists"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    sort -u >"$sources/apt/sources.list"
  apt=(apt-get --quiet -o Dir::Etc::SourceList="$sources/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
       -o Dir::State::Lists="$sources/apt/lists" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
  "${apt[@]}" update
  wanted=$(dpkg-query --show --showformat='${source:Package}=${source:Version}\n' libsystemc-dev libfmt-dev libyaml-cpp-dev libmd-dev)
  # Of the names that a pattern finds, most are of releases that are not installed.
  boost=$(dpkg-query --show --showformat='${db:Status-Status} ${source:Package}=${source:Version}\n' 'libboost-program-options1*-dev' |
    sed -n 's/^installed //p')
  # shellcheck disable=SC2086
  (cd "$sources" && "${apt[@]}" source $wanted && "${apt[@]}" source --download-only "$boost" &&
    tar -xf boost1*.orig.tar.xz --strip-components=1 boost/libs/program_options/src)
  touch "$sources/complete"
fi

# Boost has function objects of old, and std::jthread is new, for this library.
options='-w -fwasm-exceptions -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION -D_LIBCPP_ENABLE_EXPERIMENTAL'
# library NAME OPTIONS FILE...: libNAME.a of these sources.
library() {
  local name=$1 own=$2
  shift 2
  [ ! -e "$out/lib/lib$name.a" ] || return 0
  rm -rf "$sources/objects"
  mkdir -p "$sources/objects"
  # shellcheck disable=SC2016
  printf '%s\n' "$@" | in_root xargs --max-args=1 --max-procs="$jobs" bash -c \
    'case $2 in *.c) compiler=emcc;; *) compiler="em++ -std=c++17";; esac
     $compiler -O3 -DNDEBUG $1 -c "$2" -o "$0/$(echo "${2#"$PWD"}" | tr / _).o"' "$sources/objects" "$options $own"
  # shellcheck disable=SC2046
  in_root emar rcs "$out/lib/lib$name.a" $(find "$sources/objects" -name '*.o' | sort)
}
systemc=$(echo "$sources"/systemc-*/src) fmt=$(echo "$sources"/fmtlib-*) yaml=$(echo "$sources"/yaml-cpp-*)
libmd=$(echo "$sources"/libmd-*) boost=$sources/libs/program_options/src
# Of what is never called the headers do, and those of the machine hold for any other.
ln -sfn "$systemc"/{systemc,sysc,tlm,tlm_core,tlm_utils} "$systemc"/{systemc,tlm}.h "$fmt/include/fmt" "$yaml/include/yaml-cpp" \
  "$libmd"/include/*.h /host/{boost,google,nlohmann,sqlite3.h,zlib.h,zconf.h} "$out/include"
# Threads of SystemC would be POSIX's, which a module of one thread has by name alone: the simulator has none.
# shellcheck disable=SC2046
library systemc "-DSC_BUILD -DSC_INCLUDE_FX -DSC_USE_PTHREADS -I$systemc" \
  $(find "$systemc/sysc" "$systemc/tlm_core" -name '*.cpp' -not -path '*/packages/qt/*')
library fmt "-I$fmt/include" "$fmt/src/format.cc"
library yaml-cpp "-I$yaml/include" "$yaml"/src/*.cpp
# shellcheck disable=SC2046
library boost_program_options "-I$out/include" $(find "$boost" -name '*.cpp' -not -name winmain.cpp)
touch "$sources/config.h"  # the defaults of its configure
library md "-I$libmd/include -I$sources -include unistd.h" "$libmd/src/sha2.c" "$libmd/src/sha256hl.c"

# found PACKAGE LIBRARY CMAKE_TARGET...: files by which pkg-config and CMake find it.
found() {
  local package=$1 library=${2:+$out/lib/lib$2.a} target folder=$out/lib/cmake/$1
  shift 2
  printf 'Name: %s\nDescription: %s\nVersion: 1\nCflags: -I%s\nLibs: %s\n' "$package" "$package" "$out/include" "$library" \
    >"$out/lib/pkgconfig/$package.pc"
  mkdir -p "$folder"
  for target in "$@"; do
    echo "add_library($target INTERFACE IMPORTED)
target_link_libraries($target INTERFACE $library)
set(${target/::/_}_FOUND TRUE)"
  done >"$folder/$package-config.cmake"
}
found systemc systemc
found yaml-cpp yaml-cpp
found libmd md
found sqlite3 ''
found protobuf-lite ''
found fmt fmt fmt::fmt
found nlohmann_json '' nlohmann_json::nlohmann_json
found Boost boost_program_options Boost::headers Boost::program_options

[ -e build-wasm/build.ninja ] || in_root env PKG_CONFIG_PATH="$out/lib/pkgconfig" cmake -S . -B build-wasm -G Ninja \
  -DCMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$options -isystem $out/include" -DCMAKE_CXX_FLAGS_RELEASE='-O3 -DNDEBUG' \
  -DCMAKE_FIND_ROOT_PATH="$out" -DZLIB_INCLUDE_DIR="$out/include" -DZLIB_LIBRARY="$out/lib/libmd.a" -DSTCSIM_STATIC=ON \
  -DSTCSIM_WERROR=OFF -DSTCSIM_BUILD_PAGE=OFF -DSTCSIM_BUILD_TESTS=OFF -DSTCSIM_BUILD_BENCH=OFF -DSTCSIM_BUILD_RTL=OFF
in_root cmake --build build-wasm --parallel "$jobs" --target stcsim_live

# The page around it.
packages=$PWD/build-wasm/page-packages
cmp -s page/package-lock.json "$packages/package-lock.json" || page/install.sh "$packages"
node page/build.mjs "$packages" build-wasm/live/live.js
cp page/live.html page/worker.js build-wasm/live
