// Task orders: scalar code that turns the number of a task into a cell of the M x N grid of output tiles.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"
#include <utility>

namespace dlsim::blockify {
struct TaskOrder {
  enum Kind { Rows, Columns, Group, Diagonal, Serpentine, Hilbert };
  Kind kind = Rows;
  int64_t size = 1;        // group height, diagonal threshold or strip height, in tiles
  bool transposed = false; // serpentine in strips of columns instead of rows
};

// "rows", "columns", "group:G", "diagonal:T", "serpentine:O", "serpentine:O:columns", "hilbert".
llvm::Expected<TaskOrder> parseTaskOrder(llvm::StringRef text);
// "MxN", both positive.
llvm::Expected<std::pair<int64_t, int64_t>> parseOrderGrid(llvm::StringRef text);

// Builds i64 scalar code; constants are folded on the way.
class ScalarEmitter {
public:
  ScalarEmitter(mlir::OpBuilder& builder, mlir::Location loc) : b(builder), loc(loc) {}
  mlir::Value constant(int64_t value) { return b.create<mlir::arith::ConstantIntOp>(loc, value, 64); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AddIOp>(loc, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::SubIOp>(loc, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MulIOp>(loc, x, y); }
  // Both operands are never negative here.
  mlir::Value div(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::DivUIOp>(loc, x, y); }
  mlir::Value rem(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::RemUIOp>(loc, x, y); }
  mlir::Value min(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MinSIOp>(loc, x, y); }
  mlir::Value max(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MaxSIOp>(loc, x, y); }
  mlir::Value abs(mlir::Value x) { return max(x, sub(constant(0), x)); }
  mlir::Value half(mlir::Value x) {
    return b.createOrFold<mlir::arith::ShRSIOp>(loc, x, constant(1));
  } // floor
  mlir::Value sign(mlir::Value x) { return max(min(x, constant(1)), constant(-1)); }
  mlir::Value odd(mlir::Value x) {
    return compare(mlir::arith::CmpIPredicate::ne, b.createOrFold<mlir::arith::AndIOp>(loc, x, constant(1)),
                   constant(0));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, p, x, y);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AndIOp>(loc, x, y); }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::SelectOp>(loc, c, x, y);
  }
  mlir::OpBuilder& b;
  mlir::Location loc;
};

using Cell = std::pair<mlir::Value, mlir::Value>; // row m, column n
// Cell of task `task` (0 <= task < rows * columns) in a grid of rows x columns tiles; a bijection for every
// grid.
Cell emitCell(ScalarEmitter& emit, const TaskOrder& order, mlir::Value task, mlir::Value rows,
              mlir::Value columns);
Cell emitHilbertCell(ScalarEmitter& emit, mlir::Value task, mlir::Value rows, mlir::Value columns);
} // namespace dlsim::blockify
