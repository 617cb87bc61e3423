#include "codegen/passes/blockify/Blockify.h"
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/blockify/TaskOrder.h"
#include "codegen/support/SourceLine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace dlsim::blockify {
namespace {
// The persistent loop deals all axes of a launch, also those that the kernel never asks for.
constexpr int64_t loopRank = 3;

// 1 + the highest grid dimension that the kernel asks for.
int64_t gridRank(tt::FuncOp kernel) {
  int64_t rank = 1;
  kernel.walk([&](Operation* op) {
    if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
      rank = std::max<int64_t>(rank, 1 + int64_t(id.getAxis()));
    if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
      rank = std::max<int64_t>(rank, 1 + int64_t(count.getAxis()));
  });
  return rank;
}

struct Plan {
  TaskOrder order;
  std::string orderText;
  int64_t rank = 1;
  std::optional<std::pair<int64_t, int64_t>> orderGrid;
};

FailureOr<Plan> makePlan(tt::FuncOp kernel, const BlockifyOptions& options) {
  auto report = [&](llvm::Error error) {
    kernel.emitError(llvm::toString(std::move(error)));
    return failure();
  };
  Plan plan;
  plan.orderText = options.order.empty() ? "rows" : options.order;
  auto order = parseTaskOrder(plan.orderText);
  if (!order)
    return report(order.takeError());
  plan.order = *order;
  plan.rank = gridRank(kernel);
  if (!options.orderGrid.empty()) {
    auto grid = parseOrderGrid(options.orderGrid);
    if (!grid)
      return report(grid.takeError());
    if (plan.rank > 1)
      return errorAt(kernel) << "kernel '" << kernel.getName() << "' has a grid of rank " << plan.rank
                             << ": the order permutes it as it is, leave out the order grid '"
                             << options.orderGrid << "'";
    plan.orderGrid = *grid;
  }
  if (plan.rank == 1 && !plan.orderGrid && plan.order.kind != TaskOrder::Rows)
    return errorAt(kernel) << "order '" << plan.orderText
                           << "' permutes grids of rank 2 and more, but kernel '" << kernel.getName()
                           << "' uses only program id x; say what its index means with an order "
                           << "grid (--order-grid=ROWSxCOLUMNS, in tiles)";
  return plan;
}

// Program ids of task number `task`.
SmallVector<Value, 3> emitProgramIds(ScalarEmitter& e, const Plan& plan, Value task, ArrayRef<Value> grid) {
  Value plane = e.mul(grid[0], grid[1]);
  if (plan.rank == 1) {
    Value x = e.rem(task, grid[0]);
    if (plan.orderGrid) {
      Value rows = e.constant(plan.orderGrid->first), columns = e.constant(plan.orderGrid->second);
      // A grid of another size keeps its own order: permuting it would lose tasks.
      Value fits = e.compare(arith::CmpIPredicate::eq, grid[0], e.mul(rows, columns));
      auto choice = e.b.create<scf::IfOp>(
          e.loc, fits,
          [&](OpBuilder& b, Location loc) {
            ScalarEmitter in(b, loc);
            Cell cell = emitCell(in, plan.order, x, rows, columns);
            b.create<scf::YieldOp>(loc, in.add(in.mul(cell.first, columns), cell.second));
          },
          [&](OpBuilder& b, Location loc) { b.create<scf::YieldOp>(loc, x); });
      x = choice.getResult(0);
    }
    return {x, Value(), Value()};
  }
  Value inPlane = e.rem(task, plane);
  Cell cell = emitCell(e, plan.order, inPlane, grid[0], grid[1]);
  return {cell.first, cell.second, plan.rank == 3 ? e.div(task, plane) : Value()};
}

void replaceGridQueries(scf::ForOp loop, ArrayRef<Value> ids, ArrayRef<Value> grid) {
  loop.walk([&](Operation* op) {
    Value value;
    if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
      value = ids[int(id.getAxis())];
    else if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
      value = grid[int(count.getAxis())];
    if (!value)
      return;
    OpBuilder b(op);
    Value narrow = b.create<arith::TruncIOp>(op->getLoc(), op->getResult(0).getType(), value);
    op->getResult(0).replaceAllUsesWith(narrow);
    op->erase();
  });
}

func::FuncOp makeFunction(tt::FuncOp kernel, const Plan& plan) {
  OpBuilder b(kernel);
  auto function = b.create<func::FuncOp>(kernel.getLoc(), kernel.getName(), kernel.getFunctionType());
  if (auto attrs = kernel.getArgAttrsAttr())
    function.setArgAttrsAttr(attrs);
  function->setAttr(kOrderAttr, b.getStringAttr(plan.orderText));
  function->setAttr(kGridRankAttr, b.getI64IntegerAttr(loopRank));
  function.getBody().takeBody(kernel.getBody());
  return function;
}

// Wraps the body in the persistent loop.
void wrapBody(func::FuncOp function, const Plan& plan, bool kOffset) {
  Block* body = &function.getBody().front();
  Operation* terminator = body->getTerminator();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  Location loc = function.getLoc();
  SmallVector<Operation*> content;
  for (Operation& op : body->without_terminator())
    content.push_back(&op);
  ScalarEmitter e(b, loc);
  Value core = b.create<dl::CoreIdOp>(loc, b.getI64Type());
  Value cores = b.create<dl::CoreCountOp>(loc, b.getI64Type());
  SmallVector<Value, 3> grid;
  for (int64_t dim = 0; dim < 3; ++dim)
    grid.push_back(b.create<dl::GridSizeOp>(loc, b.getI64Type(), dim));
  Value total = e.mul(e.mul(grid[0], grid[1]), grid[2]);
  auto loop = b.create<scf::ForOp>(loc, core, total, cores);
  loop->setAttr(kParallelAttr, b.getUnitAttr());
  if (plan.rank > 1 && (plan.order.kind == TaskOrder::Rows || plan.order.kind == TaskOrder::Columns))
    loop->setAttr(kLineAttr, b.getI64IntegerAttr(plan.order.kind == TaskOrder::Rows ? 1 : 0));
  ScalarEmitter in(b, loc);
  b.setInsertionPointToStart(loop.getBody());
  auto ids = emitProgramIds(in, plan, loop.getInductionVar(), grid);
  Operation* yield = loop.getBody()->getTerminator();
  for (Operation* op : content)
    op->moveBefore(yield);
  replaceGridQueries(loop, ids, grid);
  b.setInsertionPoint(terminator);
  b.create<func::ReturnOp>(terminator->getLoc());
  terminator->erase();
  if (kOffset && applyKOffset(loop, core))
    function->setAttr(kKOffsetAttr, b.getUnitAttr());
}

struct BlockifyPass : PassWrapper<BlockifyPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlockifyPass)
  BlockifyPass() = default;
  BlockifyPass(const BlockifyPass& other) : PassWrapper(other) {}
  explicit BlockifyPass(const BlockifyOptions& options) {
    order = options.order;
    orderGrid = options.orderGrid;
    kOffset = options.kOffset;
  }
  StringRef getArgument() const final { return "dl-blockify"; }
  StringRef getDescription() const final {
    return "grid of programs to a persistent loop on each core, in a task order";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<arith::ArithDialect, dl::DlDialect, func::FuncDialect, scf::SCFDialect>();
  }

  // All others are inlined before.
  LogicalResult checkCalls() {
    auto result = getOperation().walk([&](tt::CallOp call) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
      bool hasBody = callee && !callee.isExternal();
      errorAt(call) << "call of '" << call.getCallee() << "', which "
                    << (hasBody ? "leads back to itself; write a loop instead of a recursion"
                                : "has no body; give it one in the kernel's module");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() final {
    if (failed(checkCalls()))
      return signalPassFailure();
    SmallVector<tt::FuncOp> kernels(getOperation().getOps<tt::FuncOp>());
    if (kernels.size() != 1) {
      auto error = getOperation().emitError("expected one kernel, found ") << kernels.size();
      for (tt::FuncOp kernel : kernels)
        error << " '" << kernel.getName() << "'";
      if (kernels.empty())
        error << "; it is a public tt.func of the module";
      return signalPassFailure();
    }
    tt::FuncOp kernel = kernels.front();
    if (failed(check(kernel)))
      return signalPassFailure();
    auto plan = makePlan(kernel, {order, orderGrid, kOffset});
    if (failed(plan))
      return signalPassFailure();
    if (plan->order.kind == TaskOrder::Diagonal)
      remarkAt(kernel) << "order '" << plan->orderText << "' is rows where a side of the grid has fewer than "
                       << plan->order.size << " tiles";
    func::FuncOp function = makeFunction(kernel, *plan);
    kernel.erase();
    wrapBody(function, *plan, kOffset);
  }

  LogicalResult check(tt::FuncOp kernel) {
    if (kernel.isExternal())
      return errorAt(kernel) << "kernel '" << kernel.getName() << "' has no body";
    if (kernel.getFunctionType().getNumResults())
      return errorAt(kernel) << "kernel '" << kernel.getName()
                             << "' returns a value; a kernel has no results";
    if (!kernel.getBody().hasOneBlock())
      return errorAt(kernel.getBody().front().getTerminator())
             << "branch with an early return: the body of kernel '" << kernel.getName()
             << "' has several blocks; put the rest of the kernel under an if instead";
    return success();
  }

  Option<std::string> order{*this, "order",
                            llvm::cl::desc("rows, columns, group:G, diagonal:T, serpentine:O, hilbert")};
  Option<std::string> orderGrid{*this, "order-grid",
                                llvm::cl::desc("MxN meaning of a one-dimensional grid's index")};
  Option<bool> kOffset{*this, "k-offset", llvm::cl::desc("start K loops at tile core mod nK"),
                       llvm::cl::init(false)};
};
} // namespace

std::unique_ptr<Pass> createBlockifyPass(BlockifyOptions options) {
  return std::make_unique<BlockifyPass>(options);
}
void registerBlockifyPass() { PassRegistration<BlockifyPass>(); }
} // namespace dlsim::blockify
