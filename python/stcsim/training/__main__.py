"""`stcsim train`: the program reads and checks the experiment, and hands it on as JSON on standard input."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from .._process import Error

FINE, USAGE, FAILED = 0, 2, 3
SYSTEM_PYTHON = "/usr/bin/python3"  # a python3 of PATH may be another, without Debian's packages


def find_torch() -> None:
    """:raises Error: if neither this Python nor the system's has it"""
    try:
        import torch  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        own = os.path.realpath(sys.executable)
        if os.path.exists(SYSTEM_PYTHON) and own != os.path.realpath(SYSTEM_PYTHON):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", "-m", "stcsim.training"])
        raise Error(f"error: training needs PyTorch, which {own} has not: install the package python3-torch "
                    "(scripts/install-deps.sh train); $STCSIM_PYTHON may name another") from None


def write_record(out: Path, record: str, resumes: bool) -> None:
    """Writes what is trained.

    :raises Error: if it cannot be written, or if curves that are to stay are of something else
    """
    path = out / "train.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        if resumes and path.exists() and path.read_bytes() != record.encode():
            raise Error(f"error: --resume: {path} is of another experiment, or of another version; train it "
                        "into another folder, or leave --resume out to train it anew")
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_bytes(record.encode())
        os.replace(beside, path)
    except OSError as error:
        raise Error(f"error: cannot write {error.filename or path}: {error.strerror}") from error


def train() -> int:
    from . import pruning  # pylint: disable=import-outside-toplevel
    from .plan import Plan  # pylint: disable=import-outside-toplevel
    from .runs import train_all  # pylint: disable=import-outside-toplevel

    pruning.load()  # once, for all runs
    plan = Plan(json.load(sys.stdin))
    write_record(Path(plan.request["out"]), plan.request["record"], plan.request["resume"])
    return FAILED if train_all(plan) else FINE


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        find_torch()
        from .runs import Interrupted, say  # pylint: disable=import-outside-toplevel
        try:
            return train()
        except Interrupted as interrupted:
            say("interrupted")
            return 128 + int(interrupted.args[0])
    except Error as error:
        text = str(error)
        print(f"stcsim train: {text}" if text.startswith("error: ") else text, file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(main())
