"""Kernels that use what is not supported, and the words of the message: what, and what is supported instead."""

import numpy as np

from tests.e2e.language import builder

TILE = np.zeros(64, np.float32)
INTEGERS = np.zeros(64, np.int32)
SQUARE = np.zeros((32, 32), np.float32)
DOUBLED = "%r = arith.addf %x, %x : tensor<64xf32>"
SPREAD = "%s = tt.splat %g : f32 -> tensor<64xf32>\n%r = arith.addf %x, %s : tensor<64xf32>"


def extern(symbol, operands=1):
    names, types = ", ".join(["%x"] * operands), ", ".join(["tensor<64xf32>"] * operands)
    return (f'%r = tt.extern_elementwise {names} {{libname = "", libpath = "", pure = true, symbol = "{symbol}"}} '
            f": ({types}) -> tensor<64xf32>")


# name: (text, words of the message, changes of the probe)
TEXTS = {
    "tensors of f64": ("""%d = arith.extf %x : tensor<64xf32> to tensor<64xf64>
%e = arith.addf %d, %d : tensor<64xf64>
%r = arith.truncf %e : tensor<64xf64> to tensor<64xf32>""",
                       ["arith.extf: no unit computes with elements of f64; f16, bf16, f32, i1, i8, i16, i32 and i64 are supported"], {}),
    "scalars of f64": ("""%b = tt.bitcast %x_ptr : !tt.ptr<f32> -> !tt.ptr<f64>
%l = tt.load %b : !tt.ptr<f64>
%g = arith.truncf %l : f64 to f32
""" + SPREAD, ["double-precision floating point does not exist on this core; use float"], {}),
    "copies of f64": ("""%b = tt.bitcast %x_ptr : !tt.ptr<f32> -> !tt.ptr<f64>
%e = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
%p = tt.splat %b : !tt.ptr<f64> -> tensor<32x!tt.ptr<f64>>
%q = tt.addptr %p, %e : tensor<32x!tt.ptr<f64>>, tensor<32xi32>
%v = tt.load %q : tensor<32x!tt.ptr<f64>>
tt.store %q, %v : tensor<32x!tt.ptr<f64>>
""" + DOUBLED, ["element type 'f64' cannot be moved by this command; integers of 8 to 64 bits, f16, bf16 and f32 can"], {}),
    "tensors of i128": ("""%i = arith.fptosi %x : tensor<64xf32> to tensor<64xi32>
%w = arith.extsi %i : tensor<64xi32> to tensor<64xi128>
%p = arith.muli %w, %w : tensor<64xi128>
%t = arith.trunci %p : tensor<64xi128> to tensor<64xi32>
%r = arith.sitofp %t : tensor<64xi32> to tensor<64xf32>""", ["no unit computes with elements of i128"], {}),
    "another float of 8 bits": ("""%y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FNUZ>
%r = tt.fp_to_fp %y : tensor<64xf8E4M3FNUZ> -> tensor<64xf32>""", ["no unit computes with elements of f8E4M3FNUZ"], {}),
    "stochastic rounding": ("""%y = tt.fp_to_fp %x, rounding = rs : tensor<64xf32> -> tensor<64xf16>
%r = tt.fp_to_fp %y : tensor<64xf16> -> tensor<64xf32>""", ["stochastic rounding (rs) is not supported; rtne and rtz are"], {}),
    "inline assembly": ("""%r = tt.elementwise_inline_asm "mov" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xf32> -> tensor<64xf32>""",
                        ["unsupported op tt.elementwise_inline_asm; supported: tt.addptr"], {}),
    "a map with a region": ("""%r = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
^bb0(%a: f32):
tt.map_elementwise.return %a : f32
}) : (tensor<64xf32>) -> tensor<64xf32>""", ["unsupported op tt.map_elementwise; supported: tt.addptr"], {}),
    "layouts": ("%a = ttg.local_alloc %x : (tensor<64xf32>) -> !ttg.memdesc<64xf32>\n" + DOUBLED,
                ["unsupported op ttg.local_alloc; TTIR text may use the dialects tt, arith"], {}),
    "gamma": (extern("__nv_tgammaf"), ["'__nv_tgammaf' (f32) -> f32 is no function that is known here", "but for tgamma"], {}),
    "Bessel j": (extern("__nv_j0f"), ["'__nv_j0f' (f32) -> f32 is no function", "Bessel functions j and y"], {}),
    "another rounding": (extern("__nv_fadd_rz", 2), ["'__nv_fadd_rz' (f32, f32) -> f32 is no function", "(no _rz, _rd, _ru)"], {}),
    "too few operands": (extern("__nv_powf"), ["'__nv_powf' (f32) -> f32 is no function"], {}),
    "too many operands": (extern("__nv_sinf", 2), ["'__nv_sinf' (f32, f32) -> f32 is no function"], {}),
    "no operands": (extern("__nv_sinf", 0), ["'__nv_sinf' () -> f32 is no function"], {}),
    "function of a scalar": ("""%g = tt.extern_elementwise %k {libname = "", libpath = "", pure = true, symbol = "__nv_y1f"} : (f32) -> f32
""" + SPREAD, ["'__nv_y1f' (f32) -> f32 is no function"], {"scalars": {"k": ("f32", 1)}}),
    "assembly of a scalar": ("""%g = llvm.inline_asm "mov $0, $1", "=r,r" %k : (f32) -> f32
""" + SPREAD, ["llvm.inline_asm: not supported on scalars here; arith, and exp, exp2, log"], {"scalars": {"k": ("f32", 1)}}),
    "powers of integers": ("%r = math.ipowi %x, %x : tensor<64xi32>", ["math.ipowi: not supported on tensors; write it with other"],
                           {"inputs": {"x": INTEGERS}, "outputs": [INTEGERS]}),
    "sums with a carry": ("""%s, %o = arith.addui_extended %x, %x : tensor<64xi32>, tensor<64xi1>
%w = arith.extui %o : tensor<64xi1> to tensor<64xi32>
%r = arith.addi %s, %w : tensor<64xi32>""", ["arith.addui_extended: operations with several results are not supported on tensors"],
                          {"inputs": {"x": INTEGERS}, "outputs": [INTEGERS]}),
    "concatenation of tensors": ("""%c = tensor.concat dim(0) %x, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
%r = tensor.extract_slice %c[0] [64] [1] : tensor<128xf32> to tensor<64xf32>""",
                                 ["tensor.concat: not supported on tensors; write it with other operations of tt, arith and math"], {}),
    "a slice of any stride": ("""%i = arith.index_cast %k : i32 to index
%h = tensor.extract_slice %x[0] [32] [%i] : tensor<64xf32> to tensor<32xf32>
%r = tt.cat %h, %h : tensor<32xf32> -> tensor<64xf32>""", ["sizes and strides of a slice must be constants"], {"scalars": {"k": ("i32", 1)}}),
    "updates of f64": ("""%b = tt.bitcast %x_ptr : !tt.ptr<f32> -> !tt.ptr<f64>
%c = arith.constant 1.0 : f64
%o = tt.atomic_rmw fadd, acq_rel, gpu, %b, %c : (!tt.ptr<f64>, f64) -> f64
""" + DOUBLED, ["tt.atomic_rmw fadd on elements of 'f64' is not supported; integers of 8 to 64 bits"], {}),
    "exchanges of f64": ("""%b = tt.bitcast %x_ptr : !tt.ptr<f32> -> !tt.ptr<f64>
%c = arith.constant 1.0 : f64
%o = tt.atomic_cas acq_rel, gpu, %b, %c, %c : (!tt.ptr<f64>, f64, f64) -> f64
""" + DOUBLED, ["tt.atomic_cas on elements of 'f64' is not supported; integers of 8 to 64 bits"], {}),
    "extremes of floats": ("%one = arith.constant 1.0 : f32\n%o = tt.atomic_rmw max, acq_rel, gpu, %x_ptr, %one : (!tt.ptr<f32>, f32) -> f32\n" + DOUBLED,
                           ["tt.atomic_rmw max on elements of 'f32' is not supported"], {}),
    "pointers as data": ("""%a = tt.ptr_to_int %x_p : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
%r = arith.sitofp %a : tensor<64xi64> to tensor<64xf32>""",
                         ["keeps a tensor of pointers that is more than the address of a load or store; compute with offsets"], {}),
    "prints of f64": ("""%d = arith.extf %k : f32 to f64
tt.print "d" {hex = false, isSigned = array<i32: 1>} : %d : f64
""" + DOUBLED, ["tt.print: values of f64 are not printed; integers of up to 64 bits and floats of up to 32 are"], {"scalars": {"k": ("f32", 1)}}),
    "products of i64": ("""%w = arith.fptosi %x : tensor<32x32xf32> to tensor<32x32xi64>
%z = arith.constant dense<0> : tensor<32x32xi64>
%d = tt.dot %w, %w, %z : tensor<32x32xi64> * tensor<32x32xi64> -> tensor<32x32xi64>
%r = arith.sitofp %d : tensor<32x32xi64> to tensor<32x32xf32>""",
                        ["tt.dot of 'i64' and 'i64' into 'i64' is not supported; the cube multiplies"], {"inputs": {"x": SQUARE}, "outputs": [SQUARE]}),
    "products of two types": ("""%h = arith.truncf %x : tensor<32x32xf32> to tensor<32x32xf16>
%z = arith.constant dense<0.0> : tensor<32x32xf32>
%r = tt.dot %h, %x, %z : tensor<32x32xf16> * tensor<32x32xf32> -> tensor<32x32xf32>""",
                              ["tt.dot of 'f16' and 'f32' into 'f32' is not supported"], {"inputs": {"x": SQUARE}, "outputs": [SQUARE]}),
    "products of what vector cores stored": ("""%h = arith.truncf %x : tensor<32x32xf32> to tensor<32x32xf16>
tt.store %y_p, %h : tensor<32x32x!tt.ptr<f16>>
%l = tt.load %y_p : tensor<32x32x!tt.ptr<f16>>
%z = arith.constant dense<0.0> : tensor<32x32xf32>
%r = tt.dot %l, %l, %z : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>""",
                                             ["dl.load reads memory of argument 1, which another kind of core has stored to before (kernel.py:",
                                              "use the stored value itself, or load it in a kernel of its own"],
                                             {"inputs": {"x": SQUARE, "y": SQUARE.astype(np.float16)}, "outputs": [SQUARE]}),
    "a mask for a block pointer": ("""%n = arith.constant 64 : i64
%c1 = arith.constant 1 : i64
%i0 = arith.constant 0 : i32
%b = tt.make_tensor_ptr %x_ptr, [%n], [%c1], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
%m = arith.constant dense<true> : tensor<64xi1>
%v = tt.load %b, %m : !tt.ptr<tensor<64xf32>>
%r = arith.addf %v, %x : tensor<64xf32>""", ["through a block pointer has no mask; it checks the bounds that boundaryCheck names"], {}),
    "an update by remainders": ("""%n = arith.constant 64 : i32
%c1 = arith.constant 1 : i64
%i0 = arith.constant 0 : i32
%d = tt.make_tensor_descriptor %x_ptr, [%n], [%c1] : <f32>, <tensor<64xf32>>
tt.descriptor_reduce inc, %d[%i0], %x : !tt.tensordesc<tensor<64xf32>>, tensor<64xf32>
""" + DOUBLED, ["tt.descriptor_reduce inc is not supported; add, min, max, and, or and xor are"], {}),
    "prints of a descriptor": ("""%n = arith.constant 64 : i32
%c1 = arith.constant 1 : i64
%d = tt.make_tensor_descriptor %x_ptr, [%n], [%c1] : <f32>, <tensor<64xf32>>
tt.print "d" {hex = false, isSigned = array<i32: 1>} : %d : !tt.tensordesc<tensor<64xf32>>
""" + DOUBLED, ["tt.print of a tensor descriptor is not supported"], {}),
    "block pointers that change places": ("""%n = arith.constant 64 : i64
%c1 = arith.constant 1 : i64
%i0 = arith.constant 0 : i32
%i1 = arith.constant 1 : i32
%a = tt.make_tensor_ptr %x_ptr, [%n], [%c1], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
%b = tt.make_tensor_ptr %o0_ptr, [%n], [%c1], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
%e:2 = scf.for %i = %i0 to %k step %i1 iter_args(%p = %a, %q = %b) -> (!tt.ptr<tensor<64xf32>>, !tt.ptr<tensor<64xf32>>) : i32 {
%v = tt.load %p : !tt.ptr<tensor<64xf32>>
tt.store %q, %v : !tt.ptr<tensor<64xf32>>
scf.yield %q, %p : !tt.ptr<tensor<64xf32>>, !tt.ptr<tensor<64xf32>>
} loc("kernel.py":7:0)
""" + DOUBLED, ["kernel.py:7: error: block pointer carried by this loop is not the same tensor in every turn"], {"scalars": {"k": ("i32", 2)}}),
    "a recursion": ("%g = tt.call @again(%k) : (f32) -> f32\n" + SPREAD,
                    ["call of 'again', which leads back to itself; write a loop instead of a recursion"],
                    {"scalars": {"k": ("f32", 1)},
                     "helpers": "tt.func private @again(%a: f32) -> f32 {\n%b = tt.call @again(%a) : (f32) -> f32\ntt.return %b : f32\n}\n"}),
    "a recursion of two": ("%g = tt.call @even(%k) : (f32) -> f32\n" + SPREAD, ["which leads back to itself"],
                           {"scalars": {"k": ("f32", 1)},
                            "helpers": "".join(f"tt.func private @{a}(%a: f32) -> f32 {{\n%b = tt.call @{b}(%a) : (f32) -> f32\ntt.return %b : f32\n}}\n"
                                               for a, b in (("even", "odd"), ("odd", "even")))}),
    "the kernel itself": ("tt.call @probe(%x_ptr, %o0_ptr) : (!tt.ptr<f32>, !tt.ptr<f32>) -> ()\n" + DOUBLED, ["call of 'probe', which leads back to itself"], {}),
    "a function of another module": ("%g = tt.call @other(%k) : (f32) -> f32\n" + SPREAD,
                                     ["call of 'other', which has no body; give it one in the kernel's module"],
                                     {"scalars": {"k": ("f32", 1)}, "helpers": "tt.func private @other(%a: f32) -> f32\n"}),
    "a tile of 2^31 elements": ("%e = tt.make_range {start = 0 : i32, end = 2147483647 : i32} : tensor<2147483647xi32>\n"
                                "%p = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<2147483647x!tt.ptr<f32>>\n"
                                "%q = tt.addptr %p, %e : tensor<2147483647x!tt.ptr<f32>>, tensor<2147483647xi32>\n"
                                "%v = tt.load %q : tensor<2147483647x!tt.ptr<f32>>\n%w = math.exp %v : tensor<2147483647xf32>\n"
                                "tt.store %q, %w : tensor<2147483647x!tt.ptr<f32>>\n" + DOUBLED,
                                ["ub overflow", "make the tiles smaller"], {}),
    "a shape of any size": ("%c = tensor.cast %x : tensor<64xf32> to tensor<?xf32>\n%r = tensor.cast %c : tensor<?xf32> to tensor<64xf32>",
                            ["'tensor<?xf32>': a tensor has 1 to 2^31 elements, in extents that are known"], {}),
    "a scan of another axis": ("""%r = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
^bb0(%a: f32, %b: f32):
%s = arith.addf %a, %b : f32
tt.scan.return %s : f32
}) : (tensor<64xf32>) -> tensor<64xf32>""", ["'tt.scan' op axis 1 is out of range for rank 1"], {}),
}

BRANCH = """module {
  tt.func public @probe(%p: !tt.ptr<f32>, %c: i1) {
    llvm.cond_br %c, ^bb1, ^bb2 loc("kernel.py":5:0)
  ^bb1:
    cf.br ^bb2 loc("kernel.py":6:0)
  ^bb2:
    tt.return loc("kernel.py":7:0)
  } loc("kernel.py":3:0)
}
"""


def located(text):
    """The text with a place in kernel.py behind each operation that has none."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        plain = not line.rstrip().endswith("{") and not line.lstrip().startswith(("module", "^")) and line.strip() != "}"
        named = line.rstrip().endswith("}") and line.startswith("  }")  # of the kernel
        lines.append(f'{line} loc("kernel.py":{number}:0)' if "loc(" not in line and (plain or named) else line)
    return "\n".join(lines) + "\n"


def kernels():
    """name: (text of the module, words of the message)."""
    found = {"another branch": (BRANCH, ["kernel.py:3: error: the control flow of 'probe' cannot be structured; branch with cf.cond_br or scf.if"])}
    for name, (text, words, changes) in TEXTS.items():
        probe = builder.Probe(name, text, **{"inputs": {"x": TILE}, "outputs": [TILE], **changes})
        found[name] = (located(builder.kernel(probe)), ["kernel.py:", *words])
    return found
