#include "codegen/passes/blockify/Blockify.h"
#include "codegen/passes/blockify/TaskOrder.h"
#include "codegen/ttir/Ttir.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tests/codegen/blockify/ScalarInterpreter.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace mlir;
using namespace dlsim;
using dlsim::test::ScalarInterpreter;

namespace {
// The emitted code of one order as a function (task, rows, columns) -> (m, n).
class EmittedOrder {
public:
  explicit EmittedOrder(const std::string& text) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
    OpBuilder b(&context);
    Location loc = b.getUnknownLoc();
    module = ModuleOp::create(loc);
    b.setInsertionPointToStart(module->getBody());
    SmallVector<Type> three(3, b.getI64Type()), two(2, b.getI64Type());
    function = b.create<func::FuncOp>(loc, "order", b.getFunctionType(three, two));
    Block* block = function.addEntryBlock();
    b.setInsertionPointToStart(block);
    blockify::ScalarEmitter emit(b, loc);
    auto cell = blockify::emitCell(emit, llvm::cantFail(blockify::parseTaskOrder(text)),
                                   block->getArgument(0), block->getArgument(1), block->getArgument(2));
    b.create<func::ReturnOp>(loc, ValueRange{cell.first, cell.second});
  }
  std::pair<int64_t, int64_t> operator()(int64_t task, int64_t rows, int64_t columns) {
    auto cell = interpreter.runBlock(function.getBody().front(), {task, rows, columns});
    return {cell[0], cell[1]};
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  ScalarInterpreter interpreter;
};

const std::vector<std::string> kOrders{"rows",
                                       "columns",
                                       "group:1",
                                       "group:4",
                                       "group:8",
                                       "diagonal:2",
                                       "diagonal:5",
                                       "diagonal:8",
                                       "serpentine:1",
                                       "serpentine:3",
                                       "serpentine:3:columns",
                                       "hilbert"};

TEST(TaskOrder, EveryOrderVisitsEveryCellOnce) {
  const std::vector<int64_t> sizes{1, 2, 3, 5, 8, 9, 12, 17, 23};
  for (const std::string& text : kOrders) {
    EmittedOrder order(text);
    for (int64_t rows : sizes)
      for (int64_t columns : sizes) {
        std::set<std::pair<int64_t, int64_t>> seen;
        for (int64_t task = 0; task < rows * columns; ++task) {
          auto cell = order(task, rows, columns);
          ASSERT_TRUE(cell.first >= 0 && cell.first < rows && cell.second >= 0 && cell.second < columns)
              << text << " " << rows << "x" << columns << " task " << task << ": " << cell.first << ","
              << cell.second;
          ASSERT_TRUE(seen.insert(cell).second)
              << text << " " << rows << "x" << columns << " repeats " << task;
        }
      }
  }
}

std::vector<int64_t> tasksOfRow(EmittedOrder& order, int64_t row, int64_t rows, int64_t columns) {
  std::vector<int64_t> result(columns, -1);
  for (int64_t task = 0; task < rows * columns; ++task)
    if (auto cell = order(task, rows, columns); cell.first == row)
      result[cell.second] = task;
  return result;
}

// The table of the published order: task ids in an 8 x 8 tile.
TEST(TaskOrder, DiagonalTable) {
  EmittedOrder order("diagonal:8");
  using Row = std::vector<int64_t>;
  EXPECT_EQ(tasksOfRow(order, 0, 8, 8), (Row{0, 8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(tasksOfRow(order, 1, 8, 8), (Row{57, 1, 9, 17, 25, 33, 41, 49}));
  EXPECT_EQ(tasksOfRow(order, 2, 8, 8), (Row{50, 58, 2, 10, 18, 26, 34, 42}));
  EXPECT_EQ(tasksOfRow(order, 7, 8, 8), (Row{15, 23, 31, 39, 47, 55, 63, 7}));
}

TEST(TaskOrder, DiagonalFallsBackToRowsBelowThreshold) {
  EmittedOrder diagonal("diagonal:8"), rows("rows");
  for (int64_t task = 0; task < 7 * 9; ++task)
    EXPECT_EQ(diagonal(task, 7, 9), rows(task, 7, 9));
}

TEST(TaskOrder, GroupMatchesTritonsFormula) {
  EmittedOrder order("group:4");
  for (int64_t task = 0; task < 10 * 7; ++task) {
    int64_t width = 4 * 7, first = task / width * 4, height = std::min<int64_t>(10 - first, 4);
    EXPECT_EQ(order(task, 10, 7), std::pair(first + task % width % height, task % width / height));
  }
}

TEST(TaskOrder, SerpentineReversesOddStrips) {
  EmittedOrder order("serpentine:2");
  EXPECT_EQ(order(0, 4, 3), std::pair(int64_t(0), int64_t(0)));
  EXPECT_EQ(order(5, 4, 3), std::pair(int64_t(1), int64_t(2)));
  EXPECT_EQ(order(6, 4, 3), std::pair(int64_t(2), int64_t(2)));
  EXPECT_EQ(order(11, 4, 3), std::pair(int64_t(3), int64_t(0)));
}

TEST(TaskOrder, HilbertStepsToANeighbour) {
  EmittedOrder order("hilbert");
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{8, 8}, {16, 6}, {4, 10}}) {
    auto last = order(0, rows, columns);
    for (int64_t task = 1; task < rows * columns; ++task) {
      auto cell = order(task, rows, columns);
      int64_t distance = std::abs(cell.first - last.first) + std::abs(cell.second - last.second);
      EXPECT_EQ(distance, 1) << rows << "x" << columns << " at " << task;
      last = cell;
    }
  }
}

TEST(TaskOrder, BadTextsAreRefused) {
  for (const char* text : {"", "row", "group", "group:0", "group:x", "diagonal:-1", "hilbert:3",
                           "serpentine:2:rows", "rows:1"}) {
    auto order = blockify::parseTaskOrder(text);
    EXPECT_FALSE(bool(order)) << text;
    llvm::consumeError(order.takeError());
  }
  for (const char* text : {"", "3", "3x", "0x4", "axb", "3x4x5"}) {
    auto grid = blockify::parseOrderGrid(text);
    EXPECT_FALSE(bool(grid)) << text;
    llvm::consumeError(grid.takeError());
  }
}

// Program ids that each core sees, from the whole pass on a kernel that gives its ids to an unknown
// operation.
using Ids = std::vector<int64_t>;
std::vector<Ids> runKernel(const std::string& body, const blockify::BlockifyOptions& options, int64_t core,
                           int64_t cores, std::array<int64_t, 3> grid) {
  MLIRContext context;
  context.allowUnregisteredDialects();
  context.loadDialect<dl::DlDialect>();
  std::string text = "module { tt.func public @k() {\n" + body + "\n tt.return } }";
  // The sink is no operation of a known dialect, so the text goes past the check for unknown operations.
  DialectRegistry registry;
  ttir::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  PassManager passes(&context);
  passes.addPass(blockify::createBlockifyPass(options));
  if (!module || failed(passes.run(*module)))
    throw std::runtime_error("pass failed");
  ScalarInterpreter interpreter;
  interpreter.core = core;
  interpreter.cores = cores;
  interpreter.grid = grid;
  std::vector<Ids> seen;
  interpreter.other = [&](Operation*, ArrayRef<int64_t> values) { seen.push_back(values.vec()); };
  auto function = *module->getOps<func::FuncOp>().begin();
  interpreter.runBlock(function.getBody().front(), {});
  return seen;
}

const char* kGrid3 = R"(%x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  "test.sink"(%x, %y, %z) : (i32, i32, i32) -> ())";
const char* kGrid1 = R"(%x = tt.get_program_id x : i32
  %n = tt.get_num_programs x : i32
  "test.sink"(%x, %n) : (i32, i32) -> ())";

TEST(Blockify, CoresShareTheGrid) {
  for (std::string order : {"", "columns", "diagonal:2", "hilbert"}) {
    std::map<Ids, int> count;
    for (int64_t core = 0; core < 7; ++core)
      for (auto& ids : runKernel(kGrid3, {order, "", false}, core, 7, {5, 3, 2}))
        ++count[ids];
    EXPECT_EQ(count.size(), 30u) << order;
    for (auto& [ids, times] : count)
      EXPECT_EQ(times, 1);
  }
}

TEST(Blockify, MoreCoresThanTasks) {
  EXPECT_TRUE(runKernel(kGrid1, {}, 5, 24, {3, 1, 1}).empty());
  EXPECT_EQ(runKernel(kGrid1, {}, 2, 24, {3, 1, 1}), (std::vector<Ids>{{2, 3}}));
}

TEST(Blockify, RowsIsTheDefaultForTwoDimensions) {
  const char* body = R"(%x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  "test.sink"(%x, %y) : (i32, i32) -> ())";
  EXPECT_EQ(runKernel(body, {}, 0, 1, {2, 2, 1}), (std::vector<Ids>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(runKernel(body, {"columns", "", false}, 0, 1, {2, 2, 1}),
            (std::vector<Ids>{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
}

TEST(Blockify, OrderGridPermutesAOneDimensionalGrid) {
  auto seen = runKernel(kGrid1, {"columns", "2x3", false}, 0, 1, {6, 1, 1});
  std::vector<int64_t> xs;
  for (auto& ids : seen)
    xs.push_back(ids[0]);
  EXPECT_EQ(xs, (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  // A grid of another size keeps its order.
  seen = runKernel(kGrid1, {"columns", "2x3", false}, 0, 1, {5, 1, 1});
  for (size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i][0], int64_t(i));
  EXPECT_EQ(seen.size(), 5u);
}
} // namespace
