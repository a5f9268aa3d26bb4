#!/usr/bin/env bash
# install-deps.sh GROUP...: installs what Debian packages of the groups are missing. Groups:
# build (compiler, libraries, test libraries), page (node and npm, from wherever they are), browser (a Chromium for
# tests), python (what tests of the Python client use), train (PyTorch), lint (clang-format, clang-tidy), sanitize (Clang
# and its sanitizers), profile (valgrind), rtl (yosys, verilator), package (what finds a package's dependencies), archive
# (what unpacks sources, and writes a wheel), roots (debootstrap), site (what makes HTML of Markdown) and notebook (Jupyter's
# kernel, what runs a notebook in it, and what that one uses).
# Does nothing, and needs neither network nor rights, when nothing is missing.
set -euo pipefail

packages=()
for group in "$@"; do
  case "$group" in
    build) packages+=(g++ cmake ninja-build pkg-config ccache mold libsystemc-dev libyaml-cpp-dev
                      nlohmann-json3-dev libfmt-dev libmd-dev libsqlite3-dev libprotobuf-dev zlib1g-dev
                      libboost-program-options-dev
                      libgtest-dev libgmock-dev libbenchmark-dev) ;;
    page) command -v node >/dev/null && command -v npm >/dev/null || packages+=(nodejs npm) ;;
    browser) [ -x "${STCSIM_CHROMIUM:-}" ] || packages+=(chromium) ;;
    python) packages+=(python3 python3-venv python3-pandas python3-matplotlib) ;;
    train) packages+=(python3-torch python3-numpy) ;;
    lint) packages+=(clang-format clang-tidy) ;;
    sanitize) packages+=(clang libclang-rt-dev) ;;
    profile) packages+=(valgrind) ;;
    rtl) packages+=(yosys berkeley-abc verilator) ;;
    package) packages+=(file dpkg-dev) ;;
    archive) packages+=(dpkg-dev python3) ;;
    roots) packages+=(debootstrap) ;;
    site) packages+=(cmark-gfm) ;;
    notebook) packages+=(python3-nbclient python3-ipykernel python3-pandas python3-matplotlib) ;;
    *) echo "install-deps.sh: unknown group '$group'; groups are build, page, browser, python, train, lint, sanitize, profile, rtl, package, archive, roots, site and notebook" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps.sh: not a Debian system; expecting these to be installed: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps.sh: error: missing packages and neither root nor sudo to install them;" \
         "ask an administrator for: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
  [ -t 0 ] || as_root+=(--non-interactive)
fi
as_root+=(env DEBIAN_FRONTEND=noninteractive)
apt=("${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 --quiet)

echo "Installing: ${missing[*]}"
"${apt[@]}" update || echo "install-deps.sh: warning: apt-get update failed, trying anyway" >&2
if ! "${apt[@]}" install --yes --no-install-recommends "${missing[@]}"; then
  echo "install-deps.sh: error: could not install: ${missing[*]}" >&2
  exit 1
fi
