// The npu dialect: buffers in on-chip memories and the commands of the units, one operation a command family.
//
// Operations work on whole tiles; splitting into 256-byte repeats is left to npu-to-llvm. Destination passing: every
// command names the buffer it writes. Layouts and sizes of tiles: NpuDialect.h.
#ifndef DLSIM_NPU_OPS
#define DLSIM_NPU_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::dlsim::npu";
  let summary = "On-chip buffers and unit commands";
  let useDefaultAttributePrinterParser = 1;
}

class Npu_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::dlsim::npu";
}

// ---- Memories and units ----------------------------------------------------------------------------------
def Npu_Space : Npu_Enum<"Space", "on-chip memory", [
    I32EnumAttrCase<"UB", 0, "ub">, I32EnumAttrCase<"L1", 1, "l1">, I32EnumAttrCase<"L0A", 2, "l0a">,
    I32EnumAttrCase<"L0B", 3, "l0b">, I32EnumAttrCase<"L0C", 4, "l0c">, I32EnumAttrCase<"BT", 5, "bt">,
    I32EnumAttrCase<"FB", 6, "fb">]> {
  let genSpecializedAttr = 0;
}
def Npu_SpaceAttr : EnumAttr<Npu_Dialect, Npu_Space, "space"> { let assemblyFormat = "`<` $value `>`"; }

// Numbers are those of the flag instructions.
def Npu_Unit : Npu_Enum<"Unit", "unit with a command queue of its own", [
    I32EnumAttrCase<"S", 0, "s">, I32EnumAttrCase<"MTE1", 1, "mte1">, I32EnumAttrCase<"MTE2", 2, "mte2">,
    I32EnumAttrCase<"MTE3", 3, "mte3">, I32EnumAttrCase<"FIX", 4, "fix">, I32EnumAttrCase<"M", 5, "m">,
    I32EnumAttrCase<"V", 6, "v">]>;

def Npu_Atomic : Npu_Enum<"Atomic", "how a transfer combines with global memory", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
    I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"umin", 5>]>;
def Npu_UnitFlag : Npu_Enum<"UnitFlag", "how a command heeds the unit flags of its blocks of L0C: imm.unitflag", [
    I32EnumAttrCase<"off", 0>, I32EnumAttrCase<"obey", 2>, I32EnumAttrCase<"change", 3>]>;
// Up to exch the numbers are those of atom.rmw.
def Npu_Update : Npu_Enum<"Update", "atomic update by the scalar unit", [
    I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"and_", 4, "and">,
    I32EnumAttrCase<"or_", 5, "or">, I32EnumAttrCase<"xor_", 6, "xor">, I32EnumAttrCase<"exch", 7>, I32EnumAttrCase<"umax", 8>,
    I32EnumAttrCase<"umin", 9>, I32EnumAttrCase<"cas", 10>]>;

// Kinds are the ISA's mnemonics after "v.".
def Npu_Binary : Npu_Enum<"BinaryKind", "v.<kind> dst, src0, src1", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"sub", 1>, I32EnumAttrCase<"mul", 2>, I32EnumAttrCase<"div", 3>,
    I32EnumAttrCase<"max", 4>, I32EnumAttrCase<"min", 5>, I32EnumAttrCase<"and_", 6, "and">,
    I32EnumAttrCase<"or_", 7, "or">, I32EnumAttrCase<"xor_", 8, "xor">, I32EnumAttrCase<"mla", 9>]>;
def Npu_Scalar : Npu_Enum<"ScalarKind", "v.<kind> dst, src0, scalar", [
    I32EnumAttrCase<"adds", 0>, I32EnumAttrCase<"muls", 1>, I32EnumAttrCase<"maxs", 2>, I32EnumAttrCase<"mins", 3>,
    I32EnumAttrCase<"shls", 4>, I32EnumAttrCase<"shrs", 5>, I32EnumAttrCase<"axpy", 6>]>;
def Npu_Unary : Npu_Enum<"UnaryKind", "v.<kind> dst, src", [
    I32EnumAttrCase<"abs", 0>, I32EnumAttrCase<"exp", 1>, I32EnumAttrCase<"ln", 2>, I32EnumAttrCase<"sqrt", 3>,
    I32EnumAttrCase<"rsqrt", 4>, I32EnumAttrCase<"rec", 5>, I32EnumAttrCase<"relu", 6>,
    I32EnumAttrCase<"not_", 7, "not">, I32EnumAttrCase<"copy", 8>]>;
def Npu_Reduce : Npu_Enum<"ReduceKind", "v.c<kind>", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>]>;
def Npu_Cmp : Npu_Enum<"CmpKind", "imm.op of v.cmp", [
    I32EnumAttrCase<"lt", 0>, I32EnumAttrCase<"gt", 1>, I32EnumAttrCase<"le", 2>, I32EnumAttrCase<"ge", 3>,
    I32EnumAttrCase<"eq", 4>, I32EnumAttrCase<"ne", 5>]>;
def Npu_Round : Npu_Enum<"Round", "imm.round of v.cast", [
    I32EnumAttrCase<"rint", 0>, I32EnumAttrCase<"trunc", 1>, I32EnumAttrCase<"floor", 2>,
    I32EnumAttrCase<"ceil", 3>, I32EnumAttrCase<"away", 4>]>;

// ---- The interface -----------------------------------------------------------------------------------------
def Npu_CommandInterface : OpInterface<"NpuCommand"> {
  let description = "A command of one unit: the buffers it reads and writes, and its global-memory side.";
  let cppNamespace = "::dlsim::npu";
  let methods = [
    InterfaceMethod<"Unit that executes it", "::dlsim::npu::Unit", "unit">,
    InterfaceMethod<"Buffers read", "::llvm::SmallVector<::mlir::Value>", "reads", (ins), "", [{
      return ::dlsim::npu::bufferAccesses($_op.getOperation(), /*writes=*/false);
    }]>,
    InterfaceMethod<"Buffers written", "::llvm::SmallVector<::mlir::Value>", "writes", (ins), "", [{
      return ::dlsim::npu::bufferAccesses($_op.getOperation(), /*writes=*/true);
    }]>,
    InterfaceMethod<"Global-memory side, if any", "::std::optional<::dlsim::npu::GmAccess>", "gmAccess", (ins), "", [{
      return ::dlsim::npu::gmAccessOf($_op.getOperation());
    }]>
  ];
}

// ---- Base classes -------------------------------------------------------------------------------------------
class Npu_Op<string mnemonic, list<Trait> traits = []> : Op<Npu_Dialect, mnemonic, traits>;

class Npu_Command<string mnemonic, string unitName, list<Trait> traits = []>
    : Npu_Op<mnemonic, traits # [DeclareOpInterfaceMethods<Npu_CommandInterface>, MemoryEffectsOpInterface]> {
  string UnitName = unitName;
  let extraClassDefinition = "::dlsim::npu::Unit $cppClass::unit() { return ::dlsim::npu::Unit::" # unitName # "; }";
}

def Npu_Buffer : MemRefOf<[AnyType]>;
def Npu_Read : Arg<Npu_Buffer, "buffer read", [MemRead]>;
def Npu_Write : Arg<Npu_Buffer, "buffer written", [MemWrite]>;
def Npu_ReadWrite : Arg<Npu_Buffer, "buffer read and written", [MemRead, MemWrite]>;
def Npu_Gm : Resource<"::dlsim::npu::GlobalMemory">;
def Npu_GmRead : Arg<I64, "global-memory byte address read", [MemRead<Npu_Gm>]>;
def Npu_GmWrite : Arg<I64, "global-memory byte address written", [MemWrite<Npu_Gm>]>;
def Npu_AnyScalar : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;

// ---- Buffers ---------------------------------------------------------------------------------------------------
def Npu_AllocOp : Npu_Op<"alloc"> {
  let summary = "A tile in an on-chip memory";
  let description = [{
    `slots` rotating copies (see npu.slot); `offset`, set by memory planning, is the byte offset of slot 0 in the
    memory, slot i starts at offset + i * slotBytes(type). `name` is the kernel's own name for the tensor.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, DefaultValuedAttr<I64Attr, "1">:$slots, OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Npu_Buffer, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_SlotOp : Npu_Op<"slot", [Pure, AllTypesMatch<["source", "result"]>, ViewLikeOpInterface]> {
  let summary = "One of the rotating copies of a buffer";
  let arguments = (ins Npu_Buffer:$source, I64:$index);
  let results = (outs Npu_Buffer:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($result)";
  let extraClassDeclaration = "::mlir::Value getViewSource() { return getSource(); }";
}

def Npu_PartOp : Npu_Op<"part", [Pure, ViewLikeOpInterface]> {
  let summary = "Part of a buffer of UB, `offset` bytes behind its beginning";
  let arguments = (ins Npu_Buffer:$source, I64Attr:$offset);
  let results = (outs Npu_Buffer:$result);
  let assemblyFormat = "$source `at` $offset attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getViewSource() { return getSource(); }";
}

// ---- Transfers. Rows and columns are in elements of the tile, strides in bytes. ------------------------------------
// `arg` is the number of the function argument that the address points into; absent: any of them.
def Npu_CopyInOp : Npu_Command<"copy_in", "MTE2", [AttrSizedOperandSegments]> {
  let summary = "mte2.copy: rows x cols elements from global memory to the tile at [row, col]";
  let description = [{
    Row i comes from src + i * stride. `left` (elements, under 32 bytes) elements of `pad` are written before each row,
    so that [row, col - left] is aligned to 32 bytes, `right` elements of it (under 64 KiB) behind each row; with 0 cols
    nothing else is. To L1 the tile is Nz, and left + cols stay in one column block. In UB rows are those of the tile, or
    `pitch` bytes apart, a multiple of 32.
  }];
  let arguments = (ins Npu_Write:$dst, Npu_GmRead:$src, I64:$row, I64:$col, I64:$rows, I64:$cols, I64:$stride,
                       Optional<I64>:$left, Optional<I64>:$right, Optional<Npu_AnyScalar>:$pad, Optional<I64>:$pitch,
                       OptionalAttr<I64Attr>:$arg, UnitAttr:$bypass);
  let assemblyFormat = [{
    $dst `[` $row `,` $col `]` `,` $src `rows` $rows `cols` $cols `stride` $stride
    (`left` $left^)? (`right` $right^)? (`pad` `(` $pad^ `:` type($pad) `)`)? (`pitch` $pitch^)? attr-dict `:` type($dst)
  }];
  let builders = [OpBuilder<(ins "mlir::Value":$dst, "mlir::Value":$src, "mlir::Value":$row, "mlir::Value":$col,
                                 "mlir::Value":$rows, "mlir::Value":$cols, "mlir::Value":$stride, "mlir::Value":$left,
                                 "mlir::Value":$right, "mlir::Value":$pad, "mlir::IntegerAttr":$arg, "bool":$bypass), [{
    build($_builder, $_state, dst, src, row, col, rows, cols, stride, left, right, pad, mlir::Value(), arg, bypass);
  }]>];
}

def Npu_Nd2NzOp : Npu_Command<"nd2nz", "MTE2"> {
  let summary = "mte2.nd2nz.l1: rows x cols elements of a row-major matrix to Nz in L1 at [row, col]";
  let arguments = (ins Npu_Write:$dst, Npu_GmRead:$src, I64:$row, I64:$col, I64:$rows, I64:$cols, I64:$stride,
                       OptionalAttr<I64Attr>:$arg, UnitAttr:$bypass);
  let assemblyFormat = [{
    $dst `[` $row `,` $col `]` `,` $src `rows` $rows `cols` $cols `stride` $stride attr-dict `:` type($dst)
  }];
}

def Npu_FillL1Op : Npu_Command<"fill_l1", "MTE2"> {
  let summary = "mte2.fill.l1: the whole L1 tile, padding included, gets the value";
  let arguments = (ins Npu_Write:$dst, Npu_AnyScalar:$value);
  let assemblyFormat = "$dst `,` $value attr-dict `:` type($dst) `,` type($value)";
}

class Npu_LoadL0<string mnemonic, string doc> : Npu_Command<mnemonic, "MTE1"> {
  let summary = doc;
  let description = [{
    [row, col] is where the part begins in the L1 tile's own coordinates. With `transpose` those are (k, m) for
    L0A and (k, n) for L0B; without, (m, k) and (n, k).
  }];
  let arguments = (ins Npu_Write:$dst, Npu_Read:$src, I64:$row, I64:$col, I64:$size0, I64:$size1, UnitAttr:$transpose);
  let assemblyFormat = [{
    $dst `,` $src `[` $row `,` $col `]` `size` `(` $size0 `,` $size1 `)` attr-dict `:` type($dst) `,` type($src)
  }];
}
def Npu_LoadL0AOp : Npu_LoadL0<"load_l0a", "mte1.load.l0a: size (m, k) elements of an L1 tile as fractals to L0A">;
def Npu_LoadL0BOp : Npu_LoadL0<"load_l0b", "mte1.load.l0b: size (k, n) elements of an L1 tile as fractals to L0B">;

def Npu_CopyOutOp : Npu_Command<"copy_out", "MTE3"> {
  let summary = "mte3.copy: rows x cols elements of the tile from [row, col] to global memory";
  let description = "Rows are those of the tile, or `pitch` bytes apart, a multiple of 32.";
  let arguments = (ins Npu_Read:$src, Npu_GmWrite:$dst, I64:$row, I64:$col, I64:$rows, I64:$cols, I64:$stride,
                       Optional<I64>:$pitch, DefaultValuedAttr<Npu_Atomic, "::dlsim::npu::Atomic::none">:$atomic,
                       OptionalAttr<I64Attr>:$arg, UnitAttr:$bypass);
  let assemblyFormat = [{
    $src `[` $row `,` $col `]` `,` $dst `rows` $rows `cols` $cols `stride` $stride (`pitch` $pitch^)? attr-dict
    `:` type($src)
  }];
  let builders = [OpBuilder<(ins "mlir::Value":$src, "mlir::Value":$dst, "mlir::Value":$row, "mlir::Value":$col,
                                 "mlir::Value":$rows, "mlir::Value":$cols, "mlir::Value":$stride, "Atomic":$atomic,
                                 "mlir::IntegerAttr":$arg, "bool":$bypass), [{
    build($_builder, $_state, src, dst, row, col, rows, cols, stride, mlir::Value(), atomic, arg, bypass);
  }]>];
}

// ---- Cube ------------------------------------------------------------------------------------------------------------
// Unit flags, one a block of L0C, order M and FIX in place of flags of whole commands: isa/isa/DLNPUCube.td.
def Npu_HeedsUnitFlag : DefaultValuedAttr<Npu_UnitFlag, "::dlsim::npu::UnitFlag::off">;

def Npu_MmadOp : Npu_Command<"mmad", "M"> {
  let summary = "m.mmad: C(m, n) += A(m, k) * B(k, n); C starts at 0 if init";
  let description = [{
    The L0 tiles hold exactly m x k and k x n elements in the ISA's fractal layout; C has block stride
    64 * ceil16(m) bytes. `hf32` rounds f32 operands to 11 significant bits.
  }];
  let arguments = (ins Npu_ReadWrite:$c, Npu_Read:$a, Npu_Read:$b, I64:$m, I64:$k, I64:$n, I1:$init, UnitAttr:$hf32,
                       Npu_HeedsUnitFlag:$unit_flag);
  let assemblyFormat = [{
    $c `,` $a `,` $b `size` `(` $m `,` $k `,` $n `)` `init` $init attr-dict `:` type($c) `,` type($a) `,` type($b)
  }];
}

def Npu_ClearAccOp : Npu_Command<"clear_acc", "M"> {
  let summary = "m.mmad of no columns with init: C(m, n) = 0";
  let arguments = (ins Npu_Write:$c, I64:$m, I64:$n, Npu_HeedsUnitFlag:$unit_flag);
  let assemblyFormat = "$c `size` `(` $m `,` $n `)` attr-dict `:` type($c)";
}

def Npu_HandOverOp : Npu_Command<"hand_over", "M"> {
  let summary = "m.mmad of no columns that sets the unit flags of C(m, n): its sum is complete";
  let arguments = (ins Npu_ReadWrite:$c, I64:$m, I64:$n);
  let assemblyFormat = "$c `size` `(` $m `,` $n `)` attr-dict `:` type($c)";
}

def Npu_FixpipeOp : Npu_Command<"fixpipe", "FIX"> {
  let summary = "fix.copy.gm: rows x cols elements of C from [row, col] to global memory, scaled, relu'd and cast";
  let description = "m is the row count of the mmads that wrote C: C's block stride is 64 * ceil16(m) bytes.";
  let arguments = (ins Npu_Read:$src, Npu_GmWrite:$dst, I64:$row, I64:$col, I64:$rows, I64:$cols, I64:$stride, I64:$m,
                       Optional<F32>:$scale, TypeAttr:$element, UnitAttr:$relu,
                       DefaultValuedAttr<Npu_Atomic, "::dlsim::npu::Atomic::none">:$atomic,
                       OptionalAttr<I64Attr>:$arg, UnitAttr:$bypass, Npu_HeedsUnitFlag:$unit_flag);
  let assemblyFormat = [{
    $src `[` $row `,` $col `]` `,` $dst `rows` $rows `cols` $cols `stride` $stride `m` $m (`scale` $scale^)? `as` $element
    attr-dict `:` type($src)
  }];
}

// ---- Vector. Elementwise commands run over whole UB tiles, row padding included (see NpuDialect.h). ------------------
def Npu_VBinaryOp : Npu_Command<"vbinary", "V"> {
  let summary = "v.<kind>: dst = src0 op src1; and, or, xor work on the tile's bits, also for i1 and i32";
  let description = "mla also reads dst.";
  let arguments = (ins Npu_Binary:$kind, Npu_Write:$dst, Npu_Read:$lhs, Npu_Read:$rhs);
  let assemblyFormat = "$kind $dst `,` $lhs `,` $rhs attr-dict `:` type($dst) `,` type($lhs) `,` type($rhs)";
}
def Npu_VScalarOp : Npu_Command<"vscalar", "V"> {
  let summary = "v.<kind>: dst = src op scalar";
  let description = "`unsigned` makes shrs logical. axpy also reads dst.";
  let arguments = (ins Npu_Scalar:$kind, Npu_Write:$dst, Npu_Read:$src, Npu_AnyScalar:$scalar, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $kind $dst `,` $src `,` $scalar attr-dict `:` type($dst) `,` type($src) `,` type($scalar)
  }];
}
def Npu_VUnaryOp : Npu_Command<"vunary", "V"> {
  let summary = "v.<kind>: dst = op src; not and copy work on the tile's bits, also for i1";
  let arguments = (ins Npu_Unary:$kind, Npu_Write:$dst, Npu_Read:$src);
  let assemblyFormat = "$kind $dst `,` $src attr-dict `:` type($dst) `,` type($src)";
}
def Npu_VCastOp : Npu_Command<"vcast", "V"> {
  let summary = "v.cast between element types";
  let arguments = (ins Npu_Round:$round, Npu_Write:$dst, Npu_Read:$src);
  let assemblyFormat = "$round $dst `,` $src attr-dict `:` type($dst) `,` type($src)";
}
def Npu_VCmpOp : Npu_Command<"vcmp", "V"> {
  let summary = "v.cmp: bit mask dst = src0 op src1 (i32: eq only)";
  let arguments = (ins Npu_Cmp:$kind, Npu_Write:$dst, Npu_Read:$lhs, Npu_Read:$rhs);
  let assemblyFormat = "$kind $dst `,` $lhs `,` $rhs attr-dict `:` type($dst) `,` type($lhs) `,` type($rhs)";
}
def Npu_VCmpsOp : Npu_Command<"vcmps", "V"> {
  let summary = "v.cmps: bit mask dst = src op scalar (i32: eq only)";
  let arguments = (ins Npu_Cmp:$kind, Npu_Write:$dst, Npu_Read:$src, Npu_AnyScalar:$scalar);
  let assemblyFormat = "$kind $dst `,` $src `,` $scalar attr-dict `:` type($dst) `,` type($src) `,` type($scalar)";
}
def Npu_VSelOp : Npu_Command<"vsel", "V"> {
  let summary = "v.sel: dst = mask ? src0 : src1";
  let arguments = (ins Npu_Write:$dst, Npu_Read:$mask, Npu_Read:$lhs, Npu_Read:$rhs);
  let assemblyFormat = [{
    $dst `,` $mask `,` $lhs `,` $rhs attr-dict `:` type($dst) `,` type($mask) `,` type($lhs) `,` type($rhs)
  }];
}
def Npu_VSelsOp : Npu_Command<"vsels", "V"> {
  let summary = "v.sel with a scalar: dst = mask ? src0 : scalar";
  let arguments = (ins Npu_Write:$dst, Npu_Read:$mask, Npu_Read:$lhs, Npu_AnyScalar:$scalar);
  let assemblyFormat = [{
    $dst `,` $mask `,` $lhs `,` $scalar attr-dict `:` type($dst) `,` type($mask) `,` type($lhs) `,` type($scalar)
  }];
}
def Npu_VDupOp : Npu_Command<"vdup", "V"> {
  let summary = "v.dup: every element of the tile, padding included, gets the scalar; an i1 tile all bits";
  let arguments = (ins Npu_Write:$dst, Npu_AnyScalar:$scalar);
  let assemblyFormat = "$dst `,` $scalar attr-dict `:` type($dst) `,` type($scalar)";
}
def Npu_VIotaOp : Npu_Command<"viota", "V"> {
  let summary = "v.iota: element i of a rank-1 tile is start + i * step";
  let arguments = (ins Npu_Write:$dst, Npu_AnyScalar:$start, Npu_AnyScalar:$step);
  let assemblyFormat = "$dst `,` $start `,` $step attr-dict `:` type($dst) `,` type($start) `,` type($step)";
}
def Npu_VReduceOp : Npu_Command<"vreduce", "V"> {
  let summary = "Reduction of a tile along an axis, in a fixed tree";
  let description = [{
    E = 256 / element size. dst has the source's shape without `axis` (one element for rank 1).
    - f32 along rows without padding (reduceStages): per-block reductions v.cg<kind> of all rows at once, eight elements
      to one, while a row's results fill blocks; the blocks that are then left of a row are folded into one by
      elementwise commands in ascending order and reduced by v.cg<kind>, or whole by v.c<kind>, whichever is cheaper.
    - else rank 1, n elements: whole-repeat reduction v.c<kind> of each E-element chunk (the last one short) into tmp, the
      same again over the results until one is left, which goes to dst.
    - else rank 2, axis 1, R x C: when C > E, tmp (R x E) = chunk 0 of each row, then chunk j folded into it lane by lane in
      ascending j (a short last chunk touches its lanes only); then v.c<kind> of each row's min(C, E) lanes into dst.
    - rank 2, axis 0: rows are halved: with h = ceil(R / 2), row i becomes row i op row i + h for i < R - h (row h - 1 is
      kept when R is odd), then R = h, in tmp (h rows), until one row is left, which goes to dst.
    tmp has reduceScratch(src, axis) elements, absent when that is 0.
  }];
  let arguments = (ins Npu_Reduce:$kind, I64Attr:$axis, Npu_Write:$dst, Npu_Read:$src,
                       Arg<Optional<Npu_Buffer>, "scratch", [MemRead, MemWrite]>:$tmp);
  let assemblyFormat = [{
    $kind $dst `,` $src (`tmp` `(` $tmp^ `:` type($tmp) `)`)? `axis` $axis attr-dict `:` type($dst) `,` type($src)
  }];
}
def Npu_VBrcOp : Npu_Command<"vbrc", "V"> {
  let summary = "Broadcast of a rank-1 tile to rank 2 along an axis";
  let description = [{
    axis 0: every row of dst is src; axis 1: every element of row r is src[r]. axis 1 goes through tmp, one 32-byte
    block for each source element (v.brcb), rounded up to 8 elements.
  }];
  let arguments = (ins I64Attr:$axis, Npu_Write:$dst, Npu_Read:$src,
                       Arg<Optional<Npu_Buffer>, "scratch", [MemRead, MemWrite]>:$tmp);
  let assemblyFormat = [{
    $dst `,` $src (`tmp` `(` $tmp^ `:` type($tmp) `)`)? `axis` $axis attr-dict `:` type($dst) `,` type($src)
  }];
}

def Npu_VBlocksOp : Npu_Command<"vblocks", "V"> {
  let summary = "v.brcb: block i (32 bytes) of dst is full of element i of src, both of rank 1";
  let description = "16- and 32-bit elements; dst has blockElements(size of src) elements.";
  let arguments = (ins Npu_Write:$dst, Npu_Read:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type($dst) `,` type($src)";
}
def Npu_VColumnOp : Npu_Command<"vcolumn", "V"> {
  let summary = "v.<kind>: dst[r][c] = src[r][c] op column[r]; column[r] op src[r][c] if `swapped`";
  let description = [{
    The column comes as npu.vblocks spreads it, so that no tile of it is needed: a block stride of 0 repeats an element along
    its row. tmp has columnScratch(dst, kind) elements, absent when that is 0.
  }];
  let arguments = (ins Npu_Binary:$kind, Npu_Write:$dst, Npu_Read:$src, Npu_Read:$blocks, UnitAttr:$swapped,
                       Arg<Optional<Npu_Buffer>, "scratch", [MemRead, MemWrite]>:$tmp);
  let assemblyFormat = [{
    $kind $dst `,` $src `,` $blocks (`swapped` $swapped^)? (`tmp` `(` $tmp^ `:` type($tmp) `)`)? attr-dict
    `:` type($dst) `,` type($src) `,` type($blocks)
  }];
}

def Npu_VOffsetsOp : Npu_Command<"voffsets", "V"> {
  let summary = "Byte offsets for npu.vgather: element (r, c) of an i32 tile is r * row_step + c * step";
  let description = "One v.iota for the first row, then v.adds that double the rows.";
  let arguments = (ins Npu_Write:$dst, I64Attr:$row_step, I64Attr:$step);
  let assemblyFormat = "$dst `rows` $row_step `columns` $step attr-dict `:` type($dst)";
}
def Npu_VGatherOp : Npu_Command<"vgather", "V"> {
  let summary = "v.gather: element i of dst from row `row` on is the element at byte base + offsets[i] of src";
  let description = [{
    16- and 32-bit elements, as many as offsets (an i32 tile) has, or the first `count` of them. Offsets of rank 2 have rows
    as long as dst's, without padding. A dst of rank 1 counts as rows of as many elements as offsets has; one of i64 is
    filled from its beginning by words of 32 bits.
  }];
  let arguments = (ins Npu_Write:$dst, Npu_Read:$src, Npu_Read:$offsets, I64:$row, I64:$base, Optional<I64>:$count);
  let assemblyFormat = [{
    $dst `[` $row `]` `,` $src `+` $base `,` $offsets (`count` $count^)? attr-dict
    `:` type($dst) `,` type($src) `,` type($offsets)
  }];
}
def Npu_VSpreadOp : Npu_Command<"vspread", "V"> {
  let summary = "v.brcb: row i of dst begins with a block of 32 bytes full of the i-th element from byte `base` of src on";
  let description = "16- and 32-bit elements; dst has a multiple of 8 rows; base is a multiple of 32.";
  let arguments = (ins Npu_Write:$dst, Npu_Read:$src, I64:$base);
  let assemblyFormat = "$dst `,` $src `+` $base attr-dict `:` type($dst) `,` type($src)";
}
def Npu_VMoveOp : Npu_Command<"vmove", "V"> {
  let summary = "v.copy: `rows` pieces of `length` bytes, from byte `from` of src on and to byte `to` of dst on";
  let description = [{
    Pieces are `from_step` bytes apart in src and `to_step` in dst. All of these are multiples of 32, `length` is one of 2;
    element types do not count.
  }];
  let arguments = (ins Npu_Write:$dst, Npu_Read:$src, I64:$to, I64:$from, I64Attr:$rows, I64Attr:$length, I64Attr:$to_step,
                       I64Attr:$from_step);
  let assemblyFormat = [{
    $dst `+` $to `step` $to_step `,` $src `+` $from `step` $from_step `rows` $rows `of` $length attr-dict `:` type($dst) `,` type($src)
  }];
}
def Npu_VTransOp : Npu_Command<"vtrans", "V"> {
  let summary = "v.trans: dst[i][j] = src[j][i] of 16-bit elements; both sizes are multiples of 16";
  let arguments = (ins Npu_Write:$dst, Npu_Read:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type($dst) `,` type($src)";
}

// ---- Scalar unit ----------------------------------------------------------------------------------------------------
def Npu_LoadScalarOp : Npu_Command<"load_scalar", "S"> {
  let summary = "Element of a UB tile (rank 1) to a scalar";
  let arguments = (ins Npu_Read:$src, I64:$index);
  let results = (outs Npu_AnyScalar:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)";
}
def Npu_StoreScalarOp : Npu_Command<"store_scalar", "S"> {
  let summary = "Scalar to an element of a UB tile (rank 1)";
  let arguments = (ins Npu_AnyScalar:$value, Npu_Write:$dst, I64:$index);
  let assemblyFormat = "$value `,` $dst `[` $index `]` attr-dict `:` type($value) `,` type($dst)";
}
def Npu_GmLoadOp : Npu_Command<"gm_load", "S"> {
  let summary = "Scalar load from global memory through the data cache";
  let arguments = (ins Npu_GmRead:$src, OptionalAttr<I64Attr>:$arg, UnitAttr:$is_volatile);
  let results = (outs Npu_AnyScalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($result)";
}
def Npu_GmStoreOp : Npu_Command<"gm_store", "S"> {
  let summary = "Scalar store to global memory through the data cache";
  let arguments = (ins Npu_AnyScalar:$value, Npu_GmWrite:$dst, OptionalAttr<I64Attr>:$arg);
  let assemblyFormat = "$value `,` $dst attr-dict `:` type($value)";
}
def Npu_GmAtomicOp : Npu_Command<"gm_atomic", "S"> {
  let summary = "atom.rmw, atom.cas: update an element of global memory, the result is what it was";
  let description = [{
    cas: an element that equals `cmp` becomes `value`. Scalars of any type carry the element's bits in their low ones.
  }];
  let arguments = (ins Npu_Update:$kind, Npu_AnyScalar:$value, Optional<Npu_AnyScalar>:$cmp, Npu_GmWrite:$dst,
                       TypeAttr:$element, OptionalAttr<I64Attr>:$arg);
  let results = (outs Npu_AnyScalar:$result);
  let assemblyFormat = [{
    $kind $value (`if` $cmp^ `:` type($cmp))? `,` $dst `as` $element attr-dict `:` type($value) `->` type($result)
  }];
}

// ---- Messages to the host; their texts are in the function's attribute npu.messages, by number. --------------------------
def Npu_PrintOp : Npu_Op<"print"> {
  let summary = "print: the next value of a message";
  let arguments = (ins Npu_AnyScalar:$value, I64Attr:$message);
  let assemblyFormat = "$value `message` $message attr-dict `:` type($value)";
}
def Npu_TrapOp : Npu_Op<"trap"> {
  let summary = "trap: the program ends with a message";
  let arguments = (ins I64Attr:$message);
  let assemblyFormat = "`message` $message attr-dict";
}

// ---- Where a program runs. Read from special registers and the argument block; i32 or i64. ----------------------------
def Npu_CoreIdOp : Npu_Op<"core_id", [Pure]> {
  let summary = "Index of this core among those that run the kernel";
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Npu_CoreCountOp : Npu_Op<"core_count", [Pure]> {
  let summary = "Number of cores that run the kernel";
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Npu_SubCoreOp : Npu_Op<"sub_core", [Pure]> {
  let summary = "Number of this vector core within its group, from 0";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}
def Npu_WorkspaceOp : Npu_Op<"workspace", [Pure]> {
  let summary = "Byte address of the workspace of this core's group, in global memory";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}
def Npu_GridSizeOp : Npu_Op<"grid_size", [Pure]> {
  let summary = "Logical grid size along an axis (0 x, 1 y, 2 z)";
  let arguments = (ins I64Attr:$axis);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

// ---- Synchronisation -----------------------------------------------------------------------------------------------------
def Npu_SetFlagOp : Npu_Op<"set_flag"> {
  let summary = "Add a token to flag (src -> dst, id) when src reaches this command";
  let arguments = (ins Npu_Unit:$src, Npu_Unit:$dst, I64Attr:$id);
  let assemblyFormat = "$src `->` $dst `id` $id attr-dict";
}
def Npu_WaitFlagOp : Npu_Op<"wait_flag"> {
  let summary = "dst waits for a token of flag (src -> dst, id) and takes it";
  let arguments = (ins Npu_Unit:$src, Npu_Unit:$dst, I64Attr:$id);
  let assemblyFormat = "$src `->` $dst `id` $id attr-dict";
}
// Cross-core flags between the cube core of a group and its vector cores (mode 2 of xset and xwait).
def Npu_CrossSetOp : Npu_Op<"cross_set"> {
  let summary = "xset: when the unit reaches it, a token for the other side of the group; all vector cores count once";
  let arguments = (ins Npu_Unit:$unit, I64Attr:$id);
  let assemblyFormat = "$unit `id` $id attr-dict";
}
def Npu_CrossWaitOp : Npu_Op<"cross_wait"> {
  let summary = "xwait: the unit waits for a token from the other side of the group and takes it";
  let arguments = (ins Npu_Unit:$unit, I64Attr:$id);
  let assemblyFormat = "$unit `id` $id attr-dict";
}
def Npu_BarrierOp : Npu_Op<"barrier"> {
  let summary = "All commands before it end before those after it begin; without a unit, of every unit";
  let arguments = (ins OptionalAttr<Npu_Unit>:$unit);
  let assemblyFormat = "($unit^)? attr-dict";
}

#endif
