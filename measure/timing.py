"""Times on a GPU: of launches in a row, and of replays of a captured graph; the card's clock and power meanwhile."""

import gc
import subprocess
import sys

import torch


def asked(query):
    """What nvidia-smi says of the first card; empty where there is none."""
    words = ["nvidia-smi", "--id=0", f"--query-gpu={query}", "--format=csv,noheader,nounits"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def source():
    """What measured: every row says it."""
    driver = asked("driver_version")
    return f"measure.py, PyTorch {torch.__version__}, CUDA {torch.version.cuda}" + (f", driver {driver}" if driver else "")


def gpu():
    return torch.cuda.get_device_name().replace("NVIDIA ", "", 1)


def state():
    """Clock in MHz and power in W, as the driver reports them now."""
    try:
        return f"{torch.cuda.clock_rate()} MHz {torch.cuda.power_draw() / 1000:.0f} W"
    except (RuntimeError, ModuleNotFoundError):
        mhz, _, watts = asked("clocks.sm,power.draw").partition(", ")
        return f"{mhz} MHz {float(watts):.0f} W" if watts else ""


def captured(run, calls):
    """Replays of a graph of `calls` calls of `run`, which take the host next to nothing."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            run()
    return graph.replay


def time_us(run, seconds):
    """Microseconds of one call of `run`, of as many in a row as fill `seconds`, and the card's state meanwhile."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def milliseconds(launches):
        begin.record()
        for _ in range(launches):
            run()
        end.record()
        now = state()
        torch.cuda.synchronize()
        return begin.elapsed_time(end), now

    milliseconds(3)
    launches = max(10, round(seconds * 1000 / (milliseconds(10)[0] / 10)))
    milliseconds(launches)
    total, now = milliseconds(launches)
    return total * 1000 / launches, now


def measured(what, make, seconds, calls):
    """The time of what `make` returns as text, and the card's state; empty where PyTorch refuses.

    :param calls: so many are captured in a graph, which is replayed; 0: they are launched one by one
    """
    try:
        run = captured(make(), calls) if calls else make()
        time, now = time_us(run, seconds)
        return f"{time / max(1, calls):.3f}", now
    except (RuntimeError, NotImplementedError, AttributeError) as error:
        print(f"{what}: {str(error).splitlines()[0]}", file=sys.stderr)
        return "", ""
    finally:
        run = None
        gc.collect()
        torch.cuda.empty_cache()
