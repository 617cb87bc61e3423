// The ends of channels in a function that dl-split made: where a tensor goes to the workspace or comes from
// it.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dlsim::codegen {

// npu.cross_wait, the accesses to the channel's place (one a piece of rows), npu.cross_set: in this order in
// one block, perhaps with other ends between.
struct Link {
  npu::CrossWaitOp wait;
  llvm::SmallVector<mlir::Operation*> accesses; // dl.store of the writer, dl.load of the reader
  npu::CrossSetOp set;
  bool writes() const { return mlir::isa<dl::StoreOp>(accesses.front()); }
  int64_t id() const { return int64_t(npu::CrossWaitOp(wait).getId()); }
  // The loop whose iterations use the channel, or null.
  mlir::scf::ForOp loop() const { return mlir::dyn_cast<mlir::scf::ForOp>(accesses.front()->getParentOp()); }
};

llvm::SmallVector<Link> findLinks(mlir::func::FuncOp function);

// Gives every channel whose loops lie straight in the functions `slots` places in the workspace, used in
// rotation by both sides. Returns the number of channels that got them.
unsigned addSlots(mlir::func::FuncOp cube, mlir::func::FuncOp vector, int64_t slots);

} // namespace dlsim::codegen
