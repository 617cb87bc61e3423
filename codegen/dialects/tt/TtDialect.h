// Dialect tt: types, enums and operations generated from TtOps.td, and small helpers on its types.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "codegen/dialects/tt/TtOpsDialect.h.inc"
#include "codegen/dialects/tt/TtOpsEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "codegen/dialects/tt/TtOpsTypes.h.inc"

namespace dlsim::tt {
// What a pointer-like type (pointer, tensor of pointers, pointer to tile) gives when loaded.
mlir::Type pointeeOf(mlir::Type pointerLike);
// i1 in the shape of pointeeOf(pointerLike).
mlir::Type maskTypeOf(mlir::Type pointerLike);
// Element type behind a pointer-like type: f16 for !tt.ptr<f16>, tensor<8x!tt.ptr<f16>> and
// !tt.ptr<tensor<8xf16>>.
mlir::Type pointeeElementType(mlir::Type pointerLike);
// !tt.ptr<f16> for !tt.ptr<tensor<8xf16>>.
mlir::Type elementPointerOf(mlir::Type tilePointer);
// On tt.print: how many of the first operands are the program's numbers.
inline constexpr llvm::StringLiteral kProgramsAttr = "dl.programs";
} // namespace dlsim::tt

#define GET_OP_CLASSES
#include "codegen/dialects/tt/TtOps.h.inc"
