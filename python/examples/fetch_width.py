"""Finds the narrowest operand fetch with which a 1:8 tensor core is within 1 % of its best: a search loop in
plain Python. Each answer decides what is asked next; one stcsim process answers them all."""

import stcsim

WIDTH = "accelerator.sm.operand_selector.b_bytes_per_clk"
GEMMS = [(4096, 4096, 1024), (1024, 8192, 4096), (8192, 2048, 2048)]


def speedup(simulator, width):
    """Geometric mean of 1:8 over dense, for operand B's fetch of so many bytes per clock."""
    points = [{"arch": "a100_nm", "m": m, "n": n, "k": k, "pattern": "1:8", "set": {WIDTH: width}} for m, n, k in GEMMS]
    product = 1.0
    for answer in simulator.map(points):
        product *= answer.speedup
    return product ** (1 / len(GEMMS))


with stcsim.Simulator(jobs="auto", figures=["speedup"]) as simulator:
    narrow, wide = 32, 512
    best = speedup(simulator, wide)
    while wide - narrow > 16:  # speedup never falls with the width: halve the interval
        middle = (narrow + wide) // 32 * 16
        gain = speedup(simulator, middle)
        print(f"{middle:4} bytes/clk: {gain:.3f}x")
        if gain >= 0.99 * best:
            wide = middle
        else:
            narrow = middle
    print(f"best fetch width for 1:8: {wide} bytes/clk ({best:.3f}x with 512)")
