#!/usr/bin/env bash
# static_libraries.sh DIRECTORY: SystemC and fmt, which Debian has as shared libraries alone, built from Debian's sources
# (the versions of the installed -dev packages) as static ones below DIRECTORY, with headers, files for pkg-config and
# CMake, and licences. Nothing is fetched or built where DIRECTORY has them already. Needs no rights.
set -euo pipefail
out=$(realpath -m "$1")

wanted=$(dpkg-query --show --showformat='${source:Package}=${source:Version}\n' libsystemc-dev libfmt-dev)
[ "$(cat "$out/built" 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf "$out"
mkdir -p "$out/apt/lists" "$out/sources"

# Sources come from where apt has its packages from: lists of its own, so that the machine's stay as they are.
apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  sort -u >"$out/apt/sources.list"
apt=(apt-get --quiet -o Dir::Etc::SourceList="$out/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
     -o Dir::State::Lists="$out/apt/lists" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
"${apt[@]}" update
# shellcheck disable=SC2086
(cd "$out/sources" && "${apt[@]}" source $wanted)

libraries=lib/$(gcc -print-multiarch)
# build SOURCE OPTION...
build() {
  local source=$1 folder
  shift
  folder=$(find "$out/sources" -maxdepth 1 -type d -name "$source-*")
  cmake -S "$folder" -B "$folder/static" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-w -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$out" -DCMAKE_INSTALL_LIBDIR="$libraries" "$@" >/dev/null
  cmake --build "$folder/static" && cmake --install "$folder/static" >/dev/null
  install -Dm 644 "$folder/debian/copyright" "$out/licences/$source"
}
build systemc -DCMAKE_CXX_STANDARD=17
build fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
# SystemC's own file for pkg-config comes of its other build system.
sed "s|=/usr|=$out|" "/usr/$libraries/pkgconfig/systemc.pc" >"$out/$libraries/pkgconfig/systemc.pc"
rm -rf "$out/apt" "$out/sources"
echo "$wanted" >"$out/built"
