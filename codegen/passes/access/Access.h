// Pass dl-access: loads and stores through pointer tensors become rectangles with scalar addresses (dl.load,
// dl.store).
#pragma once
#include "codegen/passes/access/Materialize.h"
#include "codegen/support/Coalesce.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace dlsim::access {
struct AccessOptions {
  bool report = false;                 // one line an access on `stream`
  llvm::raw_ostream* stream = nullptr; // null: standard error
  codegen::Coalesce coalesce = codegen::Coalesce::full;
};
std::unique_ptr<mlir::Pass> createAccessPass(AccessOptions options = {});
void registerAccessPass();
// dl-fold-bounds, which follows the clean-up of dl-access.
std::unique_ptr<mlir::Pass> createFoldBoundsPass();
void registerFoldBoundsPass();
// dl-access and the clean-up that belongs to it.
void buildAccessPipeline(mlir::OpPassManager& passes, AccessOptions options = {});

// Parts of the pass.
// Descriptors that loops and branches hand on are handed on in parts, so that all are made by an operation.
mlir::LogicalResult unpackDescriptors(mlir::func::FuncOp function);
// Replaces tensor descriptors by tensors of pointers and masks.
mlir::LogicalResult expandDescriptors(mlir::func::FuncOp function);
// Replaces block pointers by tensors of pointers and masks.
mlir::LogicalResult expandBlockPointers(mlir::func::FuncOp function);
// Products of three dimensions become products of two.
void unbatchDots(mlir::func::FuncOp function);
// Joins and splits of neighbours in a row.
void pairNeighbours(mlir::func::FuncOp function);
// Moves casts of tensors of pointers to scalars.
void hoistPointerCasts(mlir::func::FuncOp function);
// Carried tensors of pointers whose strides change become carried tensors of integers.
void carryDistances(mlir::func::FuncOp function);
// Gives every loop an i64 for each loop-carried index or pointer (both its values filled with a placeholder).
struct CarriedSlot {
  mlir::scf::ForOp loop;
  unsigned value, base; // positions among the loop-carried values
};
llvm::SmallVector<CarriedSlot> addCarriedSlots(mlir::func::FuncOp function);
// Fills the slots whose base the analysis knows.
void fillCarriedSlots(llvm::ArrayRef<CarriedSlot> slots, Analysis& analysis, Materializer& materializer);
// Removes loop-carried values that nothing but themselves needs, and operations without use.
void removeDeadCarriedValues(mlir::func::FuncOp function);
// Rewrites every access; reports what cannot be expressed.
mlir::LogicalResult rewriteAccesses(mlir::func::FuncOp function, Analysis& analysis,
                                    Materializer& materializer, codegen::Coalesce mode,
                                    llvm::raw_ostream* report);
// One line about an access: class, burst, alignment, mask, strategy, source line. `parts` if it is no
// rectangle; `places` if its order changes on chip; `siblings`: accesses that are one copy; `oneByOne`:
// the scalar unit updates each element.
class Irregular;
struct Digits;
void reportAccess(llvm::raw_ostream& stream, mlir::Operation* op, const Pointer& pointer, const Mask& mask,
                  mlir::RankedTensorType tile, const Irregular* parts, const Digits* places, int64_t siblings,
                  bool oneByOne, bool toCube, codegen::Coalesce mode, Analysis& analysis);
} // namespace dlsim::access
