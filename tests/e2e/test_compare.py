"""`dlsim compare`: runs beside the files that profilers write."""

import csv
import json
import shutil

from conftest import REPOSITORY

MEASURED = REPOSITORY / "experiments" / "device" / "measured" / "h200"


def device_folder(run, folder, name, factor):
    """A profiler's folder made of a run's own tables, every time in PipeUtilization `factor` times as long."""
    target = folder / name / "OPPROF_20260101000000_ABC"
    target.mkdir(parents=True)
    for file in ("OpBasicInfo.csv", "PipeUtilization.csv", "Memory.csv"):
        rows = list(csv.reader((run / file).open()))
        for line in rows[1:]:
            for at, column in enumerate(rows[0]):
                if column.endswith("(us)") and line[at] not in ("NA", ""):
                    line[at] = f"{float(line[at]) * factor:.6f}"
        with (target / file).open("w", newline="") as out:
            csv.writer(out).writerows(rows)


def test_a_run_beside_a_profilers_folder(tools, vector_add, tmp_path):
    run, device = tmp_path / "model" / "add", tmp_path / "device"
    assert tools.run(*vector_add, "--out", run).code == 0
    device_folder(run, device, "add", 1.25)
    done = tools.call("dlsim", "compare", run.parent, device, "--out", tmp_path / "c.csv")
    assert done.code == 0, done.err
    rows = {(row["table"], row["metric"]): row for row in csv.DictReader((tmp_path / "c.csv").open())}
    assert abs(float(rows["", "time_us"]["error"]) + 0.2) < 1e-5
    assert abs(float(rows["PipeUtilization", "aiv_mte2_time(us)"]["error"]) + 0.2) < 1e-4
    assert float(rows["PipeUtilization", "aiv_mte2_ratio"]["error"]) == 0, "ratios were left alone"
    assert float(rows["Memory", "GM_to_UB_datas(KB)"]["device"]) == float(rows["Memory", "GM_to_UB_datas(KB)"]["model"]) > 0
    assert "add" in done.out and "-20.0 %" in done.out
    assert tools.call("dlsim", "compare", run.parent, device, "--within", "19").code == 1
    assert tools.call("dlsim", "compare", run.parent, device, "--within", "21").code == 0


def test_a_run_beside_a_table_of_operators(tools, vector_add, tmp_path):
    run = tmp_path / "run"
    assert tools.run(*vector_add, "--out", run).code == 0
    shutil.copy(run / "op_summary.csv", tmp_path / "op_summary_20260101.csv")
    done = tools.call("dlsim", "compare", run, tmp_path / "op_summary_20260101.csv", "--metric", "op_summary: aiv")
    assert done.code == 0, done.err
    assert "op_summary: aiv_mte2_time(us)" in done.out and "aic_mac_time" not in done.out
    assert all(word in ("+0.0", "%") or not word.endswith("%") for word in done.out.split())


def test_counters_of_a_gpu_beside_the_replayed_orders(tools, tmp_path):
    """The worked example on one shape: tile orders replayed through the GPU's L2, against its counters, by name and by shape."""
    from experiments.h200 import run

    rows = [row for row in run.measured() if row["shape"] == (4096, 4096, 4096)]
    run.write(tmp_path / "model.csv", run.model_table(run.compare(rows, tools.bin / "dlsim-replay")))
    done = tools.call("dlsim", "compare", tmp_path / "model.csv", REPOSITORY / "experiments" / "validation" / "measured" / "h200_matmul_order.csv", "--metric", "hbm_read")
    assert done.code == 0, done.err
    assert "M=4096 N=4096 K=4096 order=rows" in done.out
    assert "only on the device: M=8192" in done.err
    done = tools.call("dlsim", "compare", tmp_path / "model.csv", MEASURED, "--metric", "hbm_read", "--out", tmp_path / "c.csv")
    assert done.code == 0, done.err
    errors = {row["case"]: float(row["error"]) for row in csv.DictReader((tmp_path / "c.csv").open())}
    assert set(errors) == {f"matmul-4096x4096x4096-{order}" for order in ("rows", "group8", "diagonal8")}
    assert max(map(abs, errors.values())) < 0.3, "programs in step read up to a quarter more here"


def test_what_is_no_measurement_is_refused(tools, vector_add, tmp_path):
    run = tmp_path / "run"
    assert tools.run(*vector_add, "--out", run).code == 0
    (tmp_path / "empty").mkdir()
    (tmp_path / "names.csv").write_text("name,age\nx,3\n")
    (tmp_path / "ragged.csv").write_text("case,time_us\nx,3,4\n")
    for device, words in ((tmp_path / "nothing", "does not exist"), (tmp_path / "empty", "holds no measurements"),
                          (tmp_path / "names.csv", "no column is a measurement"), (tmp_path / "ragged.csv", "ragged.csv:2: has 3 cells, the header has 2")):
        done = tools.call("dlsim", "compare", run, device)
        assert done.code == 2 and words in done.err, done.err
        assert done.out == ""
    done = tools.call("dlsim", "compare", run, run, "--metric", "no such thing")
    assert done.code == 2 and "no metric of both sides has 'no such thing'" in done.err
    (run / "summary.json").write_text(json.dumps({"something": "else"}))
    done = tools.call("dlsim", "compare", run, run)
    assert done.code == 2 and "is not the summary of a run" in done.err
