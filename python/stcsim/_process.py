"""The program: where it is, how it is called, what it says of errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

OptionValue = Union[None, bool, int, float, str, Sequence[Any], Mapping[str, Any]]

CARRIED = Path(__file__).resolve().parent / "bin/stcsim"  # by a wheel


class Error(Exception):
    """What the program says is wrong: an unknown name, a value out of range, a
    simulation that failed. The message says what would be right."""


def find_program() -> str:
    """Path of the program: $STCSIM if set, else the one that a wheel carries in this
    package, else `stcsim` in PATH, else the one installed, or built, beside the package.

    :raises Error: if there is none
    """
    named = os.environ.get("STCSIM")
    if named:
        return named
    here = Path(__file__).resolve()
    found = str(CARRIED) if CARRIED.is_file() else shutil.which("stcsim")
    if found:
        return found
    for above, inside in ((2, "build/stcsim"), (4, "bin/stcsim")):
        program = here.parents[above] / inside
        if program.is_file():
            return str(program)
    raise Error("the program stcsim is not in PATH; $STCSIM may name it")


def main() -> None:
    """The command `stcsim` of a wheel: becomes the program that the wheel carries."""
    os.environ.setdefault("STCSIM_PYTHON", sys.executable)
    os.execv(CARRIED, [str(CARRIED), *sys.argv[1:]])


def option_words(options: Mapping[str, OptionValue]) -> List[str]:
    """Options of a command line: `clock=1410` is `--clock=1410`, `sampled=True` is
    `--sampled`, a list has ',' between, `set={key: value}` is a `--set` for each."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            words += [f"{option}={key}={text_of(item)}" for key, item in value.items()]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            words.append(f"{option}={','.join(text_of(item) for item in value)}")
        else:
            words.append(f"{option}={text_of(value)}")
    return words


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def call(words: Sequence[str], accept: Sequence[int] = (0,), program: Optional[str] = None) -> str:
    """Runs the program and returns its standard output.

    :raises Error: with its last message, for exit codes other than `accept`
    """
    done = subprocess.run([program or find_program(), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in accept:
        lines = done.stderr.strip().splitlines()
        raise Error(lines[-1] if lines else f"stcsim ended with exit code {done.returncode}")
    return done.stdout


def call_json(words: Sequence[str], options: Mapping[str, OptionValue]) -> Dict[str, Any]:
    return json.loads(call([*words, *option_words(options), "--format=json"]))
