"""Asks the program `stcsim`."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from .._process import Error, call, find_program


@functools.lru_cache(maxsize=None)
def config_folder() -> Path:
    """The shipped configurations, where the program finds them too."""
    named = os.environ.get("STCSIM_CONFIG_DIR")
    beside = Path(os.path.realpath(find_program())).parents[1]
    for folder in [Path(named)] if named else [beside / "share/stcsim/configs", beside / "configs"]:
        if folder.is_dir():
            return folder
    raise Error("the folder configs is not beside the program; $STCSIM_CONFIG_DIR may name it")


def ask(words: Sequence[str], accept: Sequence[int] = (0,)) -> Any:
    """What the program answers in JSON.

    :raises Error: with its last message
    """
    return json.loads(call(words, accept))


@functools.lru_cache(maxsize=None)
def _yaml(path: str) -> str:
    return call(["list", "yaml", path])


def read_yaml(path: Path) -> Any:
    """A YAML file's content.

    :raises Error: with FILE:LINE:COLUMN
    """
    return json.loads(_yaml(str(path)))["content"]


def place_in_yaml(path: str, key: str) -> str:
    """FILE:LINE:COLUMN of a key such as rows.0.says, or of the nearest above it; FILE alone of the whole."""
    try:
        places = json.loads(_yaml(path))["places"]
    except Error:
        return path
    while key and key not in places:
        key = key.rpartition(".")[0]
    return f"{path}:{places[key]}" if key else path


def make_folder(name: str) -> Path:
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise Error(f"cannot create directory {name}: {error.strerror}") from None
    return Path(name)


@functools.lru_cache(maxsize=None)
def program_version() -> str:
    return ask(["list", "--format", "json"])["version"]


def eval_lines(lines: List[Mapping[str, Any]], jobs: int, figures: str = "all") -> Iterator[Dict[str, Any]]:
    """These figures of `stcsim eval` for each line, in their order; equal lines are asked once.

    Answers come as they are known. What is wrong with a line is its answer's `error`.
    """
    if not lines:
        return
    texts = [json.dumps(line) for line in lines]
    different = list(dict.fromkeys(texts))
    known: Dict[str, Dict[str, Any]] = {}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as asked:
        asked.writelines(text + "\n" for text in different)
        asked.seek(0)
        words = [find_program(), "eval", f"--figures={figures}", f"--jobs={jobs}"]
        with subprocess.Popen(words, stdin=asked, stdout=subprocess.PIPE, text=True, encoding="utf-8") as program:
            assert program.stdout
            for text in texts:
                while text not in known:
                    answer = program.stdout.readline()
                    if not answer:
                        raise Error(f"stcsim eval ended with exit code {program.wait()}")
                    known[different[len(known)]] = json.loads(answer)
                yield known[text]
