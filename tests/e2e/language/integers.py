"""Integer arithmetic of every width, element by element."""

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import bits, i8, i16, i32, i64, ints, kind, type_of

UNSIGNED = {i8: np.uint8, i16: np.uint16, i32: np.uint32, i64: np.uint64}


def truncated(a, b):
    """a / b towards zero."""
    q = np.abs(a.astype(object)) // np.abs(b.astype(object))
    return np.where((a < 0) != (b < 0), -q, q).astype(a.dtype)


def operations(a, b, dtype):
    u = UNSIGNED[dtype]
    ua, ub = a.view(u), b.view(u)
    return {"addi": a + b, "subi": a - b, "muli": a * b, "andi": a & b, "ori": a | b, "xori": a ^ b, "maxsi": np.maximum(a, b),
            "minsi": np.minimum(a, b), "maxui": np.maximum(ua, ub).view(dtype), "minui": np.minimum(ua, ub).view(dtype)}


def probes():
    with np.errstate(all="ignore"):
        for dtype in (i8, i16, i32, i64):
            yield from of_type(dtype)
    yield from multiply_high()
    yield from wide()
    yield from compared_sums()
    m, k = bits(100), bits(100)
    for op, r in {"andi": m & k, "ori": m | k, "xori": m ^ k, "addi": m ^ k, "muli": m & k}.items():
        yield Probe(f"{op} i1", f"%r = arith.{op} %m, %k : tensor<100xi1>", {"m": m, "k": k}, [r])
    yield Probe("cmpi ne i1", "%r = arith.cmpi ne, %m, %k : tensor<100xi1>", {"m": m, "k": k}, [m != k])
    yield Probe("cmpi eq i1", "%r = arith.cmpi eq, %m, %k : tensor<100xi1>", {"m": m, "k": k}, [m == k])
    yield Probe("select i1", "%r = arith.select %m, %k, %m : tensor<100xi1>, tensor<100xi1>", {"m": m, "k": k}, [np.where(m, k, m)])
    a = ints(5, 40)
    yield Probe("absi", f"%r = math.absi %a : {type_of(a)}", {"a": a}, [np.abs(a)])
    one = a | 1
    yield Probe("divsi of two dimensions", f"%r = arith.divsi %a, %b : {type_of(a)}", {"a": a // 2, "b": one}, [truncated(a // 2, one)])


def compared_sums():
    """Numbers that all lanes share, computed from data: below zero, they are the largest ones without sign."""
    for dtype in (i8, i32):
        a = ints(32, dtype=dtype)
        total = a.sum(dtype=dtype) | dtype(-128)
        T, name = type_of(a), kind(a)
        for predicate, compare in {"ult": np.less, "ule": np.less_equal, "ugt": np.greater, "uge": np.greater_equal}.items():
            bits_of = compare(total.view(UNSIGNED[dtype]), UNSIGNED[dtype](4))
            yield Probe(f"{predicate} of a sum {name}", f"""%s = "tt.reduce"(%a) <{{axis = 0 : i32}}> ({{
^bb0(%p: {name}, %q: {name}):
  %t = arith.addi %p, %q : {name}
  tt.reduce.return %t : {name}
}}) : ({T}) -> {name}
%low = arith.constant -128 : {name}
%least = arith.ori %s, %low : {name}
%x = tt.splat %least : {name} -> {T}
%four = arith.constant dense<4> : {T}
%m = arith.cmpi {predicate}, %x, %four : {T}
%r = arith.select %m, %a, %four : tensor<32xi1>, {T}""", {"a": a}, [np.where(bits_of, a, dtype(4))])


def of_type(dtype):
    a, b = ints(70, dtype=dtype), ints(70, dtype=dtype)[::-1].copy()
    b[5], b[7] = a[5], a[7]
    T, name, u = type_of(a), kind(a), UNSIGNED[dtype]
    for op, result in operations(a, b, dtype).items():
        yield Probe(f"{op} {name}", f"%r = arith.{op} %a, %b : {T}", {"a": a, "b": b}, [result])
    yield Probe(f"addi {name} constant", f"%c = arith.constant dense<17> : {T}\n%r = arith.addi %a, %c : {T}", {"a": a}, [a + dtype(17)])
    yield Probe(f"subi {name} from constant", f"%c = arith.constant dense<17> : {T}\n%r = arith.subi %c, %a : {T}", {"a": a}, [dtype(17) - a])
    d = b.copy()
    d[d == 0] = 3
    d[(d == -1)] = 5  # no overflow
    d[10:40] = (d[10:40] % 7 + 1)
    q = truncated(a, d)
    yield Probe(f"divsi {name}", f"%r = arith.divsi %a, %b : {T}", {"a": a, "b": d}, [q])
    yield Probe(f"remsi {name}", f"%r = arith.remsi %a, %b : {T}", {"a": a, "b": d}, [(a - q * d).astype(dtype)])
    ua, ud = a.view(u), d.view(u)
    yield Probe(f"divui {name}", f"%r = arith.divui %a, %b : {T}", {"a": a, "b": d}, [(ua // ud).view(dtype)])
    yield Probe(f"remui {name}", f"%r = arith.remui %a, %b : {T}", {"a": a, "b": d}, [(ua % ud).view(dtype)])
    yield Probe(f"divsi {name} constant", f"%c = arith.constant dense<12> : {T}\n%r = arith.divsi %a, %c : {T}", {"a": a},
                [truncated(a, np.full_like(a, 12))])
    yield Probe(f"remui {name} constant", f"%c = arith.constant dense<10> : {T}\n%r = arith.remui %a, %c : {T}", {"a": a},
                [(ua % u(10)).view(dtype)])
    width = a.dtype.itemsize * 8
    s = (np.arange(70) % width).astype(dtype)
    yield Probe(f"shli {name}", f"%r = arith.shli %a, %s : {T}", {"a": a, "s": s}, [a << s])
    yield Probe(f"shrsi {name}", f"%r = arith.shrsi %a, %s : {T}", {"a": a, "s": s}, [a >> s])
    yield Probe(f"shrui {name}", f"%r = arith.shrui %a, %s : {T}", {"a": a, "s": s}, [(ua >> s.view(u)).view(dtype)])
    yield Probe(f"shrui {name} constant", f"%s = arith.constant dense<3> : {T}\n%r = arith.shrui %a, %s : {T}", {"a": a},
                [(ua >> u(3)).view(dtype)])
    compare = {"eq": a == b, "ne": a != b, "slt": a < b, "sge": a >= b, "ult": ua < b.view(u), "uge": ua >= b.view(u), "sgt": a > b,
               "ule": ua <= b.view(u)}
    for predicate, result in compare.items():
        yield Probe(f"cmpi {predicate} {name}", f"%r = arith.cmpi {predicate}, %a, %b : {T}", {"a": a, "b": b}, [result])
    yield Probe(f"cmpi slt {name} constant", f"%c = arith.constant dense<7> : {T}\n%r = arith.cmpi slt, %a, %c : {T}", {"a": a}, [a < 7])
    m = bits(70)
    yield Probe(f"select {name}", f"%r = arith.select %m, %a, %b : tensor<70xi1>, {T}", {"m": m, "a": a, "b": b}, [np.where(m, a, b)])


def wide():
    """i64 as pairs of i32: shifts across the halves, rows with and without padding, values that fit into a half."""
    a = ints(70, dtype=i64)
    T, u = type_of(a), a.view(np.uint64)
    for by in (0, 31, 32, 45, 63):
        amount = f"%s = arith.constant dense<{by}> : {T}\n"
        yield Probe(f"shli i64 by {by}", amount + f"%r = arith.shli %a, %s : {T}", {"a": a}, [a << i64(by)])
        yield Probe(f"shrsi i64 by {by}", amount + f"%r = arith.shrsi %a, %s : {T}", {"a": a}, [a >> i64(by)])
        yield Probe(f"shrui i64 by {by}", amount + f"%r = arith.shrui %a, %s : {T}", {"a": a}, [(u >> np.uint64(by)).view(i64)])
    for shape in ((5, 40), (7, 9), (31,), (32,)):
        x, y = ints(*shape, dtype=i64), ints(*shape, dtype=i64)[..., ::-1].copy()
        yield Probe(f"addi i64 {shape}", f"%r = arith.addi %x, %y : {type_of(x)}", {"x": x, "y": y}, [x + y])
        yield Probe(f"cmpi i64 {shape}", f"%r = arith.cmpi sle, %x, %y : {type_of(x)}", {"x": x, "y": y}, [x <= y])
    n, m, k = ints(70, dtype=i32), ints(70, dtype=i32)[::-1].copy(), bits(70)
    narrow = type_of(n)
    both = f"%x = arith.extsi %n : {narrow} to {T}\n%y = arith.extsi %m : {narrow} to {T}\n"
    N, M = n.astype(i64), m.astype(i64)
    yield Probe("cmpi of extensions", both + f"%r = arith.cmpi ult, %x, %y : {T}", {"n": n, "m": m}, [N.view(np.uint64) < M.view(np.uint64)])
    yield Probe("select of extensions", both + f"%r = arith.select %k, %x, %y : tensor<70xi1>, {T}", {"n": n, "m": m, "k": k}, [np.where(k, N, M)])
    yield Probe("product of extensions", both + f"%r = arith.muli %x, %y : {T}", {"n": n, "m": m}, [N * M])
    ends = f"""%most = arith.constant dense<9223372036854775807> : {T}
%least = arith.constant dense<-9223372036854775808> : {T}
%zero = arith.constant dense<0> : {T}
%k = arith.cmpi slt, %a, %zero : {T}
%r = arith.select %k, %most, %least : tensor<70xi1>, {T}"""
    yield Probe("largest and least i64", ends, {"a": a}, [np.where(a < 0, np.iinfo(i64).max, np.iinfo(i64).min)])
    yield Probe("extui to i64", f"%r = arith.extui %n : {narrow} to {T}", {"n": n}, [n.view(np.uint32).astype(i64)])
    yield Probe("extui i1 to i64", f"%r = arith.extui %k : tensor<70xi1> to {T}", {"k": k}, [k.astype(i64)])
    yield Probe("extsi i1 to i64", f"%r = arith.extsi %k : tensor<70xi1> to {T}", {"k": k}, [-k.astype(i64)])
    spread = f"%e = tt.expand_dims %x {{axis = 1 : i32}} : tensor<8xi64> -> tensor<8x1xi64>\n%b = tt.broadcast %e : tensor<8x1xi64> -> tensor<8x16xi64>\n"
    x, y = ints(8, dtype=i64), ints(8, 16, dtype=i64)
    yield Probe("row against rows of i64", spread + "%r = arith.subi %y, %b : tensor<8x16xi64>", {"x": x, "y": y}, [y - x[:, None]])


def multiply_high():
    for dtype, u, width in ((i32, np.uint32, 32), (i64, np.uint64, 64)):
        a, b = ints(70, dtype=dtype), ints(70, dtype=dtype)[::-1].copy()
        wide = (a.view(u).astype(object) * b.view(u).astype(object)) >> width
        T = type_of(a)
        yield Probe(f"mulhiui {kind(a)}", f"%r = tt.mulhiui %a, %b : {T}", {"a": a, "b": b}, [wide.astype(u).view(dtype)])
    yield philox()


def philox():
    """Triton's generator, as tl.rand prints it."""
    n, seed = 300, 1234567
    counter = np.arange(n, dtype=np.uint64)
    c = [counter.copy(), np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)]
    k, mask = [seed & 0xFFFFFFFF, seed >> 32], np.uint64(0xFFFFFFFF)
    lines, names = [], ["%off", "%zero", "%zero", "%zero"]
    T = f"tensor<{n}xi32>"
    a, b = 0xD2511F53, 0xCD9E8D57
    signed = lambda v: v - (1 << 32) if v >= 1 << 31 else v
    lines += [f"%a = arith.constant dense<{signed(a)}> : {T}", f"%b = arith.constant dense<{signed(b)}> : {T}", f"%zero = arith.constant dense<0> : {T}",
              f"%off = tt.make_range {{start = 0 : i32, end = {n} : i32}} : {T}"]
    for r in range(10):
        p0, p2 = np.uint64(a) * c[0], np.uint64(b) * c[2]
        n0 = (p2 >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0])
        n2 = (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1])
        c = [n0, p2 & mask, n2, p0 & mask]
        lines += [f"%k0_{r} = arith.constant dense<{signed(k[0])}> : {T}", f"%k1_{r} = arith.constant dense<{signed(k[1])}> : {T}",
                  f"%hb_{r} = tt.mulhiui %b, {names[2]} : {T}", f"%x_{r} = arith.xori %hb_{r}, {names[1]} : {T}",
                  f"%c0_{r} = arith.xori %x_{r}, %k0_{r} : {T}", f"%ha_{r} = tt.mulhiui %a, {names[0]} : {T}",
                  f"%y_{r} = arith.xori %ha_{r}, {names[3]} : {T}", f"%c2_{r} = arith.xori %y_{r}, %k1_{r} : {T}",
                  f"%c1_{r} = arith.muli %b, {names[2]} : {T}", f"%c3_{r} = arith.muli %a, {names[0]} : {T}"]
        names = [f"%c0_{r}", f"%c1_{r}", f"%c2_{r}", f"%c3_{r}"]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    x = c[0].astype(np.uint32).view(np.int32)
    uniform = np.where(x < 0, -x - 1, x).astype(np.float32) * np.float32(4.6566127342e-10)
    lines += [f"%neg = arith.cmpi slt, {names[0]}, %zero : {T}", f"%s0 = arith.subi %zero, {names[0]} : {T}", f"%one = arith.constant dense<1> : {T}",
              f"%s1 = arith.subi %s0, %one : {T}", f"%s = arith.select %neg, %s1, {names[0]} : tensor<{n}xi1>, {T}",
              f"%f = arith.sitofp %s : {T} to tensor<{n}xf32>", f"%scale = arith.constant dense<4.6566127342e-10> : tensor<{n}xf32>",
              f"%r = arith.mulf %f, %scale : tensor<{n}xf32>"]
    return Probe("philox", "\n".join(lines), {}, [uniform])
