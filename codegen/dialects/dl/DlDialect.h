// The dl dialect: see DlOps.td.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "codegen/dialects/dl/DlOpsDialect.h.inc"
#include "codegen/dialects/dl/DlOpsEnums.h.inc"
#define GET_OP_CLASSES
#include "codegen/dialects/dl/DlOps.h.inc"
