// Dialect `tt`: the TTIR that Triton prints, described by our own definitions. Assembly formats follow the text of Triton
// 3.x dumps, so that a dump parses unchanged. Constraints are as loose as the text allows; what the compiler
// cannot lower is reported by the pass that meets it.
#ifndef DLSIM_TT_OPS
#define DLSIM_TT_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TtDialect : Dialect {
  let name = "tt";
  let cppNamespace = "::dlsim::tt";
  let summary = "Triton's tile language (TTIR)";
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

//===- types -----------------------------------------------------------------------------------------------------===//
def PointerType : TypeDef<TtDialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "address of an element, or of a tile (block pointer)";
  let parameters = (ins "::mlir::Type":$pointee, "int":$addressSpace);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee, CArg<"int", "1">:$addressSpace), [{
    return $_get(pointee.getContext(), pointee, addressSpace);
  }]>];
  let hasCustomAssemblyFormat = 1;  // `<f32>`, or `<f32, 3>` when the address space is not global (1)
  let skipDefaultBuilders = 1;
}
def TensorDescType : TypeDef<TtDialect, "TensorDesc"> {
  let mnemonic = "tensordesc";
  let summary = "an array in global memory that is read and written in blocks";
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let assemblyFormat = "`<` $block `>`";
}
class PtrOf<Pred pointee, string what> : DialectType<TtDialect,
  And<[CPred<"::mlir::isa<::dlsim::tt::PointerType>($_self)">,
       Concat<"[](::mlir::Type pointee) { return ", SubstLeaves<"$_self", "pointee", pointee>,
              "; }(::mlir::cast<::dlsim::tt::PointerType>($_self).getPointee())">]>,
  what, "::dlsim::tt::PointerType">;
def TensorPtr : PtrOf<CPred<"::mlir::isa<::mlir::RankedTensorType>($_self)">, "pointer to a tile">;
def ScalarPtr : PtrOf<CPred<"!::mlir::isa<::mlir::RankedTensorType>($_self)">, "pointer to an element">;
def PtrTensor : TensorOf<[ScalarPtr]>;
def PtrLike : AnyTypeOf<[ScalarPtr, PtrTensor]>;
def AnyPtr : AnyTypeOf<[ScalarPtr, PtrTensor, TensorPtr]>;
def TtIntLike : AnyTypeOf<[AnyInteger, TensorOf<[AnyInteger]>], "integer or tensor of integers">;
def TtFloatLike : AnyTypeOf<[AnyFloat, TensorOf<[AnyFloat]>], "float or tensor of floats">;
def TtBoolLike : AnyTypeOf<[I1, TensorOf<[I1]>], "i1 or tensor of i1">;

//===- attributes ------------------------------------------------------------------------------------------------===//
class TtEnum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::dlsim::tt";
}
def CacheModifier : TtEnum<"CacheModifier", [
  I32EnumAttrCase<"NONE", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">, I32EnumAttrCase<"CG", 3, "cg">,
  I32EnumAttrCase<"WB", 4, "wb">, I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;
def EvictionPolicy : TtEnum<"EvictionPolicy", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">, I32EnumAttrCase<"EVICT_FIRST", 2, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 3, "evict_last">]>;
def PaddingOption : TtEnum<"PaddingOption", [I32EnumAttrCase<"PAD_ZERO", 1, "pad_zero">, I32EnumAttrCase<"PAD_NAN", 2, "pad_nan">]>;
def AtomicKind : TtEnum<"AtomicKind", [
  I32EnumAttrCase<"AND", 1, "and">, I32EnumAttrCase<"OR", 2, "or">, I32EnumAttrCase<"XOR", 3, "xor">,
  I32EnumAttrCase<"ADD", 4, "add">, I32EnumAttrCase<"FADD", 5, "fadd">, I32EnumAttrCase<"MAX", 6, "max">,
  I32EnumAttrCase<"MIN", 7, "min">, I32EnumAttrCase<"UMAX", 8, "umax">, I32EnumAttrCase<"UMIN", 9, "umin">,
  I32EnumAttrCase<"XCHG", 10, "exch">]>;
def MemSemantic : TtEnum<"MemSemantic", [
  I32EnumAttrCase<"RELAXED", 1, "relaxed">, I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">, I32EnumAttrCase<"ACQUIRE_RELEASE", 4, "acq_rel">]>;
def MemSyncScope : TtEnum<"MemSyncScope", [
  I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">, I32EnumAttrCase<"SYSTEM", 3, "sys">]>;
def ProgramDim : TtEnum<"ProgramDim", [I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;
def InputPrecision : TtEnum<"InputPrecision", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">, I32EnumAttrCase<"IEEE", 2, "ieee">,
  I32EnumAttrCase<"HF32", 3, "hf32">, I32EnumAttrCase<"BF16x3", 4, "bf16x3">, I32EnumAttrCase<"BF16x6", 5, "bf16x6">]>;
def DescriptorReduceKind : TtEnum<"DescriptorReduceKind", [
  I32EnumAttrCase<"ADD", 1, "add">, I32EnumAttrCase<"MIN", 2, "min">, I32EnumAttrCase<"MAX", 3, "max">,
  I32EnumAttrCase<"INC", 4, "inc">, I32EnumAttrCase<"DEC", 5, "dec">, I32EnumAttrCase<"AND", 6, "and">,
  I32EnumAttrCase<"OR", 7, "or">, I32EnumAttrCase<"XOR", 8, "xor">]>;
def ScaleDotElemType : TtEnum<"ScaleDotElemType", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">, I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">, I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;
def RoundingMode : TtEnum<"RoundingMode", [I32EnumAttrCase<"RTZ", 0, "rtz">, I32EnumAttrCase<"RTNE", 1, "rtne">, I32EnumAttrCase<"RS", 2, "rs">]>;
def PropagateNan : TtEnum<"PropagateNan", [I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ALL", 65535, "all">]>;

class TtOp<string mnemonic, list<Trait> traits = []> : Op<TtDialect, mnemonic, traits>;
class PureOp<string mnemonic, list<Trait> traits = []> : TtOp<mnemonic, !listconcat([Pure], traits)>;

//===- functions -------------------------------------------------------------------------------------------------===//
def FuncOp : TtOp<"func", [AffineScope, AutomaticAllocationScope, CallableOpInterface, FunctionOpInterface,
                           IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "kernel (public) or device function";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Region* getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::mlir::ArrayRef<::mlir::Type> getCallableResults() { return getFunctionType().getResults(); }
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}
def ReturnOp : TtOp<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}
def CallOp : TtOp<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $args `)` attr-dict `:` functional-type($args, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getArgs(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getArgsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::mlir::cast<::mlir::FlatSymbolRefAttr>(callee.get<::mlir::SymbolRefAttr>()));
    }
  }];
}

//===- program and shapes ----------------------------------------------------------------------------------------===//
def GetProgramIdOp : PureOp<"get_program_id"> {
  let arguments = (ins ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}
def GetNumProgramsOp : PureOp<"get_num_programs"> {
  let arguments = (ins ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}
def MakeRangeOp : PureOp<"make_range"> {
  let summary = "start, start+1 .. end-1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs 1DTensorOf<[AnyInteger]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def SplatOp : PureOp<"splat", [SameOperandsAndResultElementType]> {
  let arguments = (ins AnyType:$src);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def UnsplatOp : PureOp<"unsplat"> {
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}
def ExpandDimsOp : PureOp<"expand_dims", [SameOperandsAndResultElementType]> {
  let arguments = (ins AnyRankedTensor:$src, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def BroadcastOp : PureOp<"broadcast", [SameOperandsAndResultElementType]> {
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def ReshapeOp : PureOp<"reshape", [SameOperandsAndResultElementType]> {
  let arguments = (ins AnyRankedTensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def TransOp : PureOp<"trans", [SameOperandsAndResultElementType]> {
  let arguments = (ins AnyRankedTensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def CatOp : PureOp<"cat", [SameOperandsAndResultElementType, AllTypesMatch<["lhs", "rhs"]>]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}
def JoinOp : PureOp<"join", [AllTypesMatch<["lhs", "rhs"]>]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}
def SplitOp : PureOp<"split", [TypesMatchWith<"both results have one type", "outLHS", "outRHS", "$_self">]> {
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyRankedTensor:$outLHS, AnyRankedTensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
}
def GatherOp : PureOp<"gather"> {
  let arguments = (ins AnyRankedTensor:$src, TensorOf<[AnyInteger]>:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def HistogramOp : PureOp<"histogram", [
    TypesMatchWith<"mask has the shape of src", "src", "mask", "::dlsim::tt::maskTypeOf($_self)",
                   "($_op.getOperands().size() <= 1) || std::equal_to<>()">]> {
  let arguments = (ins TensorOf<[AnyInteger]>:$src, Optional<TensorOf<[I1]>>:$mask);
  let results = (outs TensorOf<[AnyInteger]>:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

//===- pointers and memory ---------------------------------------------------------------------------------------===//
def AddPtrOp : PureOp<"addptr", [SameOperandsAndResultShape, AllTypesMatch<["result", "ptr"]>]> {
  let summary = "ptr + offset, in elements";
  let arguments = (ins PtrLike:$ptr, TtIntLike:$offset);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}
def IntToPtrOp : PureOp<"int_to_ptr", [SameOperandsAndResultShape]> {
  let arguments = (ins TtIntLike:$src);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
def PtrToIntOp : PureOp<"ptr_to_int", [SameOperandsAndResultShape]> {
  let arguments = (ins PtrLike:$src);
  let results = (outs TtIntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
def BitcastOp : PureOp<"bitcast", [SameOperandsAndResultShape]> {
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}
def MakeTensorPtrOp : PureOp<"make_tensor_ptr", [SameVariadicOperandSize,
    TypesMatchWith<"base points to the tile's elements", "result", "base", "::dlsim::tt::elementPointerOf($_self)">]> {
  let arguments = (ins ScalarPtr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                   DenseI32ArrayAttr:$order);
  let results = (outs TensorPtr:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def AdvanceOp : PureOp<"advance", [AllTypesMatch<["result", "ptr"]>]> {
  let arguments = (ins TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def LoadOp : TtOp<"load", [AttrSizedOperandSegments,
    TypesMatchWith<"result is what ptr points to", "ptr", "result", "::dlsim::tt::pointeeOf($_self)">,
    TypesMatchWith<"mask has the shape of ptr", "ptr", "mask", "::dlsim::tt::maskTypeOf($_self)",
                   "($_op.getOperands().size() <= 1) || std::equal_to<>()">,
    TypesMatchWith<"other has the type of the result", "ptr", "other", "::dlsim::tt::pointeeOf($_self)",
                   "($_op.getOperands().size() <= 2) || std::equal_to<>()">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins AnyPtr:$ptr, Optional<TtBoolLike>:$mask, Optional<AnyType>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck, OptionalAttr<PaddingOption>:$padding,
    DefaultValuedAttr<CacheModifier, "::dlsim::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::dlsim::tt::EvictionPolicy::NORMAL">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{$ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($ptr)}];
  let hasVerifier = 1;
}
def StoreOp : TtOp<"store", [
    TypesMatchWith<"value is what ptr points to", "ptr", "value", "::dlsim::tt::pointeeOf($_self)">,
    TypesMatchWith<"mask has the shape of ptr", "ptr", "mask", "::dlsim::tt::maskTypeOf($_self)",
                   "($_op.getOperands().size() <= 2) || std::equal_to<>()">,
    MemoryEffects<[MemWrite]>]> {
  let arguments = (ins AnyPtr:$ptr, AnyType:$value, Optional<TtBoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<CacheModifier, "::dlsim::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::dlsim::tt::EvictionPolicy::NORMAL">:$evict);
  let assemblyFormat = [{$ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($ptr)}];
  let hasVerifier = 1;
}
def AtomicRMWOp : TtOp<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins AtomicKind:$kind, PtrLike:$ptr, AnyType:$val, Optional<TtBoolLike>:$mask, MemSemantic:$sem, MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{$kind `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, $result)}];
  let hasVerifier = 1;
}
def AtomicCASOp : TtOp<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins PtrLike:$ptr, AnyType:$cmp, AnyType:$val, MemSemantic:$sem, MemSyncScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

//===- descriptors of arrays: blocks outside the array are padding when loaded and not stored -----------------------===//
def MakeTensorDescOp : PureOp<"make_tensor_descriptor", [SameVariadicOperandSize]> {
  let arguments = (ins PointerType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<PaddingOption, "::dlsim::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TensorDescType:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}
def DescriptorLoadOp : TtOp<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins TensorDescType:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<CacheModifier, "::dlsim::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::dlsim::tt::EvictionPolicy::NORMAL">:$evict);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{$desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict
    `:` qualified(type($desc)) `->` type($result)}];
  let hasVerifier = 1;
}
def DescriptorStoreOp : TtOp<"descriptor_store", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins TensorDescType:$desc, AnyRankedTensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}
def DescriptorReduceOp : TtOp<"descriptor_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins DescriptorReduceKind:$kind, TensorDescType:$desc, AnyRankedTensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}
def DescriptorGatherOp : TtOp<"descriptor_gather", [MemoryEffects<[MemRead]>]> {
  let summary = "rows x_offsets of a two-dimensional array, columns from y_offset on";
  let arguments = (ins TensorDescType:$desc, 1DTensorOf<[AnyInteger]>:$x_offsets, I32:$y_offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def DescriptorScatterOp : TtOp<"descriptor_scatter", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins TensorDescType:$desc, 1DTensorOf<[AnyInteger]>:$x_offsets, I32:$y_offset, AnyRankedTensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

//===- arithmetic ------------------------------------------------------------------------------------------------===//
def DotOp : PureOp<"dot", [AllTypesMatch<["d", "c"]>]> {
  let summary = "d = a x b + c";
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$c,
    DefaultValuedAttr<InputPrecision, "::dlsim::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs AnyRankedTensor:$d);
  let assemblyFormat = [{$a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)}];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}
def DotScaledOp : PureOp<"dot_scaled", [AttrSizedOperandSegments, AllTypesMatch<["d", "c"]>]> {
  let summary = "d = (a * its scales) x (b * its scales) + c, a scale for each group of elements along K";
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$c, Optional<AnyRankedTensor>:$a_scale,
    Optional<AnyRankedTensor>:$b_scale, ScaleDotElemType:$a_elem_type, ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack, DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs AnyRankedTensor:$d);
  let assemblyFormat = [{$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type
    attr-dict `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)}];
}
def ReduceOp : PureOp<"reduce", [SameOperandsShape, SingleBlock]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}
def ReduceReturnOp : TtOp<"reduce.return", [HasParent<"ReduceOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}
def ScanOp : PureOp<"scan", [SameOperandsAndResultShape, SingleBlock]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$srcs, I32Attr:$axis, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}
def ScanReturnOp : TtOp<"scan.return", [HasParent<"ScanOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}
def ClampFOp : PureOp<"clampf", [SameOperandsAndResultType]> {
  let arguments = (ins TtFloatLike:$x, TtFloatLike:$min, TtFloatLike:$max, DefaultValuedAttr<PropagateNan, "::dlsim::tt::PropagateNan::NONE">:$propagateNan);
  let results = (outs TtFloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}
def FpToFpOp : PureOp<"fp_to_fp", [SameOperandsAndResultShape]> {
  let arguments = (ins TtFloatLike:$src, OptionalAttr<RoundingMode>:$rounding);
  let results = (outs TtFloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
}
def PreciseSqrtOp : PureOp<"precise_sqrt", [SameOperandsAndResultType]> {
  let arguments = (ins TtFloatLike:$x);
  let results = (outs TtFloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def PreciseDivFOp : PureOp<"precise_divf", [SameOperandsAndResultType]> {
  let arguments = (ins TtFloatLike:$x, TtFloatLike:$y);
  let results = (outs TtFloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def MulhiUIOp : PureOp<"mulhiui", [SameOperandsAndResultType]> {
  let arguments = (ins TtIntLike:$x, TtIntLike:$y);
  let results = (outs TtIntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def ExternElementwiseOp : TtOp<"extern_elementwise", [ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Variadic<AnyType>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs AnyType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
}
def AssertOp : TtOp<"assert", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins TtBoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}
def PrintOp : TtOp<"print", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<AnyType>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
}
#endif
