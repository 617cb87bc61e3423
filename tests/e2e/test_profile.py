"""The profiler's CSV files: headers, units, denominators and the relations between their columns."""

import csv
import json

import pytest

from conftest import CASES, REPOSITORY

HEADERS = dict(line.split(": ", 1) for line in (REPOSITORY / "tests" / "e2e" / "profiler_headers.txt").read_text().splitlines()
               if not line.startswith("#"))
GIB = 1 << 30


def block_case(folder):
    """The published block of 128 x 128 x 1024, f16 products in steps of k = 32, f32 result."""
    tensors = [{"name": "a", "dtype": "f16", "shape": [128, 1024], "init": "normal(1)"},
               {"name": "b", "dtype": "f16", "shape": [1024, 128], "init": "normal(2)"},
               {"name": "c", "dtype": "f32", "shape": [128, 128], "output": True}]
    scalars = dict(m=128, n=128, k=1024, lda=2048, ldb=256, ldc=512, rows_of_cores=0, columns_of_cores=0, m_parts=1, k_parts=1,
                   order=0, swizzle=1, k_shift=0, single_m=0, single_n=0)
    args = [{"kind": "tensor", **t} for t in tensors] + [{"name": n, "kind": "scalar", "dtype": "i64", "value": v} for n, v in scalars.items()]
    path = folder / "block.json"
    path.write_text(json.dumps({"name": "block", "kernel": "matmul", "grid": [1], "args": args}))
    return path


def block_kernel(tools):
    defines = [f"-D{d}" for d in ("BM=128", "BN=128", "BK=32", "B_LAYOUT=0", "OUT=__dl_f32", "OUT_NAME=f32", "OUT_SIZE=4")]
    return tools.compile(REPOSITORY / "kernels" / "micro" / "matmul.c", "--kind=aic", *defines)


class Profile:
    """The CSV files and the summary of one run."""

    def __init__(self, tools, folder, kernel, case, *options):
        done = tools.run(kernel, case, "--out", folder, "--quiet", *options)
        assert done.code == 0, done.err
        self.folder, self.summary = folder, json.loads((folder / "summary.json").read_text())

    def text(self, name):
        return (self.folder / f"{name}.csv").read_text()

    def rows(self, name):
        return list(csv.DictReader(self.text(name).splitlines()))

    def row(self, name):
        return self.rows(name)[0]


@pytest.fixture
def block(tools, tmp_path):
    def run(*options):
        return Profile(tools, tmp_path / "out", block_kernel(tools), block_case(tmp_path), "--cores=1", *options)
    return run


@pytest.fixture(params=["matmul_ptr", "softmax", "flash_attention"])
def case(request, tools, tmp_path):
    name = request.param
    return Profile(tools, tmp_path / "out", tools.compile(CASES / f"{name}.ttir"), CASES / f"{name}.json")


def test_headers(case):
    for name, header in HEADERS.items():
        lines = case.text(name).splitlines()
        optional = [c for c in lines[0][len(header):].split(",") if c]
        assert lines[0].startswith(header), name
        if name != "PipeUtilization":
            assert not optional
        assert all("_scalar_wait_id" in column for column in optional)
        if name != "op_summary":
            assert all(line.endswith(",") for line in lines[1:]), name


def test_lines_are_cores_and_the_other_types_columns_are_empty(case):
    used = {core["core"] for core in case.summary["cores"]}
    for name in HEADERS:
        if name in ("OpBasicInfo", "op_summary"):
            assert len(case.rows(name)) == 1
            continue
        rows = case.rows(name)
        assert len(rows) == len(used)
        assert len({(row["block_id"], row["sub_block_id"]) for row in rows}) == len(rows)
        for row in rows:
            other = "aiv_" if row["sub_block_id"].startswith("cube") else "aic_"
            assert all(value == "NA" for key, value in row.items() if key and key.startswith(other)), (name, row)


def test_ratios_are_times_over_the_denominator(case):
    mixed = case.row("OpBasicInfo")["Op Type"] == "mix"
    duration = float(case.row("OpBasicInfo")["Task Duration(us)"])
    for row in case.rows("PipeUtilization"):
        kind = "aic" if row["sub_block_id"].startswith("cube") else "aiv"
        whole = duration if mixed else float(row[f"{kind}_time(us)"])
        for pipe in ("cube", "mte1", "mte2", "mte3", "fixpipe", "scalar") if kind == "aic" else ("vec", "mte2", "mte3", "scalar"):
            assert float(row[f"{kind}_{pipe}_ratio"]) == pytest.approx(float(row[f"{kind}_{pipe}_time(us)"]) / whole, abs=2e-6)
            assert 0 <= float(row[f"{kind}_{pipe}_ratio"]) <= 1


def test_task_summary(case):
    task, pipes = case.row("op_summary"), case.rows("PipeUtilization")
    for kind, time, pipe in (("aic", "aicore_time(us)", "aic_cube_time(us)"), ("aiv", "aiv_time(us)", "aiv_vec_time(us)")):
        rows = [row for row in pipes if row[f"{kind}_total_cycles"] != "NA"]
        assert int(task[f"{kind}_total_cycles"]) == sum(int(row[f"{kind}_total_cycles"]) for row in rows)
        if rows:
            name = {"aic": "aic_mac_time(us)", "aiv": "aiv_vec_time(us)"}[kind]
            assert float(task[name]) == pytest.approx(sum(float(row[pipe]) for row in rows) / len(rows), abs=2e-3)
            assert float(task[time]) == pytest.approx(sum(float(row[f"{kind}_time(us)"]) for row in rows) / len(rows), abs=2e-3)
    cores = {"ascend910b1": 24}[case.summary["chip"]]
    assert float(task["cube_utilization(%)"]) == pytest.approx(
        100 * int(task["aic_total_cycles"]) / (cores * case.summary["cycles"]), abs=2e-3)


def test_published_block(block):
    profile = block()
    arithmetic, memory, l0, cache = (profile.row(n) for n in ("ArithmeticUtilization", "Memory", "MemoryL0", "L2Cache"))
    assert arithmetic["aic_cube_total_instr_number"] == "32" and arithmetic["aic_cube_fops"] == "262144"
    seconds = float(memory["aic_time(us)"]) * 1e-6

    def count(row, column, unit):
        return float(row[column]) * GIB * seconds / unit

    assert count(l0, "aic_l0b_read_bw(GB/s)", 512) == pytest.approx(4096, rel=1e-5)
    assert count(l0, "aic_l0a_read_bw(GB/s)", 512) == pytest.approx(1024, rel=1e-5)
    assert count(l0, "aic_l0c_write_bw_cube(GB/s)", 1024) == pytest.approx(2048, rel=1e-5)
    assert count(l0, "aic_l0c_read_bw_cube(GB/s)", 1024) == pytest.approx(2048 - 64, rel=1e-5)
    # A's rows of 64 bytes cost 128 each: 768 KB, and 128 bytes for each line that the data cache fetched.
    lines = profile.summary["cores"][0]["dcache"]["misses"]
    assert float(memory["read_main_memory_datas(KB)"]) == 768 + lines / 8
    assert memory["GM_to_L1_datas(KB)"] == "512.000000" and memory["write_main_memory_datas(KB)"] == "64.000000"
    assert int(cache["aic_write_cache_hit"]) + int(cache["aic_write_cache_miss_allocate"]) == 128
    channels = [int(cache[f"aic_r{i}_read_cache_hit"]) + int(cache[f"aic_r{i}_read_cache_miss_allocate"]) for i in (0, 1)]
    assert sum(channels) == float(memory["read_main_memory_datas(KB)"]) * 8
    assert abs(channels[0] - channels[1]) <= 0.01 * channels[0]


def test_corrected_conventions(block):
    profile, corrected = block().row("Memory"), block("--pmu=corrected").row("Memory")
    for column in profile:
        if column and column.endswith("_bw(GB/s)") and column.startswith("aic"):
            assert float(corrected[column]) == pytest.approx(float(profile[column]) * GIB / 1e9, rel=1e-5), column
    assert block("--pmu=corrected").row("ArithmeticUtilization")["aic_cube_fops"] == str(2 * 128 * 128 * 1024)


def test_memory_detail_adds_two_columns(block):
    plain, more = block().text("PipeUtilization").split("\n")[0], block("--aic-metrics=MemoryDetail").text("PipeUtilization").split("\n")[0]
    assert more == plain + ",aic_mte1_active_bw(GB/s),aic_mte2_active_bw(GB/s)"


def test_instruction_files(tools, tmp_path):
    profile = Profile(tools, tmp_path / "out", tools.compile(CASES / "softmax.ttir"), CASES / "softmax.json", "--instructions")
    folder = tmp_path / "out" / "simulator" / "core0.veccore0"
    rows = list(csv.DictReader((folder / "core0.veccore0_instr_exe.csv").read_text().splitlines()))
    assert list(rows[0])[:7] == ["instr", "addr", "pipe", "call_count", "cycles", "running_time(us)", "detail"]
    vector = [row for row in rows if row["pipe"] == "VECTOR"]
    assert sum(int(row["call_count"]) for row in vector) == profile.summary["cores"][0]["units"]["V"]["instructions"]
    conflicts = sum(int(row["detail"].split("bankgroupConflictCyc: ")[1].split(";")[0]) for row in vector)
    assert conflicts == profile.summary["cores"][0]["vector"]["bankgroup_conflict"]
    code = list(csv.DictReader((folder / "core0.veccore0_code_exe.csv").read_text().splitlines()))
    assert sum(int(row["call_count"]) for row in code) == sum(int(row["call_count"]) for row in rows)
    assert all(":" in row["code"] for row in code)


def test_tables_on_the_terminal(tools, tmp_path):
    done = tools.run(block_kernel(tools), block_case(tmp_path), "--cores=1", "--quiet", "--visualize")
    lines = {line.split("  ")[1].strip(): line.split() for line in done.out.splitlines() if line.startswith("  ")}
    assert lines["MTE2"][-1] == "64" and lines["M"][-1] == "32"
    assert lines["gm -> l1"][3] == "512.0" and lines["l0c -> gm"][3] == "64.0"
    assert "verdict" in done.out
