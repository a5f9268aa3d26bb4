#!/usr/bin/env bash
# archive.sh JOBS archive|wheel...: builds the program in build-archive/, linked statically, installs it into a folder, with
# the licences of what is linked in, and makes one file of that in build-archive/: stcsim-VERSION-linux-x86_64.tar.gz, to be
# unpacked anywhere, or a wheel for pip. The same program gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1 build=build-archive
shift

scripts/static_libraries.sh $build/libraries
scripts/configure.sh release -B $build -DSTCSIM_STATIC=ON -DCMAKE_PREFIX_PATH="$PWD/$build/libraries" \
  -DSTCSIM_BUILD_TESTS=OFF -DSTCSIM_BUILD_BENCH=OFF -DSTCSIM_BUILD_RTL=OFF
cmake --build $build --parallel "$jobs" --target stcsim

name=stcsim-$($build/stcsim --version | cut -d ' ' -f 2)-linux-$(uname -m)
prefix=$build/$name
rm -rf "$prefix"
cmake --install $build --prefix "$prefix" --strip >/dev/null

# Debian's packages whose headers the compiler read.
packages() {
  ninja -C $build -t deps | sed -n 's/^ *\(\/usr\/\)/\1/p' | sort -u | xargs realpath | sort -u |
    xargs dpkg -S | sed 's/: .*//' | tr -d ' ' | tr , '\n' | sort -u
}

# Their licences, those of the libraries that were built here, and of the page's packages; and what these refer to.
licences=$prefix/share/doc/stcsim/licences
mkdir -p "$licences"
cp $build/libraries/licences/* "$licences"
packages | while read -r package; do
  source=$(dpkg-query --show --showformat='${source:Package}' "$package")
  cp -L "/usr/share/doc/${package%:*}/copyright" "$licences/$source"
done
npm ls --omit=dev --all --parseable --prefix $build/page/packages | tail -n +2 | while read -r package; do
  find "$package" -maxdepth 2 -type f \( -ipath '*/licen[cs]e*' -o -name 'NOTICE*' \) | sort | xargs cat >"$licences/${package##*/}"
done
grep -oh '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$licences"/* | sort -u | xargs cp -Lt "$licences"
echo "The program contains these libraries, and the page these packages. glibc is under the LGPL 2.1: to link the program with
another, change glibc's libc.a and run 'make archive' in the sources of this version." >"$licences/README"

for kind in "$@"; do
  case "$kind" in
    archive) file=$prefix.tar.gz && rm -f $build/*.tar.gz
             tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=1980-01-01Z -C $build -c "$name" | gzip -n9 >"$file" ;;
    # Nothing of the machine's libraries is used: any tag of manylinux is true. pip takes this one from 20.3 on (Debian 11).
    wheel) rm -f $build/*.whl
           file=$(python3 scripts/wheel.py "$prefix" "manylinux_2_17_$(uname -m)" $build) ;;
  esac
  echo "$file: $(($(stat --format=%s "$file") / 1000)) kB"
done
rm -rf "$prefix"
