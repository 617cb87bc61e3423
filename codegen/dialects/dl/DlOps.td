// The dl dialect: tile accesses and matrix products on tensors.
//
// Between the tt dialect (pointer tensors, masks) and the npu dialect (buffers, commands): every global-memory access
// is a rectangle with scalar address arithmetic, every tt.dot a dl.dot. Pure tensor arithmetic stays arith, math and tt.
#ifndef DLSIM_DL_OPS
#define DLSIM_DL_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dl_Dialect : Dialect {
  let name = "dl";
  let cppNamespace = "::dlsim::dl";
  let summary = "Tile accesses and matrix products on tensors";
}

class Dl_Op<string mnemonic, list<Trait> traits = []> : Op<Dl_Dialect, mnemonic, traits>;

// A scalar address: i64 bytes or a tt pointer. Checked by the verifiers, so that dl does not depend on tt.
def Dl_Address : AnyTypeOf<[AnyType]>;
def Dl_Tensor : RankedTensorOf<[AnyType]>;

def Dl_AtomicKind : I32EnumAttr<"AtomicKind", "how a store combines with memory", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
    I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"umin", 5>]> {
  let cppNamespace = "::dlsim::dl";
}
def Dl_UpdateKind : I32EnumAttr<"UpdateKind", "what an atomic update of one element makes of it", [
    I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"and_", 4, "and">,
    I32EnumAttrCase<"or_", 5, "or">, I32EnumAttrCase<"xor_", 6, "xor">, I32EnumAttrCase<"exch", 7>, I32EnumAttrCase<"umax", 8>,
    I32EnumAttrCase<"umin", 9>, I32EnumAttrCase<"cas", 10>]> {
  let cppNamespace = "::dlsim::dl";
}

// Rectangle of an access to a tile of static shape: element (i_0, i_1, ..) is touched iff lo_d <= i_d < hi_d for every d.
// It lives at base + sum(i_d * stride_d) elements; base includes the tile's offset.
def Dl_LoadOp : Dl_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Load a rectangle of a tile from global memory";
  let description = [{
    Elements outside [lo, hi) become `other`; without `other` they are undefined. lo and hi are clamped to [0, size]
    by the producer. With `wrap`, the address term of dimension `wrap_dim` is ((start + i) mod modulus) * stride and
    `base` excludes start * stride. `arg` is the number of the kernel argument that base points into, if known.
  }];
  let arguments = (ins Dl_Address:$base, Variadic<I64>:$strides, Variadic<I64>:$lo, Variadic<I64>:$hi,
                       Optional<AnyType>:$other, Optional<I64>:$wrap_start, Optional<I64>:$wrap_modulus,
                       OptionalAttr<I64Attr>:$wrap_dim, OptionalAttr<I64Attr>:$arg, OptionalAttr<DictionaryAttr>:$hints);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = [{
    $base `strides` `[` $strides `]` `lo` `[` $lo `]` `hi` `[` $hi `]` (`other` `(` $other^ `:` type($other) `)`)?
    (`wrap` `(` $wrap_start^ `mod` $wrap_modulus `)`)? attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Dl_StoreOp : Dl_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Store the rectangle [lo, hi) of a tile to global memory";
  let arguments = (ins Dl_Tensor:$value, Dl_Address:$base, Variadic<I64>:$strides, Variadic<I64>:$lo, Variadic<I64>:$hi,
                       DefaultValuedAttr<Dl_AtomicKind, "::dlsim::dl::AtomicKind::none">:$atomic,
                       OptionalAttr<I64Attr>:$arg, OptionalAttr<DictionaryAttr>:$hints);
  let assemblyFormat = [{
    $value `,` $base `strides` `[` $strides `]` `lo` `[` $lo `]` `hi` `[` $hi `]` attr-dict
    `:` type($value) `,` type($base)
  }];
  let hasVerifier = 1;
}

def Dl_LoadScalarOp : Dl_Op<"load_scalar", [MemoryEffects<[MemRead]>]> {
  let summary = "Load one element through the scalar unit";
  let description = "`is_volatile`: another core may write it while this one looks.";
  let arguments = (ins Dl_Address:$base, OptionalAttr<I64Attr>:$arg, UnitAttr:$is_volatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$base attr-dict `:` type($base) `->` type($result)";
}

def Dl_StoreScalarOp : Dl_Op<"store_scalar", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store one element through the scalar unit";
  let arguments = (ins AnyType:$value, Dl_Address:$base, OptionalAttr<I64Attr>:$arg);
  let assemblyFormat = "$value `,` $base attr-dict `:` type($value) `,` type($base)";
}

// Updates by the scalar unit, with the element's old value as the result. `cmp` is there for cas: elements that equal it become
// `value`. `ordered` updates come after everything that this core has done before, as the other cores see it.
def Dl_AtomicScalarOp : Dl_Op<"atomic_scalar", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Atomic update of one element through the scalar unit";
  let arguments = (ins AnyType:$value, Optional<AnyType>:$cmp, Dl_Address:$base, Dl_UpdateKind:$kind, UnitAttr:$ordered,
                       OptionalAttr<I64Attr>:$arg);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind $value (`if` $cmp^)? `,` $base (`ordered` $ordered^)? attr-dict `:` type($value) (`if` type($cmp)^)? `,` type($base)
    `->` type($result)
  }];
}

// Accesses that are no rectangle. The dimensions `walk` are walked in order, those before the last one lane by
// lane, the last one run by run; the body is called with the lanes at which a run begins and ends in dl.run.
// lo and hi restrict every dimension as in dl.load; the walk covers walked dimensions from lo to hi.
// Element (.., i + t, .., j, ..) of a run that begins at i lies at address + t * stride of the last walked dimension
// + j * stride of each dimension that is not walked. Strides of walked dimensions other than the last do not count.
def Dl_GatherOp : Dl_Op<"gather", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>, SingleBlock]> {
  let summary = "Load a tile whose parts scalar code finds";
  let description = [{
    Elements that no run covers become `other` (a scalar or a whole tensor); without `other` they are undefined.
    `scalar` says that the body reads no tensors, so that every core kind can run it.
  }];
  let arguments = (ins Variadic<I64>:$strides, Variadic<I64>:$lo, Variadic<I64>:$hi, Optional<AnyType>:$other,
                       DenseI64ArrayAttr:$walk, UnitAttr:$scalar, OptionalAttr<I64Attr>:$arg,
                       OptionalAttr<DictionaryAttr>:$hints);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = [{
    `strides` `[` $strides `]` `lo` `[` $lo `]` `hi` `[` $hi `]` (`other` `(` $other^ `:` type($other) `)`)?
    `walk` $walk $body attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}
def Dl_ScatterOp : Dl_Op<"scatter", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>, SingleBlock]> {
  let summary = "Store a tile to places that scalar code finds, in the order of the walk";
  let arguments = (ins Dl_Tensor:$value, Variadic<I64>:$strides, Variadic<I64>:$lo, Variadic<I64>:$hi,
                       DenseI64ArrayAttr:$walk,
                       DefaultValuedAttr<Dl_AtomicKind, "::dlsim::dl::AtomicKind::none">:$atomic,
                       OptionalAttr<I64Attr>:$arg, OptionalAttr<DictionaryAttr>:$hints);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $value `strides` `[` $strides `]` `lo` `[` $lo `]` `hi` `[` $hi `]` `walk` $walk $body attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}
def Dl_AtomicOp : Dl_Op<"atomic", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, SingleBlock]> {
  let summary = "Atomic updates of a tile's elements one by one, in the order of the walk";
  let description = "Elements that no run covers are zero in the result.";
  let arguments = (ins Dl_Tensor:$value, Optional<Dl_Tensor>:$cmp, Variadic<I64>:$strides, Variadic<I64>:$lo,
                       Variadic<I64>:$hi, DenseI64ArrayAttr:$walk, Dl_UpdateKind:$kind, UnitAttr:$ordered,
                       OptionalAttr<I64Attr>:$arg);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = [{
    $kind $value (`if` $cmp^)? `strides` `[` $strides `]` `lo` `[` $lo `]` `hi` `[` $hi `]` `walk` $walk
    (`ordered` $ordered^)? $body attr-dict `:` type($value) (`if` type($cmp)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}
def Dl_RunOp : Dl_Op<"run", [AttrSizedOperandSegments, Pure, Terminator,
                             ParentOneOf<["GatherOp", "ScatterOp", "AtomicOp"]>]> {
  let summary = "A run: its address, its lanes (at least one) along the last walked dimension, and which of them count";
  let description = [{
    Nothing is touched unless `active`. lo and hi have an entry a dimension: of the run's own lanes (0 to count) for the
    last walked dimension, of the tile's for those that are not walked; those of other walked dimensions do not count.
    With `period` above 0 the runs behind this one have that many lanes each, all active and whole, and each begins `pitch`
    elements behind the one before it; with 0 nothing is said about them.
  }];
  let arguments = (ins Dl_Address:$address, I64:$count, I1:$active, Variadic<I64>:$lo, Variadic<I64>:$hi,
                       Optional<I64>:$period, Optional<I64>:$pitch);
  let assemblyFormat = [{
    $address `count` $count `if` $active `lo` `[` $lo `]` `hi` `[` $hi `]` (`every` $period^ `pitch` $pitch)? attr-dict
    `:` type($address)
  }];
}
def Dl_ExtractOp : Dl_Op<"extract", [Pure]> {
  let summary = "One element of a tensor";
  let arguments = (ins Dl_Tensor:$tensor, Variadic<I64>:$lanes);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tensor `[` $lanes `]` attr-dict `:` type($tensor) `->` type($result)";
}

def Dl_PickOp : Dl_Op<"pick", [Pure]> {
  let summary = "Elements of a tensor in another order";
  let description = [{
    Elements count row by row on both sides. Element n of the result is element first + the sum of
    stride * ((n / divisor) mod size) of the source. Divisors are powers of two, and so are the ends of digits but for the
    last one's; those of elements beyond `mostPicked` begin there. 8, 16 or 32 bits; rows of either side are whole blocks
    of 32 bytes where there are several.
  }];
  let arguments = (ins Dl_Tensor:$source, DenseI64ArrayAttr:$divisors, DenseI64ArrayAttr:$sizes,
                       DenseI64ArrayAttr:$strides, I64Attr:$first);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = [{
    $source `from` $first `divisors` $divisors `sizes` $sizes `strides` $strides attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Dl_InterleaveOp : Dl_Op<"interleave", [Pure]> {
  let summary = "Tensors of one type, their elements in turn along the last dimension";
  let description = "Element n * count + k of a row of the result is element n of that row of source k. 8, 16 or 32 bits.";
  let arguments = (ins Variadic<Dl_Tensor>:$sources);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}
def Dl_DeinterleaveOp : Dl_Op<"deinterleave", [Pure]> {
  let summary = "Every `count`-th element of a tensor's rows, from `number` on";
  let description = "The last dimension of the source is `count` times the result's. 8, 16 or 32 bits.";
  let arguments = (ins Dl_Tensor:$source, I64Attr:$number, I64Attr:$count);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = "$source `[` $number `of` $count `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Dl_HalfOp : Dl_Op<"half", [Pure]> {
  let summary = "The low or the high 32 bits of each element";
  let arguments = (ins RankedTensorOf<[I64]>:$source, UnitAttr:$high);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "(`high` $high^)? $source attr-dict `:` type($source) `->` type($result)";
}
def Dl_WideOp : Dl_Op<"wide", [Pure]> {
  let summary = "Elements of 64 bits from their halves";
  let arguments = (ins RankedTensorOf<[I32]>:$low, RankedTensorOf<[I32]>:$high);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$low `,` $high attr-dict `:` type($low) `,` type($high) `->` type($result)";
}

class Dl_LaunchQuery<string mnemonic> : Dl_Op<mnemonic, [Pure]> {
  let results = (outs I64:$result);
}
def Dl_CoreIdOp : Dl_LaunchQuery<"core_id"> {
  let summary = "Number of this core among the kernel's cores, from 0";
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Dl_CoreCountOp : Dl_LaunchQuery<"core_count"> {
  let summary = "Number of cores that run the kernel";
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Dl_GridSizeOp : Dl_LaunchQuery<"grid_size"> {
  let summary = "Size of the logical grid along a dimension (0 x, 1 y, 2 z), from the argument block";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<2>]>:$dim);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def Dl_RangeMaskOp : Dl_Op<"range_mask", [AttrSizedOperandSegments, Pure]> {
  let summary = "A rectangular mask as data: true iff lo_d <= i_d < hi_d for every d";
  let arguments = (ins Variadic<I64>:$lo, Variadic<I64>:$hi);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let assemblyFormat = "`lo` `[` $lo `]` `hi` `[` $hi `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Dl_AccInitOp : Dl_Op<"acc_init", [Pure]> {
  let summary = "An accumulator that a dl.dot with init true will overwrite; zero if the condition holds";
  let description = [{
    Start value of a loop-carried accumulator whose first dot does not read it. The condition covers paths on which no
    dot runs (a loop of no iterations): then the accumulator is zero, otherwise its content is undefined.
  }];
  let arguments = (ins I1:$zero);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = "`zero_if` $zero attr-dict `:` type($result)";
}

def Dl_DotOp : Dl_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc (or zero, when init is true) + a * b, accumulated in the cube's L0C";
  let description = [{
    a is M x K (K x M with `transpose_a`), b is K x N (N x K with `transpose_b`). The product runs in steps of `k_step`
    columns, chosen so that two L0A and two L0B tiles fit. `precision` is "ieee" or "hf32" (f32 operands only).
    With `depth`, a run-time multiple of `k_step` from 0 to K, only the first `depth` columns of a and rows of b count.
  }];
  let arguments = (ins Dl_Tensor:$a, Dl_Tensor:$b, Dl_Tensor:$acc, I1:$init, Optional<I64>:$depth, I64Attr:$k_step,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b, DefaultValuedStrAttr<StrAttr, "ieee">:$precision);
  let results = (outs Dl_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `init` $init (`depth` $depth^)? attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
}

def Dl_FixpipeOp : Dl_Op<"fixpipe", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Store an accumulator's rectangle with scale, relu and cast fused";
  let arguments = (ins Dl_Tensor:$acc, Dl_Address:$base, Variadic<I64>:$strides, Variadic<I64>:$lo, Variadic<I64>:$hi,
                       Optional<F32>:$scale, TypeAttr:$element, UnitAttr:$relu,
                       DefaultValuedAttr<Dl_AtomicKind, "::dlsim::dl::AtomicKind::none">:$atomic,
                       OptionalAttr<I64Attr>:$arg, OptionalAttr<DictionaryAttr>:$hints);
  let assemblyFormat = [{
    $acc `,` $base `strides` `[` $strides `]` `lo` `[` $lo `]` `hi` `[` $hi `]` (`scale` `(` $scale^ `)`)? `as` $element
    attr-dict `:` type($acc) `,` type($base)
  }];
  let hasVerifier = 1;
}

#endif
