"""Values are computed by the commands: a small change of a compiled kernel changes them or faults."""

import re

import numpy
import pytest

from conftest import CASES, KERNELS, argument_words, matmul_case


def lines_with(text, pattern):
    return [number for number, line in enumerate(text) if re.search(pattern, line)]


class Subject:
    """A kernel as assembly, which can be changed, assembled and run."""

    def __init__(self, tools, folder, source, case, kind):
        self.tools, self.folder, self.case = tools, folder, case
        assembly = folder / "kernel.s"
        # Joined programs are code of their own, which small launches do not run.
        words = ["--coarsen=off"] if source.suffix == ".ttir" else [f"--kind={kind}"]
        done = tools.call("dlc", source, "--emit=asm", "-o", assembly, "--no-debug-info", *words)
        assert done.code == 0, done.err
        self.text, self.kind = assembly.read_text().splitlines(), kind
        self.count = 0
        assert self.result(self.text)[0] == 0, "the unchanged assembly must run"
        self.reference = self.result(self.text)[1]

    def result(self, text):
        """Exit code and output arrays (nothing after a fault)."""
        self.count += 1
        path, out = self.folder / f"{self.count}.s", self.folder / f"out{self.count}"
        path.write_text("\n".join(text) + "\n")
        built = self.tools.call("dlc", path, "-o", path.with_suffix(".dlk"), f"--kind={self.kind}", *argument_words(self.case))
        assert built.code == 0, built.err
        done = self.tools.run(path.with_suffix(".dlk"), self.case, "--out", out, "--max-cycles=2000000")
        assert done.code in (0, 1, 3), done.err
        if done.code == 3:
            return 3, None
        return done.code, {name: array for name, array in numpy.load(out / "outputs.npz").items()}

    def seen(self, text):
        """The change faults or changes an output."""
        code, arrays = self.result(text)
        return code == 3 or any((arrays[name] != self.reference[name]).any() for name in arrays)

    def without(self, number):
        return self.text[:number] + self.text[number + 1:]

    def changed(self, number, old, new):
        line = re.sub(old, new, self.text[number], count=1)
        assert line != self.text[number]
        return self.text[:number] + [line] + self.text[number + 1:]


@pytest.fixture
def vector(tools, tmp_path):
    return Subject(tools, tmp_path, KERNELS / "vector_add.c", CASES / "vector_add.json", "aiv")


@pytest.fixture
def cube(tools, tmp_path):
    return Subject(tools, tmp_path, KERNELS / "matmul.c", matmul_case(tmp_path, 256, 512, 384), "aic")


def test_a_flag_less_on_the_vector_core(vector):
    for pattern in (r"wait_flag\.v\tmte2", r"wait_flag\.mte3\tv", r"set_flag\.mte2\tv", r"set_flag\.v\tmte3"):
        number = lines_with(vector.text, pattern)[0]
        assert vector.seen(vector.without(number)), vector.text[number]


def test_a_flag_less_on_the_cube_core(cube):
    for pattern in (r"wait_flag\.mte1\tmte2", r"wait_flag\.m\tmte1", r"wait_flag\.fix\tm", r"set_flag\.mte1\tm"):
        for number in lines_with(cube.text, pattern):
            assert cube.seen(cube.without(number)), (number, cube.text[number])


def test_every_command_counts(vector, cube):
    for subject in (vector, cube):
        for number in lines_with(subject.text, r"^\t+(mte\d\.|v\.add|v\.count|m\.mmad|fix\.copy)"):
            assert subject.seen(subject.without(number)), subject.text[number]


def bundle_of(text, number):
    """First and last line of the bundle that holds this line."""
    first = last = number
    while text[first].strip() != "{" and text[first - 1].startswith("\t\t"):
        first -= 1
    if text[first].startswith("\t\t"):  # inside braces
        first -= 1
        while text[last].strip() != "}":
            last += 1
    return first, last


def shifted(subject, number, operand, by):
    """The same command with `by` added to one register operand; the register has its value again after the bundle."""
    register = re.findall(r"\br\d+\b", subject.text[number])[operand]
    first, last = bundle_of(subject.text, number)
    change = f"\taddi\t{register}, {register}, "
    return subject.text[:first] + [change + str(by)] + subject.text[first:last + 1] + [change + str(-by)] + subject.text[last + 1:]


def test_a_shifted_address(vector, cube):
    for subject, pattern, operands in ((vector, r"mte2\.copy\.ub", (0, 1)), (vector, r"v\.add\t", (0, 1, 2)),
                                       (vector, r"mte3\.copy\.ub", (0, 1)), (cube, r"mte2\.nd2nz", (0, 1)),
                                       (cube, r"mte1\.load\.l0[ab]", (0, 1)), (cube, r"m\.mmad", (0, 1, 2)),
                                       (cube, r"fix\.copy\.gm", (0, 1))):
        number = lines_with(subject.text, pattern)[0]
        for operand in operands:
            assert subject.seen(shifted(subject, number, operand, 32)), (subject.text[number], operand)


def test_a_changed_mask(vector):
    number = lines_with(vector.text, r"v\.count\t")[0]
    assert vector.seen(shifted(vector, number, 0, -1))


def test_a_changed_dtype(vector, cube):
    assert vector.seen(vector.changed(lines_with(vector.text, r"v\.add\t")[0], r"2$", "0"))
    assert cube.seen(cube.changed(lines_with(cube.text, r"m\.mmad\t")[0], r"0$", "1"))


@pytest.mark.parametrize("name, kind, patterns", [
    # softmax stores after the scalar unit has waited for the sum; the store, which reads when it completes, then always finds
    # the finished row. vector_add issues its store long before.
    ("softmax", "aiv", (r"wait_flag\.v\tmte2",)),
    ("vector_add", "aiv", (r"wait_flag\.v\tmte2", r"wait_flag\.mte3\tv")),
    ("matmul_ptr", "aic", (r"wait_flag\.mte1\tmte2", r"wait_flag\.m\tmte1")),
])
def test_a_flag_less_in_a_triton_kernel(tools, tmp_path, name, kind, patterns):
    subject = Subject(tools, tmp_path, CASES / f"{name}.ttir", CASES / f"{name}.json", kind)
    for pattern in patterns:
        numbers = lines_with(subject.text, pattern)
        assert numbers, pattern
        # Flags that come first in the code are the ones on the way to the first use of a buffer.
        assert subject.seen(subject.without(numbers[0])), subject.text[numbers[0]]


def test_a_unit_flag_less_in_a_triton_kernel(tools, tmp_path):
    """A store that neither waits for products nor frees their place, and a sum that nobody hands over."""
    subject = Subject(tools, tmp_path, CASES / "matmul_ptr.ttir", CASES / "matmul_ptr.json", "aic")
    for command, unit_flag in ((r"fix\.copy\.gm\t", 3 << 10), (r"m\.mmad\t.*, 96$", 1 << 5)):
        number = lines_with(subject.text, command)[-1]
        immediate = int(subject.text[number].split()[-1])
        assert immediate & unit_flag == unit_flag
        assert subject.seen(subject.changed(number, f"{immediate}$", str(immediate & ~unit_flag))), subject.text[number]
