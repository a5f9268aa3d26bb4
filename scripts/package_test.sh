#!/usr/bin/env bash
# package_test.sh: makes the .deb, installs it into a root of its own, uses it from there as an ordinary user who has no
# checkout, and removes it. Where debootstrap can make that root, its apt installs what the package depends on; else, and in
# CI, which has no time for that, the root has the package alone, and every library that the program loads must be of a
# package that it depends on.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh package
(cd build && cpack --config CPackConfig.cmake >/dev/null)
deb=$(echo "$PWD"/build/stcsim_*.deb)
root=$(mktemp -d)
home=$(mktemp -d)
trap 'rm -rf "$root" "$home"' EXIT
chmod 755 "$root"
cp python/examples/fetch_width.py "$home"
# what the example workflow of a pull request compares with
sed -n '/name: compare/,/id: check/{/^          /s///p}' docs/examples/pull_request.yml >"$home/compare.sh"
cat >"$home/sweep.py" <<'END'
import stcsim
points = ({"arch": "a100", "m": 64 * m, "n": 64 * n, "k": 512, "pattern": "2:4"} for m in range(1, 21) for n in range(1, 11))
print(sum(answer.speedup > 0 for answer in stcsim.sweep(points)), "points")
END
cat >"$home/use.sh" <<'END'
set -euo pipefail
stcsim gemm --arch a100 --m 1024 --n 8192 --k 1024 --sparsity 2:4 | grep -q '^2:4 takes'
printf 'extends: a100\nname: small\naccelerator: {sm: {shared_memory: {capacity_bytes: 32768}}}\n' >small.yaml
stcsim gemm --arch small.yaml 128 128 128 | grep -q mapped_dense_
stcsim run quick --format json >quick.json && stcsim page quick.json -o quick.html
! command -v node >/dev/null || { stcsim page quick.json -o quick.html --svg figures && grep -q '</svg>' figures/*.svg; }
printf 'machines: [./mine.yaml]\nnetworks: [{name: resnet9_cifar10, batch: 8}]\nschemes: [asp]\n' >study.yaml
for width in 3840 2560; do
  printf 'extends: a100\nname: mine\naccelerator: {l2_cache: {read_bytes_per_clk: %s}}\n' "$width" >mine.yaml
  [ -e cycles.json ] || stcsim record study.yaml -o cycles.json >/dev/null
  GITHUB_OUTPUT=$PWD/output bash compare.sh
  head -n 1 comment.md
done >headlines
printf '### Simulated training steps: %s\n' unchanged changed | cmp - headlines
grep -qx code=0 output && grep -qx code=1 output && grep -q read_bytes_per_clk comment.md
python3 fetch_width.py | grep '^best fetch width'
[ "$(python3 sweep.py)" = '200 points' ]
! command -v man >/dev/null || man "$1/usr/share/man/man1/stcsim-eval.1" | grep -q figures
[ -s "$1/usr/share/man/man1/stcsim-gemm.1" ]
source "$1/usr/share/bash-completion/completions/stcsim"
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _stcsim; echo "${COMPREPLY[*]}"; }
[ "$(complete_words stcsim ev)" = 'eval evidence' ]
[ "$(complete_words stcsim gemm --spars)" = --sparsity ]
[ "$(complete_words stcsim gemm --arch rtx4)" = rtx4090 ]
[ "$(complete_words stcsim gemm --layout t)" = 'tn tt' ]
head -n 1 "$1/usr/share/stcsim/configs/arch/a100.yaml" | grep -q '^# yaml-language-server: .*machine.json$'
[ -s "$1/usr/share/stcsim/schema/machine.json" ]
END
chmod -R a+rwX "$home"

as_user() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
# With /proc, which is gone with the command.
in_root() { unshare --mount bash -c 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"; }
if [ -z "${CI:-}" ] && [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null && debootstrap --variant=minbase bookworm "$root" >/dev/null; then
  cp "$deb" "$root/tmp/stcsim.deb" && cp -r "$home" "$root/home/user" && chmod -R a+rwX "$root/home/user"
  in_root apt-get install --yes --no-install-recommends /tmp/stcsim.deb python3 >/dev/null
  in_root setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/home/user bash -c 'cd && bash use.sh ""'
  in_root apt-get purge --yes stcsim >/dev/null
else
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && touch "$root/var/lib/dpkg/status"
  dpkg=(dpkg --root="$root" --force-depends --force-not-root --force-script-chrootless --log=/dev/null)
  "${dpkg[@]}" --install "$deb" >/dev/null 2>&1
  depends=$(dpkg-deb --field "$deb" Depends)
  ldd "$root/usr/bin/stcsim" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | while read -r library; do
    # /lib is a link to /usr/lib, and packages have files under either name
    package=$( (dpkg -S "$library" || dpkg -S "/usr$library" || dpkg -S "${library#/usr}") 2>/dev/null | sed 's/:.*//')
    grep -qw -- "$package" <<<"$depends" || { echo "package_test.sh: $package is not among: $depends" >&2; exit 1; }
  done
  as_user env -i HOME="$home" PATH="$root/usr/bin:/usr/bin:/bin" PYTHONPATH="$root/usr/lib/python3/dist-packages" \
    bash -c 'cd && bash use.sh "$1"' - "$root"
  "${dpkg[@]}" --purge stcsim >/dev/null 2>&1
fi
rest=$(find "$root" -path "$root/var" -prune -o -iname '*stcsim*' -not -path "$root/tmp/*" -not -path "$root/home/*" -print)
[ -z "$rest" ] || { echo "package_test.sh: left after removal: $rest" >&2; exit 1; }
echo "$(basename "$deb"): installed, used and removed"
