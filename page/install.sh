#!/usr/bin/env bash
# install.sh DIRECTORY: puts the packages that package-lock.json names, and no others, into DIRECTORY/node_modules.
set -euo pipefail
cd "$(dirname "$0")"

target=$1
mkdir -p "$target"
cp package.json package-lock.json .npmrc "$target/"
if ! (cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error) \
    >"$target/npm.log" 2>&1; then
  cat "$target/npm.log" >&2
  echo "page: error: npm could not install what page/package-lock.json names (see above). It needs the npm" \
       "registry once; cmake -DSTCSIM_BUILD_PAGE=OFF builds the program without 'stcsim page'" >&2
  exit 1
fi
