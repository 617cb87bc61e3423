// Loads, stores and atomics become rectangles, or walks with scalar code inside. Loads: RewriteLoads.cpp,
// stores: RewriteStores.cpp, either where the order of lanes changes on chip: RewriteStretches.cpp, atomic
// updates: RewriteAtomics.cpp, several as one: RewriteSiblings.cpp, what they share: RewriteAccess.cpp.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/access/Digits.h"
#include "codegen/passes/access/Irregular.h"
#include "codegen/passes/access/Siblings.h"

namespace dlsim::access {

class Rewriter {
public:
  Rewriter(Analysis& analysis, Materializer& materializer, codegen::Coalesce mode, llvm::raw_ostream* report)
      : analysis(analysis), materializer(materializer), mode(mode), report(report) {}

  mlir::LogicalResult load(tt::LoadOp op);
  mlir::LogicalResult store(tt::StoreOp op);
  mlir::LogicalResult atomic(tt::AtomicRMWOp op);
  mlir::LogicalResult atomic(tt::AtomicCASOp op);
  // Masks that are rectangles and are needed as data.
  void maskData(mlir::Value mask);
  // Rewritten operations stay until the end: the analysis goes on to read the program as it was.
  void eraseDead() {
    for (auto [before, after] : replaced)
      before.replaceAllUsesWith(after);
    for (mlir::Operation* op : dead)
      op->erase();
  }
  // Arrays that the kernel writes.
  void collectWritten(mlir::func::FuncOp function);
  // Loads and stores that become one.
  void collectSiblings(mlir::func::FuncOp function);

private:
  struct Access {
    Pointer pointer;
    Mask mask;
    llvm::SmallVector<int64_t> shape;
    // One rectangle; else parts of the tile are found by scalar code.
    bool rectangle = true;
    // Lanes fill a stretch of memory, out of order.
    std::optional<Digits> places = {};
    // Of siblings: the range of the mask's last dimension counts groups of so many elements.
    int64_t memberMask = 1;
  };
  // `oneByOne`: not even a rectangle is one access.
  mlir::FailureOr<Access> analyse(mlir::Operation* op, mlir::Value pointer, mlir::Value mask,
                                  bool oneByOne = false);
  mlir::Value address(mlir::OpBuilder& b, mlir::Location loc, const Pointer& pointer);
  mlir::IntegerAttr argument(mlir::OpBuilder& b, const Pointer& pointer);
  mlir::DictionaryAttr hints(mlir::Operation* op);
  llvm::SmallVector<mlir::Value> strides(mlir::OpBuilder& b, mlir::Location loc, const Access& access);
  std::optional<size_t> wrappedDim(const Access& access);
  mlir::Value scalarLoad(tt::LoadOp op, const Access& access);
  Materializer::Bounds bounds(mlir::OpBuilder& b, mlir::Location loc, const Access& access);
  mlir::Value tileLoad(mlir::OpBuilder& b, tt::LoadOp op, mlir::RankedTensorType type, Access access,
                       mlir::Value other);
  mlir::Value rectangleLoad(mlir::OpBuilder& b, tt::LoadOp op, const Access& access);
  mlir::FailureOr<mlir::Value> gather(mlir::OpBuilder& b, tt::LoadOp op, const Access& access);
  mlir::LogicalResult laneStore(mlir::OpBuilder& b, mlir::Operation* op, mlir::Value value,
                                const Access& access, dl::AtomicKind kind);
  mlir::LogicalResult scatter(mlir::OpBuilder& b, mlir::Operation* op, mlir::Value value,
                              const Access& access, dl::AtomicKind kind);
  std::optional<Digits> stretch(mlir::Operation* op, const Access& access, mlir::Type element);
  mlir::Value wholeTile(mlir::OpBuilder& b, mlir::Location loc, const Access& access);
  mlir::FailureOr<mlir::Value> stretchLoad(mlir::OpBuilder& b, tt::LoadOp op, const Access& access);
  mlir::Value wholeLoad(mlir::OpBuilder& b, tt::LoadOp op, const Access& access);
  mlir::LogicalResult stretchStore(mlir::OpBuilder& b, mlir::Operation* op, mlir::Value value,
                                   const Access& access, dl::AtomicKind kind);
  void wholeStore(mlir::OpBuilder& b, mlir::Operation* op, mlir::Value value, const Access& access,
                  dl::AtomicKind kind);
  const Siblings* siblingsOf(mlir::Operation* op) const;
  Access wholeOf(const Siblings& family);
  void loadTogether(const Siblings& family);
  mlir::LogicalResult storeSibling(tt::StoreOp op, const Siblings& family);
  void storeTogether(mlir::OpBuilder& b, const Siblings& family);
  mlir::Value mayStoreTogether(mlir::OpBuilder& b, const Siblings& family);
  struct Tail {
    unsigned line;                        // dimension
    llvm::SmallVector<int64_t> shape;     // high digit, low digit
    mlir::Value zero, rows, behind, rest; // whole rows, the row behind them if there is one, its elements
  };
  std::optional<Tail> tailOf(mlir::OpBuilder& b, mlir::Location loc, const Access& access, int64_t bytes);
  mlir::FailureOr<mlir::Value> tailLoad(mlir::OpBuilder& b, tt::LoadOp op, const Access& access);
  mlir::LogicalResult tailStore(mlir::OpBuilder& b, mlir::Operation* op, mlir::Value value,
                                const Access& access, dl::AtomicKind kind);
  bool runs() const { return mode == codegen::Coalesce::full; }
  mlir::LogicalResult scalarAtomic(tt::AtomicRMWOp op, dl::AtomicKind kind);
  struct Update {
    mlir::Value pointer, value, cmp, mask;
    dl::UpdateKind kind;
    bool ordered;
  };
  mlir::LogicalResult update(mlir::Operation* op, const Update& what);
  mlir::Value updateScalar(mlir::Operation* op, const Update& what, const Access& access);
  mlir::FailureOr<mlir::Value> updateTile(mlir::Operation* op, const Update& what, const Access& access);
  mlir::LogicalResult tileStore(mlir::Operation* op, mlir::Value value, mlir::Value pointer, mlir::Value mask,
                                dl::AtomicKind kind);

  Analysis& analysis;
  Materializer& materializer;
  codegen::Coalesce mode;
  llvm::raw_ostream* report;
  llvm::SmallVector<mlir::Operation*> dead;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> replaced;
  WrittenArrays written;
  std::vector<Siblings> families;
  llvm::DenseMap<mlir::Operation*, unsigned> familyOf;
  llvm::DenseMap<mlir::Operation*, mlir::Value> together; // of families, by their first: if not always
};

// Where nothing is said about lanes that the mask leaves out, the machines that Triton is written for give
// zeros, and people rely on it.
void addOther(tt::LoadOp op);
// The scalar behind a tensor whose elements are all the same, or null.
mlir::Value scalarOf(mlir::OpBuilder& b, mlir::Value tensor);

// Only products use it. Index tensors of such a tile are read by the scalar unit, element by element: the
// cube core has no tensors of indices.
bool feedsProducts(mlir::Value tile);

} // namespace dlsim::access
