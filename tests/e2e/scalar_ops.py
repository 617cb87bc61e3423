"""LLVM IR that exercises every scalar operation, for the host and for the simulated core."""

INTS = ["i8", "i16", "i32", "i64"]
COMPARES = "eq ne slt sle sgt sge ult ule ugt uge".split()
FCOMPARES = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno".split()


class Ops:
    """Each operation is a function i64 (i64 a, i64 b, i64 c)."""

    def __init__(self):
        self.text = []
        self.names = []
        self.declared = set()

    def add(self, name, lines, result):
        body = "\n".join("  " + line for line in lines)
        # Half of them stay calls, the others are inlined.
        attribute = " noinline" if len(self.names) % 2 else ""
        self.text.append(f"define internal i64 @{name}(i64 %a, i64 %b, i64 %c){attribute} {{\n{body}\n  ret i64 {result}\n}}")
        self.names.append(name)

    def declare(self, line):
        if line not in self.declared:
            self.declared.add(line)
            self.text.append(line)

    def integer(self, name, t, lines, result_type=None):
        """`lines` compute %r from %x, %y, %z of integer type t."""
        load = [f"%{v} = trunc i64 %{s} to {t}" if t != "i64" else f"%{v} = add i64 %{s}, 0"
                for v, s in zip("xyz", "abc")]
        rt = result_type or t
        tail = [] if rt == "i64" else [f"%w = zext {rt} %r to i64"]
        self.add(f"{name}_{t}", load + lines + tail, "%r" if rt == "i64" else "%w")

    def floating(self, name, lines, result="float", source="float"):
        """`lines` compute %r from %x and %y of type float or half; NaN results compare equal."""
        bits = {"float": "i32", "half": "i16"}
        load = []
        for v, s in zip("xy", "ab"):
            load += [f"%{v}i = trunc i64 %{s} to {bits[source]}", f"%{v} = bitcast {bits[source]} %{v}i to {source}"]
        if result in bits:
            b = bits[result]
            tail = [f"%nan = fcmp uno {result} %r, 0.0", f"%rb = bitcast {result} %r to {b}",
                    f"%s = select i1 %nan, {b} 1, {b} %rb", f"%w = zext {b} %s to i64"]
        else:
            tail = ["%w = add i64 %r, 0"] if result == "i64" else [f"%w = zext {result} %r to i64"]
        self.add(f"{name}_{source}", load + lines + tail, "%w")


def integer_ops(ops, t):
    bits = int(t[1:])
    for op in "add sub mul and or xor".split():
        ops.integer(op, t, [f"%r = {op} {t} %x, %y"])
    for op in "shl lshr ashr".split():
        ops.integer(op, t, [f"%n = and {t} %y, {bits - 1}", f"%r = {op} {t} %x, %n"])
    top = (1 << (bits - 1)) - 1
    for op in "sdiv srem".split():
        ops.integer(op, t, [f"%p = and {t} %y, {top}", f"%q = or {t} %p, 1", f"%r = {op} {t} %x, %q"])
    for op in "udiv urem".split():
        ops.integer(op, t, [f"%q = or {t} %y, 1", f"%r = {op} {t} %x, %q"])
    for constant in (3, 10, -7, 64):
        for op in "sdiv srem".split():
            ops.integer(f"{op}c{constant % 256}", t, [f"%r = {op} {t} %x, {constant}"])
        if constant > 0:
            for op in "udiv urem".split():
                ops.integer(f"{op}c{constant}", t, [f"%r = {op} {t} %x, {constant}"])
    for cc in COMPARES:
        ops.integer(f"icmp{cc}", t, [f"%r = icmp {cc} {t} %x, %y"], "i1")
        ops.integer(f"icmpk{cc}", t, [f"%r = icmp {cc} {t} %x, 5"], "i1")
        ops.integer(f"sel{cc}", t, [f"%k = icmp {cc} {t} %x, %y", f"%r = select i1 %k, {t} %z, {t} %x"])
    for op in "ctlz cttz".split():
        ops.declare(f"declare {t} @llvm.{op}.{t}({t}, i1)")
        ops.integer(op, t, [f"%r = call {t} @llvm.{op}.{t}({t} %x, i1 false)"])
    for op in ["ctpop", "bitreverse"] + (["bswap"] if t != "i8" else []):
        ops.declare(f"declare {t} @llvm.{op}.{t}({t})")
        ops.integer(op, t, [f"%r = call {t} @llvm.{op}.{t}({t} %x)"])
    for op in "smax smin umax umin sadd.sat uadd.sat ssub.sat usub.sat".split():
        ops.declare(f"declare {t} @llvm.{op}.{t}({t}, {t})")
        ops.integer(op, t, [f"%r = call {t} @llvm.{op}.{t}({t} %x, {t} %y)"])
    for op in "fshl fshr".split():
        ops.declare(f"declare {t} @llvm.{op}.{t}({t}, {t}, {t})")
        ops.integer(op, t, [f"%r = call {t} @llvm.{op}.{t}({t} %x, {t} %y, {t} %z)"])
    for op in "sadd uadd ssub usub smul umul".split():
        ops.declare(f"declare {{{t}, i1}} @llvm.{op}.with.overflow.{t}({t}, {t})")
        ops.integer(f"{op}ov", t, [f"%p = call {{{t}, i1}} @llvm.{op}.with.overflow.{t}({t} %x, {t} %y)",
                                   f"%r = extractvalue {{{t}, i1}} %p, 1"], "i1")
    for e in "sitofp uitofp".split():
        ops.integer(e, t, [f"%f = {e} {t} %x to float", "%r = bitcast float %f to i32"], "i32")
    for other in INTS:
        if int(other[1:]) > bits:
            ops.integer(f"sext{other}", t, [f"%r = sext {t} %x to {other}"], other)


def wide_ops(ops):
    """128-bit arithmetic is expanded in registers."""
    widen = ["%u = zext i64 %x to i128", "%v = zext i64 %y to i128", "%h = shl i128 %v, 64", "%m = or i128 %h, %u",
             "%zz = sext i64 %z to i128"]
    fold = ["%hi = lshr i128 %q, 64", "%f = xor i128 %hi, %q", "%r = trunc i128 %f to i64"]
    for op in "add sub mul and".split():
        ops.integer(f"{op}128", "i64", widen + [f"%q = {op} i128 %m, %zz"] + fold)
    for op in "shl lshr ashr".split():
        ops.integer(f"{op}128", "i64", widen + ["%n = and i128 %zz, 127", f"%q = {op} i128 %m, %n"] + fold)
    for op in "sdiv udiv srem urem".split():
        ops.integer(f"{op}128", "i64", widen + ["%d = or i128 %zz, 1", "%e = and i128 %d, 18446744073709551615",
                                                f"%q = {op} i128 %m, %e"] + fold)


def float_ops(ops, t, n):
    for op in "fadd fsub fmul fdiv".split():
        ops.floating(op, [f"%r = {op} {t} %x, %y"], t, t)
    for cc in FCOMPARES:
        ops.floating(f"fcmp{cc}", [f"%r = fcmp {cc} {t} %x, %y"], "i1", t)
        ops.floating(f"fsel{cc}", [f"%k = fcmp {cc} {t} %x, %y", f"%r = select i1 %k, {t} %x, {t} %y"], t, t)
    for op in "fabs floor ceil trunc rint nearbyint round roundeven sqrt".split():
        ops.declare(f"declare {t} @llvm.{op}.{n}({t})")
        ops.floating(op, [f"%r = call {t} @llvm.{op}.{n}({t} %x)"], t, t)
    for op in "copysign minimum maximum".split():
        ops.declare(f"declare {t} @llvm.{op}.{n}({t}, {t})")
        ops.floating(op, [f"%r = call {t} @llvm.{op}.{n}({t} %x, {t} %y)"], t, t)
    for op in "minnum maxnum".split():
        ops.declare(f"declare {t} @llvm.{op}.{n}({t}, {t})")
        # Which zero wins is not fixed; adding +0 makes both the same.
        ops.floating(op, [f"%m = call {t} @llvm.{op}.{n}({t} %x, {t} %y)", f"%r = fadd {t} %m, 0.0"], t, t)
    ops.floating("fneg", [f"%r = fneg {t} %x"], t, t)
    for i in ("i32", "i64"):
        for s in "si ui".split():
            ops.declare(f"declare {i} @llvm.fpto{s}.sat.{i}.{n}({t})")
            ops.floating(f"fpto{s}sat{i}", [f"%r = call {i} @llvm.fpto{s}.sat.{i}.{n}({t} %x)"], i, t)
    for mask in (3, 4, 264, 516, 96, 144):
        ops.declare(f"declare i1 @llvm.is.fpclass.{n}({t}, i32)")
        ops.floating(f"class{mask}", [f"%r = call i1 @llvm.is.fpclass.{n}({t} %x, i32 {mask})"], "i1", t)


def all_ops():
    ops = Ops()
    for t in INTS:
        integer_ops(ops, t)
    wide_ops(ops)
    float_ops(ops, "float", "f32")
    float_ops(ops, "half", "f16")
    ops.floating("fptrunc", ["%r = fptrunc float %x to half"], "half")
    ops.floating("fpext", ["%r = fpext half %x to float"], "float", "half")
    return ops


def module(ops, kernel):
    """`body(in, out, n)`: for k < n, out[k * ops + i] = op_i(in[3k], in[3k + 1], in[3k + 2])."""
    calls = "\n".join(f"  %r{i} = call i64 @{name}(i64 %a, i64 %b, i64 %c)\n  %q{i} = getelementptr i64, ptr %o, i64 {i}\n"
                      f"  store i64 %r{i}, ptr %q{i}" for i, name in enumerate(ops.names))
    linkage = "internal " if kernel else ""
    body = f"""
define {linkage}void @body(ptr %in, ptr %out, i64 %n) {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %ia = mul i64 %k, 3
  %pa = getelementptr i64, ptr %in, i64 %ia
  %pb = getelementptr i64, ptr %pa, i64 1
  %pc = getelementptr i64, ptr %pa, i64 2
  %a = load i64, ptr %pa
  %b = load i64, ptr %pb
  %c = load i64, ptr %pc
  %io = mul i64 %k, {len(ops.names)}
  %o = getelementptr i64, ptr %out, i64 %io
{calls}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
    entry = """
declare i64 @dlnpu.sreg(i64)
define void @scalar_kernel() "dlnpu-kernel" "dlnpu-args"="x:tensor:i64,y:tensor:i64,n:scalar:i64" {
  %core = call i64 @dlnpu.sreg(i64 0)
  %first = icmp eq i64 %core, 0
  br i1 %first, label %work, label %done
work:
  %base = call i64 @dlnpu.sreg(i64 3)
  %args = inttoptr i64 %base to ptr
  %in = load ptr, ptr %args
  %po = getelementptr i64, ptr %args, i64 1
  %out = load ptr, ptr %po
  %pn = getelementptr i64, ptr %args, i64 2
  %n = load i64, ptr %pn
  call void @body(ptr %in, ptr %out, i64 %n)
  br label %done
done:
  ret void
}
"""
    return "\n".join(ops.text) + body + (entry if kernel else "")
