"""The files and the words that a run leaves."""

import csv
import json
import re

import numpy

from conftest import REPOSITORY, matmul_case, KERNELS
from experiments.runner.generate import generate

PIPE = ("block_id sub_block_id aic_time(us) aic_total_cycles aic_cube_time(us) aic_cube_ratio aic_mte1_time(us) aic_mte1_ratio "
        "aic_mte2_time(us) aic_mte2_ratio aic_mte3_time(us) aic_mte3_ratio aic_mte3_active_bw(GB/s) aic_fixpipe_time(us) "
        "aic_fixpipe_ratio aic_fixpipe_active_bw(GB/s) aic_icache_miss_rate aic_scalar_time(us) aic_scalar_ratio "
        "aic_scalar_single_time(us) aic_scalar_dual_time(us) aic_scalar_mte1_stall_time(us) aic_scalar_mte2_stall_time(us) "
        "aic_scalar_mte3_stall_time(us) aic_scalar_cube_stall_time(us) aic_scalar_wait_ib_time(us) aic_scalar_wait_time(us) "
        "aiv_time(us) aiv_total_cycles aiv_vec_time(us) aiv_vec_ratio aiv_mte2_time(us) aiv_mte2_ratio aiv_mte2_active_bw(GB/s) "
        "aiv_mte3_time(us) aiv_mte3_ratio aiv_mte3_active_bw(GB/s) aiv_icache_miss_rate aiv_scalar_time(us) aiv_scalar_ratio "
        "aiv_scalar_single_time(us) aiv_scalar_dual_time(us) aiv_scalar_mte2_stall_time(us) aiv_scalar_mte3_stall_time(us) "
        "aiv_scalar_stall_by_ub_time(us) aiv_scalar_vector_stall_time(us) aiv_scalar_wait_ib_time(us) aiv_scalar_wait_time(us)").split()
L2 = [f"{core}_{name}" for core in ("aic", "aiv") for name in (
    "time(us) total_cycles write_cache_hit write_cache_miss_allocate r0_read_cache_hit r0_read_cache_miss_allocate "
    "r1_read_cache_hit r1_read_cache_miss_allocate write_hit_rate(%) read_hit_rate(%) total_hit_rate(%)").split()]
CONFLICT = ("block_id sub_block_id aic_time(us) aic_total_cycles aic_cube_wait_ratio aic_mte1_wait_ratio aic_mte2_wait_ratio "
            "aic_mte3_wait_ratio aiv_time(us) aiv_total_cycles aiv_vec_total_cflt_ratio aiv_vec_bankgroup_cflt_ratio "
            "aiv_vec_bank_cflt_ratio aiv_vec_resc_cflt_ratio aiv_vec_mte_cflt_ratio aiv_vec_wait_ratio aiv_mte2_wait_ratio "
            "aiv_mte3_wait_ratio").split()


def rows(path):
    lines = list(csv.reader(path.open()))
    return lines[0], [line[:-1] for line in lines[1:]]


def test_profiler_files_have_the_profilers_columns(tools, vector_add, tmp_path):
    assert tools.run(*vector_add, "--out", tmp_path).code == 0
    header, lines = rows(tmp_path / "PipeUtilization.csv")
    assert header[:len(PIPE)] == PIPE
    # The profiler appends a column for each flag id that some core waited for, and nothing else.
    assert all(re.fullmatch(r"ai[cv]_scalar_wait_id\d+_time\(us\)", column) for column in header[len(PIPE):])
    assert len(lines) == 48 and all(len(line) == len(header) for line in lines)
    assert {line[1] for line in lines} == {"vector0"}
    first = dict(zip(header, lines[0]))
    assert first["aic_time(us)"] == "NA" and float(first["aiv_vec_ratio"]) > 0
    assert abs(float(first["aiv_time(us)"]) - int(first["aiv_total_cycles"]) / 1850) < 1e-6
    assert rows(tmp_path / "L2Cache.csv")[0] == ["block_id", "sub_block_id", *L2]
    assert rows(tmp_path / "ResourceConflictRatio.csv")[0] == CONFLICT


def test_cube_kernel_counts(tools, tmp_path):
    kernel = tools.compile(KERNELS / "matmul.c", "--kind=aic")
    case = matmul_case(tmp_path, 256, 512, 128)
    done = tools.run(kernel, case, "--out", tmp_path / "out", "--check")
    assert done.code == 0, done.err
    for words in ("MAC efficiency", "bound by", "L2 ", "HBM ", "same line", "words a bundle; K loop at matmul.c:", "stalls"):
        assert words in done.out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["macs"] == 256 * 512 * 128
    cores = [core for core in summary["cores"] if core["macs"]]
    assert len(cores) == 4
    # 128 x 256 x 64 in 16 x 16 x 16 steps: 512 cycles an mmad of work, two mmads a core.
    assert all(core["units"]["M"]["instructions"] == 2 and core["units"]["M"]["busy"] >= 1024 for core in cores)
    efficiency = 256 * 512 * 128 / (4096 * 24 * summary["cycles"])
    assert abs(summary["mac_efficiency"] - efficiency) < 1e-12
    a = generate("normal(1)", "f16", [256, 128]).astype(float)
    b = generate("normal(2)", "f16", [128, 512]).astype(float)
    c = numpy.load(tmp_path / "out" / "outputs.npz")["out_c_ptr"].astype(float)
    assert numpy.abs(c - a @ b).max() <= 2e-3 * numpy.abs(a @ b).max()


def test_plain_form_quiet_and_info(tools, vector_add):
    kernel, case = vector_add
    done = tools.call("dlsim", kernel, "--args", case, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    info = tools.call("dlsim", "info", kernel)
    assert info.code == 0 and "vector_add_kernel (aiv)" in info.out and "out_ptr tensor of f32" in info.out


def test_trace_and_its_window(tools, vector_add, tmp_path):
    def events(*options):
        assert tools.run(*vector_add, "--out", tmp_path, *options).code == 0
        return json.loads((tmp_path / "trace.json").read_text())["traceEvents"]

    whole = events("--trace")
    slices = [event for event in whole if event["ph"] == "X"]
    assert {"v.add", "mte2.copy.ub"} <= {event["name"] for event in slices}
    assert any("vector_add.c" in event["args"].get("source", "") for event in slices)
    part = events("--trace=2000:2600")
    assert 0 < len(part) < len(whole)
    assert not list(tmp_path.glob("*.part"))


def test_timing_only_has_the_same_cycles(tools, vector_add, tmp_path):
    assert tools.run(*vector_add, "--out", tmp_path / "values").code == 0
    done = tools.run(*vector_add, "--out", tmp_path / "timing", "--timing-only")
    assert done.code == 0 and "not computed" in done.out
    summary = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("values", "timing")]
    assert summary[0]["cycles"] == summary[1]["cycles"]
    assert not (tmp_path / "timing" / "outputs.npz").exists()


def test_timing_only_goes_on_with_scalars_that_it_did_not_compute(tools, tmp_path):
    # The mean and the deviation of a row pass through scalar registers.
    case = REPOSITORY / "tests" / "cases" / "layer_norm.json"
    kernel = tools.compile(case.with_suffix(".ttir"))
    cycles = []
    for name, options in (("values", ()), ("timing", ("--timing-only",))):
        done = tools.run(kernel, case, "--out", tmp_path / name, *options)
        assert done.code == 0, done.err
        cycles.append(json.loads((tmp_path / name / "summary.json").read_text())["cycles"])
    assert cycles[0] == cycles[1]


def test_warmup_makes_the_l2_warm(tools, vector_add, tmp_path):
    cold, warm = tmp_path / "cold", tmp_path / "warm"
    assert tools.run(*vector_add, "--out", cold).code == 0
    assert tools.run(*vector_add, "--out", warm, "--warmup=2").code == 0
    summary = [json.loads((path / "summary.json").read_text()) for path in (cold, warm)]
    assert summary[1]["hbm"]["read_bytes"] < summary[0]["hbm"]["read_bytes"]
    assert summary[1]["values"]["out_ptr"]["ok"]


def test_wrong_values_are_code_1_with_the_first_mismatch(tools, vector_add, tmp_path):
    kernel, case = vector_add
    arrays = dict(numpy.load(case.with_suffix(".npz")))
    arrays["out_out_ptr"][[77, 5000]] += 1
    numpy.savez(tmp_path / "x.npz", **arrays)
    (tmp_path / "x.json").write_text(case.read_text())
    done = tools.run(kernel, tmp_path / "x.json")
    assert done.code == 1
    assert "2 of 10007 elements differ" in done.err and "first at [77]" in done.err


def test_chips(tools):
    listed = tools.call("dlsim", "chips")
    assert listed.code == 0 and "ascend910b1" in listed.out
    shown = tools.call("dlsim", "chips", "show", "ascend910b1", "-D", "l2.ways=8")
    assert shown.code == 0
    line = next(line for line in shown.out.splitlines() if line.startswith("l2.ways "))
    assert line.split()[1] == "8" and line.endswith("command line")
    assert tools.call("dlsim", "chips", "diff", "ascend910b1", "ascend910b3").code == 0
    assert "same parameters" in tools.call("dlsim", "chips", "diff", "ascend910b1", "ascend910b1").out


def test_chip_parameters_change_the_run(tools, vector_add, tmp_path):
    assert tools.run(*vector_add, "--out", tmp_path / "a").code == 0
    assert tools.run(*vector_add, "--out", tmp_path / "b", "-D", "launch.head_cycles=5000").code == 0
    summary = [json.loads((tmp_path / name / "summary.json").read_text()) for name in "ab"]
    assert summary[1]["cycles"] - summary[0]["cycles"] == 5000 - summary[0]["head_cycles"]
    assert tools.run(*vector_add, "--chip", "ascend910b3").code == 0
