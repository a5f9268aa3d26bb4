"""wheel.py PREFIX TAG FOLDER: writes FOLDER/stcsim-VERSION-py3-none-TAG.whl of what is installed in PREFIX; prints its path.

The client becomes the package; program, configurations and page lie in it as they do in PREFIX, so that the program
finds them. Man pages and completion go to the environment's share/. The same PREFIX gives the same bytes.
"""

import base64
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

PLACES = (  # in PREFIX, and in the wheel; the first that fits
    ("lib/python3/dist-packages/", ""),
    ("bin/", "stcsim/bin/"),
    ("share/stcsim/", "stcsim/share/stcsim/"),
    ("share/doc/stcsim/", "{info}/licenses/"),
    ("share/", "{data}/data/share/"),
)
METADATA = """Metadata-Version: 2.1
Name: stcsim
Version: {version}
Summary: Cycle-level simulator of training on sparse tensor cores
License: BSD-3-Clause
Requires-Python: >=3.9
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: stcsim\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
ENTRY_POINTS = "[console_scripts]\nstcsim = stcsim._process:main\n"


def place_of(path, names):
    """Name in the wheel of what is installed as `path`; None for what no wheel has."""
    for before, after in PLACES:
        if path.startswith(before):
            return after.format(**names) + path[len(before):]
    return None


def write_wheel(prefix, tag, folder):
    """The wheel's path."""
    version = subprocess.run([prefix / "bin/stcsim", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    names = {"info": f"stcsim-{version}.dist-info", "data": f"stcsim-{version}.data"}
    wheel = folder / f"stcsim-{version}-py3-none-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w") as archive:

        def add(name, content, mode=0o644):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")

        for file in sorted(prefix.rglob("*")):
            name = place_of(file.relative_to(prefix).as_posix(), names)
            if name and file.is_file():
                add(name, file.read_bytes(), 0o755 if name == "stcsim/bin/stcsim" else 0o644)
        for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), ("entry_points.txt", ENTRY_POINTS)):
            add(f"{names['info']}/{name}", text.format(version=version, tag=tag).encode())
        add(f"{names['info']}/RECORD", "".join([*record, f"{names['info']}/RECORD,,\n"]).encode())
    return wheel


if __name__ == "__main__":
    print(write_wheel(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
