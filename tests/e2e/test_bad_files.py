"""Files of the compiler's tools: outputs that are inputs, that cannot be written, inputs that are no kernel."""

import random
import subprocess

import pytest

from conftest import CASES, REPOSITORY, argument_words

KERNEL = CASES / "vector_add.ttir"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "kernel.ttir"
    path.write_bytes(KERNEL.read_bytes())
    return path


def to(tools, target, name, *words):
    with open(target, "w") as out:
        return subprocess.run([str(tools.bin / name), *map(str, words)], stdout=out, stderr=subprocess.PIPE, text=True, timeout=60)


@pytest.mark.parametrize("tool", ("dlc", "dl-opt"))
def test_output_that_is_the_input(tools, source, tmp_path, tool):
    (tmp_path / "link.ttir").symlink_to(source)
    (tmp_path / "folder").mkdir()
    for path in (source, tmp_path / "folder" / ".." / "kernel.ttir", tmp_path / "link.ttir"):
        done = tools.call(tool, source, "-o", path)
        assert done.code == 2 and f"{tool}: -o {path} would overwrite the input {source}" in done.err, done.err
    assert source.read_bytes() == KERNEL.read_bytes()


def test_codes_of_dlc(tools, source, tmp_path):
    assert tools.call("dlc", source, "-o", tmp_path / "none" / "x.dlk").code == 2
    for emit in ("npu", "asm", "dlk"):
        done = to(tools, "/dev/full", "dlc", source, f"--emit={emit}", "-o", "-")
        assert done.returncode == 2 and done.stderr == "dlc: standard output: cannot be written: No space left on device\n", done.stderr
    (tmp_path / "file").write_text("")
    done = tools.call("dlc", source, "-o", tmp_path / "x.dlk", "--dump-dir", tmp_path / "file")
    assert done.code == 2 and ": cannot be written: Not a directory" in done.err, done.err
    source.write_text("module {")
    assert tools.call("dlc", source, "-o", tmp_path / "x.dlk").code == 1


def test_codes_of_dl_opt(tools, source, tmp_path):
    assert tools.call("dl-opt", source, "-o", tmp_path / "x.mlir").code == 0
    assert tools.call("dl-opt", tmp_path / "none.mlir").code == 2
    assert tools.call("dl-opt", source, "--no-such-option").code == 2
    assert tools.call("dl-opt", source, "-o", tmp_path / "none" / "x.mlir").code == 2
    done = to(tools, "/dev/full", "dl-opt", source)
    assert done.returncode == 2 and done.stderr == "dl-opt: standard output: cannot be written: No space left on device\n", done.stderr
    assert tools.call("dl-opt", source, "-o", "/dev/full").code == 2
    assert tools.call("dl-opt", source, "-o", "/dev/null").code == 0
    source.write_text("module {")
    assert tools.call("dl-opt", source).code == 1


@pytest.mark.parametrize("suffix", ("bc", "ll", "s", "ttir", "mlir"))
def test_bytes_that_are_no_text(tools, tmp_path, suffix):
    path = tmp_path / f"kernel.{suffix}"
    path.write_bytes(random.Random(1).randbytes(3000))
    done = tools.call("dlc", path, "-o", tmp_path / "x.dlk")
    assert done.code == 1 and done.err.startswith(f"dlc: {path}: is not text") and len(done.err) < 300, done.err


def test_mistakes_in_the_text_have_a_position(tools, source, tmp_path):
    source.write_text(KERNEL.read_text().replace("tt.addptr %", "tt.addptr ", 1))
    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if "tt.addptr " in text and "tt.addptr %" not in text)
    done = tools.call("dlc", source, "-o", tmp_path / "x.dlk")
    assert done.code == 1 and done.err.startswith(f"{source}:{line}:") and ": error: expected SSA operand" in done.err, done.err


def test_tiles_without_elements(tools, source, tmp_path):
    source.write_text("""module {
  tt.func public @k(%a: !tt.ptr<f32>) {
    %c = arith.constant dense<1.0> : tensor<0xf32> loc("kernel.py":4:8)
    tt.print "x" {hex = false, isSigned = array<i32: 1>} : %c : tensor<0xf32>
    tt.return
  }
}
""")
    done = tools.call("dlc", source, "-o", tmp_path / "x.dlk")
    assert done.code == 1 and done.err == "kernel.py:4:8: error: 'tensor<0xf32>': a tensor has 1 to 2^31 elements, in extents that are known\n", done.err
    assert not (tmp_path / "x.dlk").exists()


def test_assembly_keeps_the_file_of_its_lines(tools, tmp_path):
    assembly = tools.compile(KERNEL, "--emit=asm", suffix=".s")
    kernel = tools.compile(assembly, *argument_words(KERNEL.with_suffix(".json")))
    listing = tools.call("dl-objdump", kernel).out
    assert "// kernels_shared.py:19" in listing and "/kernels_shared.py" not in listing.replace("// kernels_shared.py", ""), listing


def test_a_chip_with_other_vector_cores(tools, tmp_path):
    """A kernel whose two vector cores share rows is refused on a chip with one; compiled for that chip it works there."""
    case = CASES / "flash_attention.json"
    shared, one = tools.compile(case.with_suffix(".ttir")), ("-D", "core.aiv.per_cluster=1")
    done = tools.run(shared, case, *one)
    assert done.code == 2 and "counts on 2 aiv cores in a cluster, but core.aiv.per_cluster of chip ascend910b1 is 1" in done.err, done.err
    assert "--bind-sub-cores=off" in done.err
    assert tools.run(shared, case, "-D", "core.aic.per_cluster=2").code == 2
    chip = tmp_path / "mine.toml"
    (tmp_path / "ascend910b1.toml").write_text((REPOSITORY / "sim" / "chips" / "ascend910b1.toml").read_text())
    chip.write_text('name = "mine"\nbase = "ascend910b1.toml"\ncore.aiv.per_cluster = { value = 1, source = "assumed" }\n')
    for kernel, options in ((tools.compile(case.with_suffix(".ttir"), f"--chip={chip}"), ()),  # for its own chip
                            (tools.compile(case.with_suffix(".ttir"), "--bind-sub-cores=off"), one)):
        assert tools.run(kernel, case, *options).code == 0
