"""The runner's cache: a result is kept exactly as long as nothing that it depends on changes."""

import dataclasses

import pytest

from experiments.runner import Case, sweep
from experiments.runner.tools import ToolError


class FakeTools:
    """Counts what is compiled and run; the binary holds the kernel's text without its comments."""

    def __init__(self, dlc="1", dlsim="1"):
        self.versions = {"dlc": dlc, "dlsim": dlsim}
        self.calls = []

    def version_of(self, name):
        return self.versions[name]

    def run(self, name, *words, timeout=None):
        self.calls.append(name)
        words = [str(word) for word in words]
        if name == "dlc":
            lines = open(words[0]).read().splitlines()
            if "error" in lines:
                raise ToolError("dlc ended with 1: no such thing")
            with open(words[2], "w") as file:
                file.write("\n".join(line for line in lines if not line.startswith("//")))
        else:
            folder = words[words.index("--out") + 1]
            sweep.Path(folder).mkdir()
            (sweep.Path(folder) / "summary.json").write_text('{"cycles": 7}')


@pytest.fixture
def case(tmp_path):
    kernel = tmp_path / "kernel.s"
    kernel.write_text("exit\n")
    return Case(labels={"case": "one"}, kernel=kernel, launch={"grid": [1, 1, 1], "args": []})


def run(case, tools, tmp_path):
    (_, summary, error), = sweep.run_sweep([case], tools, jobs=1, cache=tmp_path / "cache", say=lambda text: None)
    calls, tools.calls = tools.calls, []
    return summary, error, calls


def test_a_rerun_computes_nothing(case, tmp_path):
    tools = FakeTools()
    assert run(case, tools, tmp_path) == ({"cycles": 7}, None, ["dlc", "dlsim"])
    assert run(case, tools, tmp_path) == ({"cycles": 7}, None, [])


def test_another_compiler_with_the_same_binary_runs_nothing_again(case, tmp_path):
    run(case, FakeTools(), tmp_path)
    assert run(case, FakeTools(dlc="2"), tmp_path)[2] == ["dlc"]


def test_another_simulator_compiles_nothing_again(case, tmp_path):
    run(case, FakeTools(), tmp_path)
    assert run(case, FakeTools(dlsim="2"), tmp_path)[2] == ["dlsim"]


def test_a_comment_in_the_kernel_runs_nothing_again_but_code_does(case, tmp_path):
    tools = FakeTools()
    run(case, tools, tmp_path)
    case.kernel.write_text("// ends\nexit\n")
    assert run(case, tools, tmp_path)[2] == ["dlc"]
    case.kernel.write_text("nop\nexit\n")
    assert run(case, tools, tmp_path)[2] == ["dlc", "dlsim"]


@pytest.mark.parametrize("change", [{"launch": {"grid": [2, 1, 1], "args": []}}, {"run_options": ("--cores=1",)}])
def test_what_only_the_run_sees_compiles_nothing(case, tmp_path, change):
    tools = FakeTools()
    run(case, tools, tmp_path)
    assert run(dataclasses.replace(case, **change), tools, tmp_path)[2] == ["dlsim"]


def test_a_chip_depends_on_the_files_that_it_builds_on(tmp_path):
    (tmp_path / "one.toml").write_text('name = "one"\n')
    (tmp_path / "two.toml").write_text('base = "one.toml"\nname = "two"\n')
    (tmp_path / "other.toml").write_text('name = "other"\n')
    assert sweep.chip_text("two", tmp_path) == ['base = "one.toml"\nname = "two"\n', 'name = "one"\n']
    assert sweep.chip_text("other", tmp_path) == ['name = "other"\n']


def test_a_failure_is_reported_and_not_kept(case, tmp_path):
    tools = FakeTools()
    case.kernel.write_text("error\n")
    summary, error, calls = run(case, tools, tmp_path)
    assert summary is None and "no such thing" in error and calls == ["dlc"]
    assert run(case, tools, tmp_path)[2] == ["dlc"]


def test_a_replacement_compiles_the_changed_text(case, tmp_path):
    tools = FakeTools()
    case.kernel.write_text("tile 64\n")
    other = dataclasses.replace(case, replace=(("64", "128"),))
    assert run(case, tools, tmp_path)[2] == ["dlc", "dlsim"]
    assert run(other, tools, tmp_path)[2] == ["dlc", "dlsim"]
    assert other.text() == "tile 128\n"
    with pytest.raises(ValueError, match="does not occur"):
        dataclasses.replace(case, replace=(("96", "128"),)).text()


def test_tensors_that_steer_the_kernel_are_part_of_the_key_and_written(case, tmp_path):
    import numpy

    launch = {"grid": [1, 1, 1], "args": [{"name": "offs", "kind": "tensor", "dtype": "i32", "shape": [3]}]}
    case = dataclasses.replace(case, launch=launch, inputs={"offs": [0, 3, 5]})
    tools = FakeTools()
    run(case, tools, tmp_path)
    assert run(case, tools, tmp_path)[2] == []
    assert run(dataclasses.replace(case, inputs={"offs": [0, 4, 5]}), tools, tmp_path)[2] == ["dlsim"]
    sweep.write_inputs(case, tmp_path / "launch.npz")
    assert numpy.load(tmp_path / "launch.npz")["in_offs"].tolist() == [0, 3, 5]


def test_a_trace_becomes_the_spans_of_the_chosen_cores():
    events = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "AIC0"}}, {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "AIC1"}},
              *({"ph": "M", "name": "thread_name", "pid": pid, "tid": 2, "args": {"name": "MTE2"}} for pid in (0, 1)),
              *({"ph": "X", "name": "load", "pid": pid, "tid": 2, "ts": 1.5, "dur": 0.25} for pid in (0, 1))]
    assert sweep.busy_spans({"traceEvents": events}, ("AIC0",)) == [["AIC0", "MTE2", 1.5, 0.25, "load"]]


def test_parts_hold_every_point_once(monkeypatch):
    from experiments.runner import steps

    class Experiment:
        @staticmethod
        def cases(quick):
            return [Case({"n": n}, sweep.Path("k"), {}) for n in range(10)]

        @staticmethod
        def row(case, summary):
            return {**case.labels, **summary}

    monkeypatch.setattr(steps, "load", lambda name: Experiment)
    monkeypatch.setattr(steps, "run_sweep", lambda cases, *_, **__: [(c, None if c.labels["n"] == 3 else {"t": c.labels["n"]}, "bad" if c.labels["n"] == 3 else None) for c in cases])
    records = [record for part in range(3) for record in steps.run_points("x", True, part, 3, None)]
    assert sorted(record["number"] for record in records) == list(range(10))
    assert [record["labels"] for record in records if record["error"]] == [{"n": 3}]
