"""notebook.py PROGRAM NOTEBOOK: runs the notebook's cells with PROGRAM, and stores below each what it shows.

Pictures are SVG. The same program and the same cells give the same bytes: no times, no folders of this machine.
"""

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

# The kernel's, so that no cell is about it: readers who run the notebook have the pictures that they like.
SETTINGS = """\
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.rc = {"svg.hashsalt": "stcsim", "svg.fonttype": "none"}
c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None, "Creator": None}}
"""


def run(program, path):
    notebook = nbformat.read(path, as_version=4)
    before = dict(notebook.metadata)
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile_default"
        profile.mkdir()
        (profile / "ipython_kernel_config.py").write_text(SETTINGS, encoding="utf-8")
        os.environ.update(STCSIM=str(program.resolve()), PYTHONPATH=os.path.abspath("python"), IPYTHONDIR=folder,
                          PYDEVD_DISABLE_FILE_VALIDATION="1")  # of a debugger that nobody uses, which warns
        NotebookClient(notebook, kernel_name="python3", record_timing=False).execute()
    # The kernel wrote its version there.
    notebook.metadata = before
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr" or os.getcwd() in str(output):
                sys.exit(f"notebook.py: {path}: a warning, or a folder of this machine: {output}")
            picture = output.get("data", {}).get("image/svg+xml")
            if picture:  # without a file's head, at which nbconvert stops
                output["data"]["image/svg+xml"] = picture[picture.index("<svg"):]
    nbformat.write(notebook, path)


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parents[1])
    run(Path(sys.argv[1]), Path(sys.argv[2]))
