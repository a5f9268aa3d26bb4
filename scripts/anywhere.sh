#!/usr/bin/env bash
# anywhere.sh JOBS [RELEASE...]: makes the archive and the wheel, and uses them in fresh roots of Debian 11, 12 and 13, or of
# these releases, which debootstrap makes: the archive as an ordinary user where nothing but the distribution's least is
# installed, then with its Python beside; the wheel in an environment of that Python and its pip. What they write has to
# be, byte by byte, what build/stcsim writes here. Does nothing without root, which debootstrap needs.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1
shift
[ $# -gt 0 ] || set -- bullseye bookworm trixie
[ "$(id -u)" -eq 0 ] || { echo 'anywhere.sh: left out: debootstrap needs root'; exit 0; }
[ -x build/stcsim ] || { echo 'anywhere.sh: build/stcsim is missing (make build)' >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/here"
scripts/archive.sh "$jobs" archive wheel >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
tail -n 2 "$work/log"
cat >"$work/home/use.sh" <<'END_OF_USE'
set -eu
stcsim gemm --arch a100 --m 4096 --n 4096 --k 4096 --sparsity 2:4 --format json >gemm.json
stcsim explain --arch h100_sxm --m 8192 --n 8192 --k 8192 --sparsity 2:4 --format json >explain.json
stcsim run quick --format json --jobs 2 >run.json
stcsim page run.json -o page.html
printf '{"arch": "%s", "m": 1024, "n": 2048, "k": 4096, "pattern": "2:4"}\n' a100 h200 rtx4090 b200 |
  stcsim eval --jobs 2 --figures all >eval.jsonl
END_OF_USE
cat >"$work/home/client.py" <<'END_OF_CLIENT'
import stcsim
for arch in ("a100", "h200", "rtx4090"):
    for sparsity in ("dense", "2:4"):
        print(arch, sparsity, stcsim.gemm(arch, 512, 1024, 2048, sparsity=sparsity).cycles)
END_OF_CLIENT
cat >"$work/home/use_python.sh" <<'END_OF_USE'
set -eu
python3 client.py >cycles
stcsim evidence rows row.csv --format csv >rows.csv
END_OF_USE
grep -E '^source|A100 80GB PCIe,fp16,4096,4096,4096,.*,testing,' configs/validation/gemm_device.csv >"$work/home/row.csv"
cp "$work"/home/* "$work/here"
(export PATH="$PWD/build:$PATH" PYTHONPATH="$PWD/python"; cd "$work/here" && bash use.sh && bash use_python.sh)

for release in "$@"; do
  root=$work/$release
  debootstrap --variant=minbase "$release" "$root" >"$work/log" || { tail "$work/log" >&2; exit 1; }
  # With /proc, which is gone with the command.
  in_root() { unshare --mount bash -c 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"; }
  as_user() {
    in_root setpriv --reuid=65534 --regid=65534 --clear-groups env -i HOME="$1" PATH="$2:/usr/bin:/bin" bash -c "cd && $3"
  }
  for home in archive wheel; do
    cp -r "$work/home" "$root/home/$home" && chmod -R a+rwX "$root/home/$home"
  done
  mkdir "$root/opt/stcsim" && tar -C "$root/opt/stcsim" --strip-components=1 -xf build-archive/stcsim-*.tar.gz
  as_user /home/archive "/opt/stcsim/bin" 'bash use.sh'
  in_root apt-get install --yes --no-install-recommends python3-venv >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
  cp build-archive/stcsim-*.whl "$root/home/wheel"
  as_user /home/archive /opt/stcsim/bin 'PYTHONPATH=/opt/stcsim/lib/python3/dist-packages bash use_python.sh'
  as_user /home/wheel /home/wheel/environment/bin \
    'python3 -m venv environment && pip install --quiet --no-index ./stcsim-*.whl && bash use.sh && bash use_python.sh'
  diff -r --exclude='.*' "$work/here" "$root/home/archive"
  diff -r --exclude=environment --exclude='*.whl' --exclude='.*' "$work/here" "$root/home/wheel"
  echo "Debian $(cat "$root/etc/debian_version"): archive and wheel installed, used, the same bytes"
  rm -rf "$root"
done
