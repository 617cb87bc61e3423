"""Writes one LLVM function per scalar operation and type: all of them must select."""
ops=[]
def f(name, ret, args, body): ops.append(f"define {ret} @{name}({args}) {{\n{body}\n}}\n")
for t in ["i8","i16","i32","i64","i1","i128"]:
    for op in ["add","sub","mul","and","or","xor","shl","lshr","ashr","sdiv","udiv","srem","urem"]:
        f(f"{op}_{t}",t,f"{t} %a, {t} %b",f"  %r = {op} {t} %a, %b\n  ret {t} %r")
    for cc in "eq ne slt sle sgt sge ult ule ugt uge".split():
        f(f"icmp_{cc}_{t}","i1",f"{t} %a, {t} %b",f"  %r = icmp {cc} {t} %a, %b\n  ret i1 %r")
        f(f"icmpi_{cc}_{t}","i1",f"{t} %a",f"  %r = icmp {cc} {t} %a, 1\n  ret i1 %r")
        f(f"sel_{cc}_{t}",t,f"{t} %a, {t} %b, {t} %c",f"  %r = icmp {cc} {t} %a, %b\n  %s = select i1 %r, {t} %b, {t} %c\n ret {t} %s")
        f(f"br_{cc}_{t}","void",f"{t} %a, {t} %b, ptr %p",f"  %r = icmp {cc} {t} %a, %b\n  br i1 %r, label %x, label %y\nx:\n store {t} %a, ptr %p\n br label %y\ny:\n ret void")
    for i in ["ctlz","cttz"]:
        f(f"{i}_{t}",t,f"{t} %a",f"  %r = call {t} @llvm.{i}.{t}({t} %a, i1 false)\n  ret {t} %r")
    for i in ["ctpop","bitreverse"]:
        f(f"{i}_{t}",t,f"{t} %a",f"  %r = call {t} @llvm.{i}.{t}({t} %a)\n  ret {t} %r")
    if t in("i16","i32","i64"): f(f"bswap_{t}",t,f"{t} %a",f"  %r = call {t} @llvm.bswap.{t}({t} %a)\n  ret {t} %r")
    for i in ["smax","smin","umax","umin","sadd.sat","uadd.sat","ssub.sat","usub.sat"]:
        f(f"{i}_{t}",t,f"{t} %a, {t} %b",f"  %r = call {t} @llvm.{i}.{t}({t} %a, {t} %b)\n  ret {t} %r")
    f(f"abs_{t}",t,f"{t} %a",f"  %r = call {t} @llvm.abs.{t}({t} %a, i1 false)\n  ret {t} %r")
    for i in ["fshl","fshr"]: f(f"{i}_{t}",t,f"{t} %a, {t} %b, {t} %c",f"  %r = call {t} @llvm.{i}.{t}({t} %a, {t} %b, {t} %c)\n  ret {t} %r")
    for i in ["sadd","uadd","ssub","usub","smul","umul"]:
        f(f"{i}.ov_{t}","i1",f"{t} %a, {t} %b, ptr %p",f"  %r = call {{{t}, i1}} @llvm.{i}.with.overflow.{t}({t} %a, {t} %b)\n  %v = extractvalue {{{t},i1}} %r, 0\n store {t} %v, ptr %p\n %o = extractvalue {{{t},i1}} %r, 1\n ret i1 %o")
    for s in (0,6):
        f(f"ld{s}_{t}",t,f"ptr addrspace({s}) %p",f"  %r = load {t}, ptr addrspace({s}) %p\n  ret {t} %r")
        f(f"ldo{s}_{t}",t,f"ptr addrspace({s}) %p",f" %q = getelementptr i8, ptr addrspace({s}) %p, i64 48\n  %r = load {t}, ptr addrspace({s}) %q\n  ret {t} %r")
        f(f"st{s}_{t}","void",f"ptr addrspace({s}) %p, {t} %v",f"  store {t} %v, ptr addrspace({s}) %p\n  ret void")
    for u in ["i1","i8","i16","i32","i64"]:
        if t=="i128" or int(t[1:])>int(u[1:]):
            for e in ("sext","zext"): f(f"{e}_{u}_{t}",t,f"{u} %a",f"  %r = {e} {u} %a to {t}\n  ret {t} %r")
            f(f"trunc_{t}_{u}",u,f"{t} %a",f"  %r = trunc {t} %a to {u}\n  ret {u} %r")
    for ft in ["float","half","bfloat"]:
        for e in ("sitofp","uitofp"): f(f"{e}_{t}_{ft}",ft,f"{t} %a",f"  %r = {e} {t} %a to {ft}\n  ret {ft} %r")
        for e in ("fptosi","fptoui"): f(f"{e}_{ft}_{t}",t,f"{ft} %a",f"  %r = {e} {ft} %a to {t}\n  ret {t} %r")
        n={"float":"f32","half":"f16","bfloat":"bf16"}[ft]
        if t!="i128" and not (ft=="bfloat"):
          for e in ("fptosi.sat","fptoui.sat"): f(f"{e}_{ft}_{t}",t,f"{ft} %a",f"  %r = call {t} @llvm.{e}.{t}.{n}({ft} %a)\n  ret {t} %r")
for ft,n in [("float","f32"),("half","f16"),("bfloat","bf16")]:
    for op in ["fadd","fsub","fmul","fdiv"]:
        f(f"{op}_{ft}",ft,f"{ft} %a, {ft} %b",f"  %r = {op} {ft} %a, %b\n  ret {ft} %r")
    for cc in "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split():
        f(f"fcmp_{cc}_{ft}","i1",f"{ft} %a, {ft} %b",f"  %r = fcmp {cc} {ft} %a, %b\n  ret i1 %r")
        f(f"fsel_{cc}_{ft}",ft,f"{ft} %a, {ft} %b",f"  %r = fcmp {cc} {ft} %a, %b\n  %s = select i1 %r, {ft} %a, {ft} %b\n ret {ft} %s")
        f(f"fbr_{cc}_{ft}","void",f"{ft} %a, {ft} %b, ptr %p",f"  %r = fcmp {cc} {ft} %a, %b\n  br i1 %r, label %x, label %y\nx:\n store {ft} %a, ptr %p\n br label %y\ny:\n ret void")
    for i in "sqrt fabs floor ceil trunc rint nearbyint round roundeven canonicalize".split():
        f(f"{i}_{ft}",ft,f"{ft} %a",f"  %r = call {ft} @llvm.{i}.{n}({ft} %a)\n  ret {ft} %r")
    for i in "minnum maxnum minimum maximum copysign".split():
        f(f"{i}_{ft}",ft,f"{ft} %a, {ft} %b",f"  %r = call {ft} @llvm.{i}.{n}({ft} %a, {ft} %b)\n  ret {ft} %r")
    f(f"fneg_{ft}",ft,f"{ft} %a",f"  %r = fneg {ft} %a\n  ret {ft} %r")
    f(f"fmuladd_{ft}",ft,f"{ft} %a, {ft} %b, {ft} %c",f"  %r = call {ft} @llvm.fmuladd.{n}({ft} %a, {ft} %b, {ft} %c)\n  ret {ft} %r")
    f(f"isnan_{ft}","i1",f"{ft} %a",f"  %r = call i1 @llvm.is.fpclass.{n}({ft} %a, i32 3)\n  ret i1 %r")
    f(f"isinf_{ft}","i1",f"{ft} %a",f"  %r = call i1 @llvm.is.fpclass.{n}({ft} %a, i32 516)\n  ret i1 %r")
    it={"float":"i32","half":"i16","bfloat":"i16"}[ft]
    f(f"bc_{ft}",it,f"{ft} %a",f"  %r = bitcast {ft} %a to {it}\n  ret {it} %r")
    f(f"bcr_{ft}",ft,f"{it} %a",f"  %r = bitcast {it} %a to {ft}\n  ret {ft} %r")
    f(f"const_{ft}",ft,"",f"  ret {ft} 1.5")
    for s in (0,6):
        f(f"fld{s}_{ft}",ft,f"ptr addrspace({s}) %p",f"  %r = load {ft}, ptr addrspace({s}) %p\n  ret {ft} %r")
        f(f"fst{s}_{ft}","void",f"ptr addrspace({s}) %p, {ft} %v",f"  store {ft} %v, ptr addrspace({s}) %p\n  ret void")
    for gt in ["float","half","bfloat"]:
        if ft=="float" and gt!=ft: f(f"fptrunc_{gt}",gt,f"float %a",f"  %r = fptrunc float %a to {gt}\n  ret {gt} %r"); f(f"fpext_{gt}","float",f"{gt} %a",f"  %r = fpext {gt} %a to float\n  ret float %r")
f("frexp_no","i64","i64 %a","  ret i64 %a")
for c in [0,1,-1,255,65535,(1<<31)-1,1<<31,(1<<32)-1,1<<32,-(1<<31),-(1<<31)-1,(1<<63)-1,-(1<<63),0x123456789abcdef,8388607,8388608,-8388608,-8388609]:
    f(f"c{c&0xffffffffffffffff:x}","i64","",f"  ret i64 {c}")
    f(f"addc{c&0xffffffffffffffff:x}","i64","i64 %a",f"  %r = add i64 %a, {c}\n ret i64 %r")
    f(f"mulc{c&0xffffffffffffffff:x}","i64","i64 %a",f"  %r = mul i64 %a, {c}\n ret i64 %r")
    f(f"andc{c&0xffffffffffffffff:x}","i64","i64 %a",f"  %r = and i64 %a, {c}\n ret i64 %r")
    if c not in(0,): f(f"divc{c&0xffffffffffffffff:x}","i64","i64 %a",f"  %r = sdiv i64 %a, {c}\n %s = urem i64 %r, {c}\n ret i64 %s")
f("vec","<4 x i32>","<4 x i32> %a, <4 x i32> %b","  %r = add <4 x i32> %a, %b\n ret <4 x i32> %r")
f("vecf","<4 x float>","<4 x float> %a, <4 x float> %b","  %r = fmul <4 x float> %a, %b\n ret <4 x float> %r")
f("memcpy_v","void","ptr %a, ptr %b, i64 %n","  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)\n ret void")
f("memcpy_c","void","ptr align 8 %a, ptr align 8 %b","  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 %b, i64 40, i1 false)\n ret void")
f("memset_v","void","ptr %a, i8 %b, i64 %n","  call void @llvm.memset.p0.i64(ptr %a, i8 %b, i64 %n, i1 false)\n ret void")
f("memmove_v","void","ptr %a, ptr %b, i64 %n","  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)\n ret void")
f("dynalloca","i64","i64 %n","  %p = alloca i8, i64 %n\n store volatile i8 1, ptr %p\n %v = load volatile i8, ptr %p\n %r = zext i8 %v to i64\n ret i64 %r")
f("alignalloca","i64","i64 %n","  %p = alloca i64, align 64\n store volatile i64 %n, ptr %p\n %v = load volatile i64, ptr %p\n ret i64 %v")
f("callee9","i64","i64 %a,i64 %b,i64 %c,i64 %d,i64 %e,i64 %f,i64 %g,i64 %h,i64 %i, i32 signext %j","  %x = sext i32 %j to i64\n %r = add i64 %i, %x\n %s = mul i64 %a, %r\n ret i64 %s")
f("caller9","i64","i64 %a","  %r = call i64 @callee9(i64 1, i64 2,i64 3,i64 4,i64 5,i64 6,i64 7,i64 8,i64 %a, i32 signext -3)\n  %q = add i64 %r, %a\n ret i64 %q")
f("indirect","i64","ptr %f, i64 %a","  %r = call i64 %f(i64 %a)\n  ret i64 %r")
f("trapit","void","","  call void @llvm.trap()\n unreachable")
f("cyc","i64","","  %r = call i64 @llvm.readcyclecounter()\n ret i64 %r")
f("sw","i64","i64 %a","  switch i64 %a, label %d [i64 0, label %x\n i64 1, label %y\n i64 2, label %z\n i64 3, label %x\n i64 4, label %y\n i64 5, label %z\n i64 6, label %x]\nx: ret i64 11\ny: ret i64 22\nz: ret i64 33\nd: ret i64 0")
f("retbig","{i64,i64,i64,i64,i64,i64,i64,i64,i64}","i64 %a","  %r = insertvalue {i64,i64,i64,i64,i64,i64,i64,i64,i64} undef, i64 %a, 8\n ret {i64,i64,i64,i64,i64,i64,i64,i64,i64} %r")
f("freezeit","i32","i32 %a","  %r = freeze i32 %a\n ret i32 %r")
f("unaligned","i32","ptr %p","  %r = load i32, ptr %p, align 1\n ret i32 %r")
f("unaligneds","void","ptr %p, i64 %v","  store i64 %v, ptr %p, align 2\n ret void")
f("i24","i24","ptr %p","  %r = load i24, ptr %p\n ret i24 %r")
f("ptrcmp","i1","ptr %p, ptr %q","  %r = icmp ult ptr %p, %q\n ret i1 %r")
f("undefv","i64","","  ret i64 undef")
print("\n".join(ops)); 
