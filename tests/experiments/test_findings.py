"""The numbers of the findings, computed a second time from the recorded tables with other means (plain lists of rows)."""

import math

import pandas
import pytest
from conftest import ROOT, recorded

from experiments.runner.steps import load


def both(name):
    """The recorded rows, and the experiment's own numbers."""
    return recorded(name), load(name).numbers(pandas.read_csv(ROOT / "experiments" / name / "recorded.csv"))


def pick(rows, **labels):
    return [row for row in rows if all(row[key] == value for key, value in labels.items())]


def only(rows, column, **labels):
    found = pick(rows, **labels)
    assert len(found) == 1, labels
    return found[0][column]


def test_task_order():
    rows, n = both("task_order")
    plain = {row["order"]: row for row in pick(rows, part="orders", k_offset="off")}
    times = {order: row["time_us"] for order, row in plain.items()}
    assert n["best"] == min(times, key=times.get) and n["worst"] == max(times, key=times.get)
    assert n["spread"] == pytest.approx(max(times.values()) / min(times.values()))
    assert n["diagonal_gain"] == pytest.approx(100 * times["rows"] / times["diagonal:8"] - 100)
    many = ("sharers_4_7", "sharers_8_15", "sharers_16_23", "sharers_24_64")
    assert n["rows_many"] == pytest.approx(100 * sum(plain["rows"][column] for column in many))
    for memory, name in (("as it is", "ablation_spread"), ("fast", "fast_spread")):
        without = [row["time_us"] for row in pick(rows, part="ablation", memory=memory)]
        assert n[name] == pytest.approx(max(without) / min(without))
    small = [row for row in pick(rows, part="l2 size") if row["l2_MiB"] == n["small_MiB"]]
    assert n["small_best"] == min(small, key=lambda row: row["time_us"])["order"]
    for shape, order in n["winners"].items():
        assert order == min(pick(rows, part="shapes", shape=shape), key=lambda row: row["time_us"])["order"]
    for row in plain.values():
        assert sum(row[column] for column in row if column.startswith("sharers_")) == pytest.approx(1)


def test_double_buffering():
    rows, n = both("double_buffering")

    def gain(part, kernel):
        one, two = (only(rows, "time_us", part=part, kernel=kernel, slots=slots) for slots in (1, 2))
        return 100 * (one / two - 1)

    for kernel, value in n["gain"].items():
        assert value == pytest.approx(gain("slots", kernel))
        assert n["ablation_gain"][kernel] == pytest.approx(gain("ablation", kernel))
    assert n["most"] == max(n["gain"], key=n["gain"].get) and n["least"] == min(n["gain"], key=n["gain"].get)
    scopes = {row["scopes"]: row["time_us"] for row in pick(rows, part="scopes")}
    assert n["both_gain"] == pytest.approx(100 * (scopes["l1:1,l0a:1,l0b:1"] / scopes["l1:2,l0a:2,l0b:2"] - 1))


def test_ub_banks():
    rows, n = both("ub_banks")
    cost = {row["layout"]: row["cycles_per_repeat"] for row in pick(rows, part="layouts", banks_free="no")}
    assert n["one_bank_factor"] == pytest.approx(cost["sources in one bank"] / cost["no conflict"])
    strides = {row["stride"]: row["cycles_per_repeat"] for row in pick(rows, part="strides", banks_free="no")}
    assert n["stride_factor"] == pytest.approx(max(strides.values()) / min(strides.values()))
    assert n["slow_strides"] == [s for s, c in strides.items() if c > 1.5 * min(strides.values())]
    padding = {row["stride"]: row["vector_us"] for row in pick(rows, part="padding", banks_free="no")}
    assert n["padding_vector_factor"] == pytest.approx(padding[144] / padding[145])


def test_coalescing():
    rows, n = both("coalescing")
    time = {(row["pattern"], row["mode"], row["bursts_free"]): row["time_us"] for row in rows}
    picked = ("deinterleave", "every third element", "structures to arrays")

    def mean(values):
        return math.exp(sum(map(math.log, values)) / len(values))

    patterns = {row["pattern"] for row in rows if row["mode"] == "off"}
    for mode in ("off", "copy"):
        factors = {p: time[p, mode, "no"] / time[p, "full", "no"] for p in patterns}
        assert n[f"{mode}_mean"] == pytest.approx(mean(factors.values()))
        assert n[f"{mode}_most"] == max(factors, key=factors.get)
    for free, key in (("no", "elements_copy"), ("yes", "free_elements_copy")):
        assert n[key] == pytest.approx(mean([time[p, "copy", free] / time[p, "full", free] for p in picked]))
    for pattern, factor in n["contiguous"].items():
        assert factor == pytest.approx(time[pattern, "full", "no"] / time[f"contiguous, as {pattern}", "full", "no"])
    assert {p for p in patterns if p.startswith("conv")} == set(n["layers"])


def test_bundle_packing():
    rows, n = both("bundle_packing")
    for kernel, value in n["gain"].items():
        off, on = (only(rows, "time_us", part="packing", kernel=kernel, late_transfers="no", pack=pack) for pack in ("off", "on"))
        assert value == pytest.approx(100 * (off / on - 1))
    assert n["most_gain"] == max(n["gain"].values())
    for kernel, depth in n["depth_enough"].items():
        times = {row["queue_depth"]: row["time_us"] for row in pick(rows, part="depth", kernel=kernel)}
        assert times[depth] <= 1.01 * times[32]
        assert all(time > 1.01 * times[32] for d, time in times.items() if d < depth)


def test_scaling():
    rows, n = both("scaling")
    for kernel, value in n["speedup"].items():
        one, all_ = (only(rows, "time_us", part="cores", kernel=kernel, clusters=c, hbm_factor=1) for c in (1, 24))
        assert value == pytest.approx(one / all_)
    add = pick(rows, part="cores", kernel="vector add 16384", clusters=24, hbm_factor=1)[0]
    assert n["add_GBs"] == pytest.approx(1e3 * add["moved_MB"] / add["time_us"])
    matmul = pick(rows, part="cores", kernel="matmul 128x256x256", clusters=24, hbm_factor=1)[0]
    assert n["matmul_share"] == pytest.approx(100 * matmul["tflops"] / 363.7, rel=1e-3)
    assert matmul["tflops"] / 363.7 == pytest.approx(matmul["mac_efficiency"], rel=1e-2)


def test_grouped_gemm():
    rows, n = both("grouped_gemm")

    def gain(tokens, skew, free):
        times = {v: sum(row["time_us"] for row in pick(rows, variant=v, tokens=tokens, skew=skew, free_launch=free)) for v in ("persistent", "a launch an expert")}
        return times["a launch an expert"] / times["persistent"]

    assert n["gain_few"] == pytest.approx(gain(n["few"], 0, "no")) and n["gain_many"] == pytest.approx(gain(n["many"], 0, "no"))
    assert n["free_gain_few"] == pytest.approx(gain(n["few"], 0, "yes")) and n["one_gain_few"] == pytest.approx(gain(n["few"], 0, "yes, one core"))
    macs = {v: sum(row["macs"] for row in pick(rows, variant=v, tokens=n["many"], skew=0, free_launch="no")) for v in ("persistent", "a launch an expert")}
    assert macs["persistent"] == macs["a launch an expert"], "both variants do the same work"


def test_cube_vector_balance():
    rows, n = both("cube_vector_balance")

    def time(kernel, cores, free):
        return only(rows, "time_us", part="ratio", kernel=kernel, vector_cores=cores, free_vector=free)

    for kernel, value in n["binding"].items():
        bound, free = (time(kernel, "1:2, rows shared", free) for free in ("no", "yes"))
        assert value == pytest.approx(100 * (time(kernel, "1:2, one works", "no") / bound - 1))
        assert n["second"][kernel] == pytest.approx(100 * (time(kernel, "1:1", "no") / bound - 1))
        assert n["free_binding"][kernel] == pytest.approx(100 * (time(kernel, "1:2, one works", "yes") / free - 1))
        assert n["free_second"][kernel] == pytest.approx(100 * (time(kernel, "1:1", "yes") / free - 1))
        assert n["vector_cost"][kernel] == pytest.approx(100 * (bound / free - 1))
        assert n["flag_cost"][kernel] == pytest.approx(100 * (bound / only(rows, "time_us", part="flags", kernel=kernel) - 1))
    assert n["most_gain"] == max(n["binding"].values()) and n["least_gain"] == min(n["binding"].values())
    assert n["second_gain"] == max(n["second"].values()) and n["free_second_gain"] == n["free_second"][n["most_second"]]
    for row in pick(rows, part="ratio", free_vector="no"):
        # A core that repeats the other's work is no useful one.
        share = 0.5 if row["vector_cores"] == "1:2, one works" else 1
        assert row["aiv_v_useful"] == pytest.approx(share * row["aiv_v_busy"], rel=0.05)
    for kernel, gains in n["depth_gain"].items():
        one = only(rows, "time_us", part="depth", kernel=kernel, depth=1)
        for depth, gain in gains.items():
            assert gain == pytest.approx(100 * (one / only(rows, "time_us", part="depth", kernel=kernel, depth=depth) - 1))
    assert set(n["depth_gain"]) == {"attention d64", "attention d128"}


def test_attention():
    rows, n = both("attention")
    blocks = {f"{row['block_m']:.0f}x{row['block_n']:.0f}": row for row in pick(rows, part="blocks", head=64)}
    times = {name: row["time_us"] for name, row in blocks.items()}
    assert n["best"] == min(times, key=times.get) and n["worst"] == max(times, key=times.get)
    assert n["spread"] == pytest.approx(max(times.values()) / min(times.values()))
    free = [row["time_us"] for row in pick(rows, part="ablation")]
    assert n["free_spread"] == pytest.approx(max(free) / min(free))
    best = blocks[n["best"]]
    work = 4 * best["heads"] * best["length"] ** 2 * best["head"]
    assert n["best_tflops"] == pytest.approx(work / best["time_us"] / 1e6)
    # The cube's products over its peak of 363.7 TFLOP/s.
    assert n["best_efficiency"] == pytest.approx(100 * n["best_tflops"] / 363.7, rel=0.01)
    large = {row["order"]: row["time_us"] for row in pick(rows, part="order", l2_MiB=n["large_MiB"], free="nothing", causal="no")}
    assert n["order_best"] == min(large, key=large.get) and n["order_spread"] == pytest.approx(max(large.values()) / min(large.values()))
    for cores, name in ((24, "masked_spread"), (23, "odd_spread")):
        masked = [row["time_us"] for row in pick(rows, part="order", causal="yes", cores=cores)]
        assert n[name] == pytest.approx(max(masked) / min(masked))
    for size, rate in n["all"].items():
        runs = pick(rows, readers="all", bytes=1024 * float(size.split()[0]))
        once, more = sorted(runs, key=lambda row: row["passes"])
        moved = (more["passes"] - once["passes"]) * once["bytes"]
        assert rate == pytest.approx(moved / (more["time_us"] - once["time_us"]) / 1e3, rel=0.05)
