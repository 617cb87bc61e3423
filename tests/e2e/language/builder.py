"""Small TTIR kernels around one construct each: tiles come in whole, the construct computes, results go out whole."""

import json
from dataclasses import dataclass, field

import numpy as np

ELEMENTS = {"float16": "f16", "float32": "f32", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "i8",
            "uint16": "i16", "uint32": "i32", "uint64": "i64", "bool": "i8"}


@dataclass
class BF16:
    """An array of bf16 bit patterns."""
    bits: np.ndarray

    @property
    def shape(self):
        return self.bits.shape

    def floats(self):
        return (self.bits.astype(np.uint32) << 16).view(np.float32)


def bf16(values):
    """Rounded to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return BF16(((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16))


@dataclass
class Probe:
    name: str
    text: str  # computes %r (or %r0, %r1, ..) out of the tiles %NAME of the inputs
    inputs: dict
    outputs: list  # what numpy says
    scalars: dict = field(default_factory=dict)  # name: (type, value)
    relative: float = 0
    absolute: float = 0
    helpers: str = ""  # functions beside the kernel
    grid: tuple = (1, 1, 1)
    pointers: bool = False  # inputs and outputs stay pointers (%NAME_ptr, %o0_ptr ..): the text loads and stores


def memory_element(array):
    """The element type in memory."""
    return "bf16" if isinstance(array, BF16) else ELEMENTS[str(array.dtype)]


def stored(array):
    """The array that the file of the case holds."""
    if isinstance(array, BF16):
        return array.bits
    if array.dtype == bool:
        return array.astype(np.int8)
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array


def tile(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def offsets(name, shape):
    """Text of the row-major element offsets of a tile, as %NAME_off."""
    lines, last = [], None
    for d, size in enumerate(shape):
        stride = int(np.prod(shape[d + 1:]))
        line = f"%{name}_{d}"
        lines.append(f"{line} = tt.make_range {{start = 0 : i32, end = {size} : i32}} : {tile([size], 'i32')}")
        at = [size]
        for axis in [*range(d), *range(d + 1, len(shape))]:
            grown = [*at[:axis], 1, *at[axis:]]
            lines.append(f"{line}_{axis} = tt.expand_dims {line} {{axis = {axis} : i32}} : {tile(at, 'i32')} -> {tile(grown, 'i32')}")
            line, at = f"{line}_{axis}", grown
        lines.append(f"%{name}_{d}_c = arith.constant dense<{stride}> : {tile(at, 'i32')}")
        lines.append(f"%{name}_{d}_m = arith.muli {line}, %{name}_{d}_c : {tile(at, 'i32')}")
        line = f"%{name}_{d}_m"
        if at != list(shape):
            lines.append(f"{line}b = tt.broadcast {line} : {tile(at, 'i32')} -> {tile(shape, 'i32')}")
            line += "b"
        if last:
            lines.append(f"{line}a = arith.addi {last}, {line} : {tile(shape, 'i32')}")
            line += "a"
        last = line
    return lines, last


def addresses(name, shape, element):
    lines, offset = offsets(name, shape)
    vector = tile(shape, f"!tt.ptr<{element}>")
    lines.append(f"%{name}_s = tt.splat %{name}_ptr : !tt.ptr<{element}> -> {vector}")
    lines.append(f"%{name}_p = tt.addptr %{name}_s, {offset} : {vector}, {tile(shape, 'i32')}")
    return lines, vector


def load(name, array):
    shape, element = array.shape, memory_element(array)
    lines, vector = addresses(name, shape, element)
    if not isinstance(array, BF16) and array.dtype == bool:
        byte = tile(shape, "i8")
        return [*lines, f"%{name}_b = tt.load %{name}_p : {vector}", f"%{name}_z = arith.constant dense<0> : {byte}",
                f"%{name} = arith.cmpi ne, %{name}_b, %{name}_z : {byte}"]
    return [*lines, f"%{name} = tt.load %{name}_p : {vector}"]


def store(name, value, array):
    shape, element = array.shape, memory_element(array)
    if shape == ():
        return [f"tt.store %{name}_ptr, {value} : !tt.ptr<{element}>"]
    lines, vector = addresses(name, shape, element)
    if not isinstance(array, BF16) and array.dtype == bool:
        lines.append(f"{value}_b = arith.extui {value} : {tile(shape, 'i1')} to {tile(shape, 'i8')}")
        value += "_b"
    return [*lines, f"tt.store %{name}_p, {value} : {vector}"]


def kernel(probe):
    """The module's text."""
    outputs = {f"o{i}": array for i, array in enumerate(probe.outputs)}
    arguments = [f"%{name}_ptr: !tt.ptr<{memory_element(array)}>" for name, array in [*probe.inputs.items(), *outputs.items()]]
    arguments += [f"%{name}: {kind}" for name, (kind, _) in probe.scalars.items()]
    lines = []
    if not probe.pointers:
        for name, array in probe.inputs.items():
            lines += load(name, array)
    lines += probe.text.strip().splitlines()
    if not probe.pointers:
        for i, (name, array) in enumerate(outputs.items()):
            lines += store(name, "%r" if len(outputs) == 1 else f"%r{i}", array)
    body = "".join(f"    {line}\n" for line in lines)
    return f"module {{\n{probe.helpers}  tt.func public @probe({', '.join(arguments)}) {{\n{body}    tt.return\n  }}\n}}\n"


def write(probe, folder):
    """The files of the case; paths of kernel and case."""
    tensors = {**{name: (array, None) for name, array in probe.inputs.items()},
               **{f"o{i}": (array, True) for i, array in enumerate(probe.outputs)}}
    args, arrays = [], {}
    for name, (array, output) in tensors.items():
        data = stored(array)
        shape = list(data.shape) or [1]
        arg = {"name": f"{name}_ptr", "kind": "tensor", "dtype": memory_element(array), "shape": shape}
        if output:
            arg["output"] = True
        args.append(arg)
        arrays[f"in_{name}_ptr"] = (np.zeros_like(data) if output else data).reshape(shape)
    args += [{"name": name, "kind": "scalar", "dtype": kind, "value": value} for name, (kind, value) in probe.scalars.items()]
    (folder / "probe.json").write_text(json.dumps({"name": "probe", "kernel": "probe", "grid": list(probe.grid), "args": args}))
    np.savez(folder / "probe.npz", **arrays)
    (folder / "probe.ttir").write_text(kernel(probe))
    return folder / "probe.ttir", folder / "probe.json"




def differences(probe, results):
    """What is wrong in the arrays that the run wrote, as text; empty if nothing is."""
    for i, expected in enumerate(probe.outputs):
        actual = results[f"out_o{i}_ptr"].reshape(expected.shape)
        if isinstance(expected, BF16):
            actual, expected = BF16(actual.view(np.uint16)).floats(), expected.floats()
        else:
            expected = stored(expected)
        with np.errstate(all="ignore"):
            same = (actual == expected) | ((actual != actual) & (expected != expected))
            if expected.dtype.kind == "f":
                distance = np.abs(actual.astype(np.float64) - expected)
                same |= distance <= np.maximum(probe.relative * np.abs(expected.astype(np.float64)), probe.absolute)
        if not same.all():
            at = tuple(np.argwhere(~same)[0]) if expected.shape else ()
            return f"output {i}: {np.count_nonzero(~same)} of {same.size} wrong; {list(map(int, at))} is {actual[at]}, not {expected[at]}"
    return ""
