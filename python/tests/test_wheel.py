"""The wheel that scripts/wheel.py writes, around the program that $STCSIM names, and what pip makes of it."""

import base64
import csv
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import stcsim

ROOT = Path(__file__).resolve().parents[2]
GEMMS = (("a100", 256, 512, 1024, "2:4"), ("h200", 512, 512, 512, "dense"), ("a100_nm", 512, 256, 512, "1:8"))


def install(prefix, program):
    """What `cmake --install` puts there, but for what is made from it."""
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(program, prefix / "bin/stcsim")
    shutil.copytree(ROOT / "configs", prefix / "share/stcsim/configs")
    shutil.copytree(ROOT / "python/stcsim", prefix / "lib/python3/dist-packages/stcsim",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in (("share/doc/stcsim/copyright", "a licence"), ("share/man/man1/stcsim.1", "a page"),
                       ("lib/stcsim/libstcsim_pruning.so", "no wheel has it")):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text(text)


def write(prefix, folder):
    command = [sys.executable, "-B", ROOT / "scripts/wheel.py", prefix, "linux_x86_64", folder]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        program = cls.folder / "stcsim"  # all that a wheel asks is its version
        program.write_text(f"#!/bin/sh\necho stcsim {stcsim.__version__}\n")
        program.chmod(0o755)
        install(cls.folder / "prefix", program)
        cls.wheel = write(cls.folder / "prefix", cls.folder)

    def test_the_record_has_every_file_with_its_hash(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            info = f"stcsim-{stcsim.__version__}.dist-info"
            rows = list(csv.reader(archive.read(f"{info}/RECORD").decode().splitlines()))
            self.assertEqual([name for name, _, _ in rows], names)
            self.assertEqual(len(set(names)), len(names))
            self.assertEqual(rows[-1], [f"{info}/RECORD", "", ""])
            for name, digest, size in rows[:-1]:
                content = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))), name)

    def test_the_wheel_has_what_is_installed(self):
        self.assertEqual(self.wheel.name, f"stcsim-{stcsim.__version__}-py3-none-linux_x86_64.whl")
        with zipfile.ZipFile(self.wheel) as archive:
            names = set(archive.namelist())
            for file in (ROOT / "configs").rglob("*"):
                if file.is_file():
                    self.assertIn(f"stcsim/share/stcsim/{file.relative_to(ROOT).as_posix()}", names)
            for file in (ROOT / "python/stcsim").rglob("*.py"):
                self.assertEqual(archive.read(file.relative_to(ROOT / "python").as_posix()), file.read_bytes())
            self.assertIn(f"stcsim-{stcsim.__version__}.dist-info/licenses/copyright", names)
            self.assertIn(f"stcsim-{stcsim.__version__}.data/data/share/man/man1/stcsim.1", names)
            self.assertFalse([name for name in names if "pruning.so" in name])
            runs = [entry.filename for entry in archive.infolist() if entry.external_attr >> 16 & 0o111]
            self.assertEqual(runs, ["stcsim/bin/stcsim"])

    def test_the_same_files_give_the_same_wheel(self):
        again = self.folder / "again"
        again.mkdir()
        self.assertEqual(write(self.folder / "prefix", again).read_bytes(), self.wheel.read_bytes())

    @unittest.skipUnless(importlib.util.find_spec("ensurepip"), "needs python3-venv")
    def test_pip_installs_it_and_cycles_are_the_programs(self):
        install(self.folder / "real", stcsim.find_program())
        wheels = self.folder / "wheels"
        wheels.mkdir()
        environment = self.folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        pip = [environment / "bin/pip", "install", "--quiet", "--no-index", "--no-compile", "--disable-pip-version-check"]
        subprocess.run([*pip, write(self.folder / "real", wheels)], check=True)

        # No variable leads to the program under test; another program of that name is in PATH.
        other = self.folder / "other"
        other.mkdir()
        (other / "stcsim").write_text("#!/bin/sh\nexit 9\n")
        (other / "stcsim").chmod(0o755)
        clean = {"PATH": f"{other}:{os.environ['PATH']}", "HOME": str(self.folder)}

        def say(*command):
            return subprocess.run(command, env=clean, cwd="/", capture_output=True, text=True, check=True).stdout

        code = f"import stcsim\nfor words in {GEMMS!r}: print(stcsim.gemm(*words[:4], sparsity=words[4]).cycles)"
        cycles = "".join(f"{stcsim.gemm(*words[:4], sparsity=words[4]).cycles}\n" for words in GEMMS)
        self.assertEqual(say(environment / "bin/python", "-c", code), cycles)

        words = ["gemm", "--arch", "a100", "256", "512", "1024", "--sparsity", "2:4", "--format", "json"]
        self.assertEqual(say(environment / "bin/stcsim", *words), say(stcsim.find_program(), *words))
        # A command that is written in Python finds its package, and that the program.
        self.assertIn("evidence rows", say(environment / "bin/stcsim", "evidence", "rows", "--help"))
        table = self.folder / "rows.csv"
        with open(ROOT / "configs/validation/gemm_device.csv", encoding="utf-8") as rows:
            lines = [row for row in rows if not row.startswith("#")]
        table.write_text("".join(lines[:2]))
        rows = ["evidence", "rows", str(table), "--format", "csv"]
        self.assertEqual(say(environment / "bin/stcsim", *rows), say(stcsim.find_program(), *rows))


if __name__ == "__main__":
    unittest.main()
