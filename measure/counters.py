"""What Nsight Compute counts of single launches: rows of the table that `stcsim evidence rows` reads.

The program runs itself under ncu (`counters.py` alone runs the products). Before each product stands a kernel that only
waits, by which the launches of one product are told from those of the next.
"""

import csv
import pathlib
import re
import shutil
import subprocess
import sys

COLUMNS = ["source", "gpu", "dtype", "M", "N", "K", "pattern", "part", "sm_cycles", "time_ns", "l2_to_sm_bytes",
           "l2_sectors_from_sm", "dram_read_bytes", "tensor_active_percent", "kernel", "note"]
METRICS = {
    "sm_cycles": "sm__cycles_elapsed.max",
    "time_ns": "gpu__time_duration.sum",
    "l2_to_sm_bytes": "l1tex__m_xbar2l1tex_read_bytes.sum",
    "l2_sectors_from_sm": "lts__t_sectors_srcunit_tex.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "tensor_active_percent": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
}
#: Two lengths of K on the same C tell what a k-step takes.
SIZES = [(4096, 4096, 4096), (4096, 4096, 8192), (8192, 1024, 4096), (2048, 8192, 2048)]
PRODUCTS = [("bf16", *size, pattern) for size in SIZES for pattern in ("dense", "2:4")]
#: torch.cuda._sleep's.
MARK = "spin_kernel"
#: Of ncu's units, in those of the columns.
FACTORS = {"": 1, "%": 1, "cycle": 1, "sector": 1, "nsecond": 1, "ns": 1, "usecond": 1e3, "us": 1e3, "msecond": 1e6, "ms": 1e6,
           "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def command(ncu):
    return [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--profile-from-start", "off",
            "--metrics", ",".join(METRICS.values()), sys.executable, str(pathlib.Path(__file__).resolve())]


def number_of(text, unit):
    """As text; empty where ncu has no value."""
    if unit not in FACTORS or not re.fullmatch(r"[\d,]+(\.\d+)?", text):
        return ""
    return f"{float(text.replace(',', '')) * FACTORS[unit]:.10g}"


def launches_of(output):
    """Kernels in the order of their launches, each with its counters: ncu's page `raw` is a header, a row of units, and a row a
    launch; lines of ncu's own begin with ==."""
    rows = list(csv.reader(line for line in output.splitlines() if line.startswith('"')))
    if len(rows) < 2:
        return []
    header, units = rows[0], dict(zip(rows[0], rows[1]))
    found = [dict(zip(header, row)) for row in rows[2:]]
    return [{"kernel": one["Kernel Name"], **{column: number_of(one.get(metric, ""), units.get(metric, ""))
                                               for column, metric in METRICS.items()}} for one in found]


def rows_of(output, common):
    """Rows of the table.

    :raises ValueError: where there are not as many marks as products
    """
    products = []
    for launch in launches_of(output):
        if MARK in launch["kernel"]:
            products.append([])
        elif products:
            products[-1].append(launch)
    if len(products) != len(PRODUCTS):
        raise ValueError(f"ncu counted {len(products)} of {len(PRODUCTS)} products")
    for (dtype, m, n, k, pattern), launches in zip(PRODUCTS, products):
        for part, launch in enumerate(launches):
            if launch["sm_cycles"]:
                yield {**common, "dtype": dtype, "M": m, "N": n, "K": k, "pattern": pattern, "part": part, **launch}


def why_not(output):
    """What ncu says of its failure, in a line."""
    if "ERR_NVGPUCTRPERM" in output:
        return "ncu may not read the GPU's counters: be root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
    errors = [line for line in output.splitlines() if line.startswith("==ERROR==")] or ["it counted nothing"]
    return f"ncu failed: {errors[0].removeprefix('==ERROR==').strip()}"


def counted(common, seconds):
    """Rows of all products, or why there are none.

    :param seconds: that ncu may take
    """
    ncu = shutil.which("ncu")
    if not ncu:
        return [], "ncu (Nsight Compute) is not on PATH"
    try:
        done = subprocess.run(command(ncu), capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return [], f"ncu took more than {seconds:.0f} s"
    output = done.stdout + done.stderr
    if done.returncode != 0 or not launches_of(output):
        return [], why_not(output)
    try:
        return list(rows_of(output, common)), ""
    except ValueError as error:
        return [], str(error)


def main():
    """Runs the products once each, between marks."""
    import torch

    from products import TYPES, dense_gemm, sparse_gemm

    for dtype, m, n, k, pattern in PRODUCTS:
        try:
            run = sparse_gemm(m, n, k, TYPES[dtype], True) if pattern == "2:4" else dense_gemm(m, n, k, TYPES[dtype])
            run()
        except (RuntimeError, NotImplementedError) as error:
            print(f"{m}x{n}x{k} {pattern}: {str(error).splitlines()[0]}", file=sys.stderr)
            run = None
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        torch.cuda._sleep(1000)
        if run:
            run()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()


if __name__ == "__main__":
    main()
