"""Kernels whose pointers or masks are no rectangle, as bodies of TTIR functions, and what numpy makes of them.

VECTOR kernels get f32 tensors x and o and i32 indices i, with 64 lanes; PRODUCT kernels f16 matrices a and b, indices i and
an f32 output o, with 64 x 64 tiles."""

import numpy as np

LANES = 64
RNG = np.random.default_rng(0)
X = RNG.integers(-50, 50, 4096).astype(np.float32)
INDEX = RNG.integers(0, 1000, LANES).astype(np.int32)
LINE = np.arange(LANES)
TI, TF, TP = "tensor<64xi32>", "tensor<64xf32>", "tensor<64x!tt.ptr<f32>>"


def pointers(name, base, offset, element="f32"):
    kind = f"!tt.ptr<{element}>"
    return f"""%{name}s = tt.splat %{base} : {kind} -> tensor<64x{kind}>
%{name} = tt.addptr %{name}s, {offset} : tensor<64x{kind}>, {TI}
"""


INDICES = pointers("ip", "i", "%r", "i32") + "%iv = tt.load %ip : tensor<64x!tt.ptr<i32>>\n"
BELOW = f"%c = arith.constant dense<500> : {TI}\n%m = arith.cmpi slt, %iv, %c : {TI}\n"
START = f"%r = tt.make_range {{end = 64 : i32, start = 0 : i32}} : {TI}\n"
STORE = pointers("op", "o", "%r") + f"tt.store %op, %v : {TP}\n"
LOOP = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c5 = arith.constant 5 : i32\n"


def output(value, at=LINE):
    result = np.zeros(4096, np.float32)
    result[at] = value
    return result


def chased():
    at = LINE.copy()
    for _ in range(5):
        at = INDEX[at] & 63
    return output(at)


def summed(where, to):
    result = np.zeros(4096, np.float32)
    np.add.at(result, to[where], X[:LANES][where])
    return result


CLAMPED, OUTSIDE = np.clip(LINE - 5, 0, 40), (LINE < 5) | (LINE > 40)
ATOMIC = f"tt.atomic_rmw fadd, acq_rel, gpu,"

VECTOR = {
    "other_tensor": (
        pointers("p", "x", "%r") + INDICES + BELOW + f"%f = arith.sitofp %iv : {TI} to {TF}\n%v = tt.load %p, %m, %f : {TP}\n" + STORE,
        output(np.where(INDEX < 500, X[:LANES], INDEX))),
    "pointer_select": (
        pointers("p", "x", "%r") + INDICES + BELOW + f"""%q = arith.constant dense<1000> : {TI}
%p2 = tt.addptr %p, %q : {TP}, {TI}
%pp = arith.select %m, %p, %p2 : tensor<64xi1>, {TP}
%v = tt.load %pp : {TP}
""" + STORE, output(np.where(INDEX < 500, X[:LANES], X[1000:1000 + LANES]))),
    "carried_strides": (
        pointers("p", "x", "%r") + LOOP + f"""%z = arith.constant dense<0.0> : {TF}
%y:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%a = %z, %pp = %p) -> ({TF}, {TP}) : i32 {{
  %l = tt.load %pp : {TP}
  %n = arith.addf %a, %l : {TF}
  %pn = tt.addptr %pp, %r : {TP}, {TI}
  scf.yield %n, %pn : {TF}, {TP}
}}
%after = tt.load %y#1 : {TP}
%v = arith.addf %y#0, %after : {TF}
""" + STORE, output(sum(X[LINE * (k + 1)] for k in range(6)))),
    "chased_indices": (
        LOOP + f"""%is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
%c63 = arith.constant dense<63> : {TI}
%y = scf.for %k = %c0 to %c5 step %c1 iter_args(%a = %r) -> ({TI}) : i32 {{
  %pp = tt.addptr %is, %a : tensor<64x!tt.ptr<i32>>, {TI}
  %l = tt.load %pp : tensor<64x!tt.ptr<i32>>
  %n = arith.andi %l, %c63 : {TI}
  scf.yield %n : {TI}
}}
%v = arith.sitofp %y : {TI} to {TF}
""" + STORE, chased()),
    "either_mask": (
        f"""%five = arith.constant dense<5> : {TI}
%forty = arith.constant dense<40> : {TI}
%z = arith.constant dense<0> : {TI}
%a = arith.subi %r, %five : {TI}
%b = arith.maxsi %a, %z : {TI}
%cl = arith.minsi %b, %forty : {TI}
%m1 = arith.cmpi slt, %r, %five : {TI}
%m2 = arith.cmpi sgt, %r, %forty : {TI}
%m = arith.ori %m1, %m2 : tensor<64xi1>
""" + pointers("p", "x", "%cl") + pointers("op", "o", "%r") + f"%v = tt.load %p, %m : {TP}\ntt.store %op, %v, %m : {TP}\n",
        output(X[CLAMPED][OUTSIDE], LINE[OUTSIDE])),
    "integer_pointers": (
        f"""%a = tt.ptr_to_int %x : !tt.ptr<f32> -> i64
%as = tt.splat %a : i64 -> tensor<64xi64>
%r64 = arith.extsi %r : {TI} to tensor<64xi64>
%c12 = arith.constant dense<12> : tensor<64xi64>
%b = arith.muli %r64, %c12 : tensor<64xi64>
%s = arith.addi %as, %b : tensor<64xi64>
%p = tt.int_to_ptr %s : tensor<64xi64> -> {TP}
%v = tt.load %p : {TP}
""" + STORE, output(X[LINE * 3])),
    "atomic_duplicates": (
        pointers("p", "x", "%r") + INDICES + BELOW + f"""%c3 = arith.constant dense<3> : {TI}
%s = arith.andi %iv, %c3 : {TI}
%v = tt.load %p : {TP}
""" + pointers("op", "o", "%s") + f"%u = {ATOMIC} %op, %v, %m : ({TP}, {TF}, tensor<64xi1>) -> {TF}\n", summed(INDEX < 500, INDEX & 3)),
    "atomic_one_address": (
        pointers("p", "x", "%r") + f"%os = tt.splat %o : !tt.ptr<f32> -> {TP}\n%v = tt.load %p : {TP}\n"
        + f"%u = {ATOMIC} %os, %v : ({TP}, {TF}) -> {TF}\n", summed(LINE >= 0, LINE * 0)),
    "atomic_stride": (
        pointers("p", "x", "%r") + f"%c3 = arith.constant dense<3> : {TI}\n%s = arith.muli %r, %c3 : {TI}\n%v = tt.load %p : {TP}\n"
        + pointers("op", "o", "%s") + f"%u = {ATOMIC} %op, %v : ({TP}, {TF}) -> {TF}\n", summed(LINE >= 0, LINE * 3)),
}


def vector(name):
    body, expected = VECTOR[name]
    text = f"""module {{
  tt.func public @{name}(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>, %o: !tt.ptr<f32>) {{
{START}{body}    tt.return
  }}
}}
"""
    return text, {"x": X, "i": INDEX, "o": np.zeros(4096, np.float32)}, expected


MI, MA, MO = "tensor<64x64xi32>", "tensor<64x64x!tt.ptr<f16>>", "tensor<64x64x!tt.ptr<f32>>"
A = RNG.integers(-3, 3, 256 * 200).astype(np.float16)
B = RNG.integers(-3, 3, 64 * 300).astype(np.float16)
PICKED = RNG.permutation(100)[:LANES].astype(np.int32)
WIDE_A, SQUARE_B = A.reshape(-1, 200).astype(np.float32), B[:4096].reshape(64, 64).astype(np.float32)
ROWS, COLS = np.indices((LANES, LANES))


def spread(name, vector, axis):
    one = "1x64" if axis == 0 else "64x1"
    return f"""%{name}e = tt.expand_dims {vector} {{axis = {axis} : i32}} : {TI} -> tensor<{one}xi32>
%{name} = tt.broadcast %{name}e : tensor<{one}xi32> -> {MI}
"""


PREPARED = START + INDICES + spread("rows", "%r", 1) + spread("cols", "%r", 0) + spread("irow", "%iv", 1) + spread("icol", "%iv", 0) + f"""
%z = arith.constant dense<0.0> : tensor<64x64xf32>
%zero = arith.constant dense<0.0> : tensor<64x64xf16>
%as = tt.splat %a : !tt.ptr<f16> -> {MA}
%bs = tt.splat %b : !tt.ptr<f16> -> {MA}
%os = tt.splat %o : !tt.ptr<f32> -> {MO}
"""


def offset(name, row, row_stride, col, col_stride):
    return f"""%{name}0 = arith.constant dense<{row_stride}> : {MI}
%{name}1 = arith.muli {row}, %{name}0 : {MI}
%{name}2 = arith.constant dense<{col_stride}> : {MI}
%{name}3 = arith.muli {col}, %{name}2 : {MI}
%{name} = arith.addi %{name}1, %{name}3 : {MI}
"""


def product(name):
    a, b, out, masks, expected = PRODUCT[name]
    load_mask, store_mask, prepare = masks
    body = PREPARED + prepare + offset("ao", *a) + offset("bo", *b) + offset("oo", *out) + f"""
%ap = tt.addptr %as, %ao : {MA}, {MI}
%bp = tt.addptr %bs, %bo : {MA}, {MI}
%op = tt.addptr %os, %oo : {MO}, {MI}
%av = tt.load %ap{load_mask} : {MA}
%bv = tt.load %bp : {MA}
%d = tt.dot %av, %bv, %z : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
tt.store %op, %d{store_mask} : {MO}
"""
    text = f"""module {{
  tt.func public @{name}(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %i: !tt.ptr<i32>, %o: !tt.ptr<f32>) {{
{body}    tt.return
  }}
}}
"""
    result = np.zeros(64 * 1000, np.float32)
    at, value = expected
    result[at] = value
    return text, {"a": A, "b": B, "i": PICKED, "o": np.zeros(64 * 1000, np.float32)}, result


PLAIN_A, PLAIN_B, PLAIN_O = ("%rows", 200, "%cols", 1), ("%rows", 64, "%cols", 1), ("%rows", 64, "%cols", 1)
SQUARE_A, AT = WIDE_A[:64, :64], ROWS * 64 + COLS
NONE = ("", "", "")
FEW = (", %m, %zero", "", f"%c50 = arith.constant dense<50> : {MI}\n%m = arith.cmpi slt, %irow, %c50 : {MI}\n")
TRIANGLE = ("", ", %m", f"%m = arith.cmpi sge, %rows, %cols : {MI}\n")
LOWER = ROWS >= COLS
PRODUCT = {
    "rows_of_a": (("%irow", 200, "%cols", 1), PLAIN_B, PLAIN_O, NONE, (AT, WIDE_A[PICKED][:, :64] @ SQUARE_B)),
    "rows_of_a_masked": (("%irow", 200, "%cols", 1), PLAIN_B, PLAIN_O, FEW,
                         (AT, np.where((PICKED < 50)[:, None], WIDE_A[PICKED][:, :64], 0) @ SQUARE_B)),
    "a_strided": (("%rows", 200, "%cols", 2), PLAIN_B, PLAIN_O, NONE, (AT, WIDE_A[:64, :128:2] @ SQUARE_B)),
    "elements_of_b": (PLAIN_A, ("%rows", 64, "%icol", 2), PLAIN_O, NONE,
                      (AT, SQUARE_A @ B.astype(np.float32)[LINE[:, None] * 64 + PICKED * 2])),
    "columns_of_b": (PLAIN_A, ("%rows", 1, "%icol", 64), PLAIN_O, NONE,
                     (AT, SQUARE_A @ B.astype(np.float32)[LINE[:, None] + PICKED * 64])),
    "rows_of_result": (PLAIN_A, PLAIN_B, ("%irow", 200, "%cols", 1), NONE, (PICKED[:, None] * 200 + LINE, SQUARE_A @ SQUARE_B)),
    "result_strided": (PLAIN_A, PLAIN_B, ("%rows", 128, "%cols", 2), NONE, (ROWS * 128 + COLS * 2, SQUARE_A @ SQUARE_B)),
    "result_transposed": (PLAIN_A, PLAIN_B, ("%rows", 1, "%cols", 64), NONE, (ROWS + COLS * 64, SQUARE_A @ SQUARE_B)),
    "triangle_of_result": (PLAIN_A, PLAIN_B, PLAIN_O, TRIANGLE, (AT[LOWER], (SQUARE_A @ SQUARE_B)[LOWER])),
}
