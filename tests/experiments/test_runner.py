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
