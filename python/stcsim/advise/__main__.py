"""The program checks the options and hands the step on as JSON on standard input."""

from __future__ import annotations

import json
import sys
from typing import Any, Dict

from ..evidence.__main__ import end_with, guarded
from .advice import advise
from .report import to_json, to_text
from .steps import Steps


def run(request: Dict[str, Any]) -> int:
    steps = Steps(request["jobs"])
    try:
        advised = advise(request, steps)
    finally:
        steps.close()
    sys.stdout.write((to_json if request["format"] == "json" else to_text)(advised, request))
    return 0


if __name__ == "__main__":
    end_with(lambda: guarded("stcsim advise", lambda: run(json.load(sys.stdin))))
