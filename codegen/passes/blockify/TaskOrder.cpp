#include "codegen/passes/blockify/TaskOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace dlsim::blockify {
llvm::Expected<TaskOrder> parseTaskOrder(llvm::StringRef text) {
  const llvm::StringRef name = text.split(':').first, rest = text.split(':').second;
  const llvm::StringRef number = rest.split(':').first, flag = rest.split(':').second;
  TaskOrder order;
  auto sized = [&](TaskOrder::Kind kind, const char* what) -> llvm::Error {
    order.kind = kind;
    if (number.getAsInteger(10, order.size) || order.size < 1 || order.size > 1024)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "order '" + text + "': needs " + what +
                                                                         " between 1 and 1024, as in " +
                                                                         name + ":8");
    return llvm::Error::success();
  };
  auto plain = [&](TaskOrder::Kind kind) -> llvm::Error {
    order.kind = kind;
    if (!rest.empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "order '" + text + "': " + name + " takes no number");
    return llvm::Error::success();
  };
  llvm::Error error = name == "rows"       ? plain(TaskOrder::Rows)
                      : name == "columns"  ? plain(TaskOrder::Columns)
                      : name == "hilbert"  ? plain(TaskOrder::Hilbert)
                      : name == "group"    ? sized(TaskOrder::Group, "the group's height")
                      : name == "diagonal" ? sized(TaskOrder::Diagonal, "the threshold")
                      : name == "serpentine"
                          ? sized(TaskOrder::Serpentine, "the strip's height")
                          : llvm::createStringError(llvm::inconvertibleErrorCode(),
                                                    "unknown order '" + text +
                                                        "'; known: rows, columns, group:G, diagonal:T, "
                                                        "serpentine:O, serpentine:O:columns, hilbert");
  if (error)
    return std::move(error);
  order.transposed = order.kind == TaskOrder::Serpentine && flag == "columns";
  if (!flag.empty() && !order.transposed)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "order '" + text + "': unexpected ':" + flag + "'");
  return order;
}

llvm::Expected<std::pair<int64_t, int64_t>> parseOrderGrid(llvm::StringRef text) {
  auto [rows, columns] = text.split('x');
  int64_t m = 0, n = 0;
  if (rows.getAsInteger(10, m) || columns.getAsInteger(10, n) || m < 1 || n < 1)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "order grid '" + text + "': expected ROWSxCOLUMNS in tiles, as in 32x16");
  return std::pair(m, n);
}

namespace {
// Strips of `size` rows, walked column by column inside a strip; the last strip may be lower.
struct Strip {
  Value index, row, column;
};
Strip emitStrip(ScalarEmitter& e, int64_t size, Value task, Value rows, Value columns) {
  Value height = e.constant(size);
  Value perStrip = e.mul(height, columns);
  Value index = e.div(task, perStrip);
  Value first = e.mul(index, height);
  Value actual = e.min(e.sub(rows, first), height);
  Value local = e.rem(task, perStrip);
  return {index, e.add(first, e.rem(local, actual)), e.div(local, actual)};
}

Cell emitSerpentine(ScalarEmitter& e, int64_t size, Value task, Value rows, Value columns) {
  Strip strip = emitStrip(e, size, task, rows, columns);
  Value back = e.sub(e.sub(columns, e.constant(1)), strip.column);
  return {strip.row, e.select(e.odd(strip.index), back, strip.column)};
}

Value emitGcd(ScalarEmitter& e, Value x, Value y) {
  SmallVector<Value> inits{x, y};
  SmallVector<Type> types(2, x.getType());
  auto loop = e.b.create<scf::WhileOp>(
      e.loc, types, inits,
      [&](OpBuilder& b, Location loc, ValueRange args) {
        ScalarEmitter in(b, loc);
        b.create<scf::ConditionOp>(loc, in.compare(CmpIPredicate::ne, args[1], in.constant(0)), args);
      },
      [&](OpBuilder& b, Location loc, ValueRange args) {
        ScalarEmitter in(b, loc);
        b.create<scf::YieldOp>(loc, ValueRange{args[1], in.rem(args[0], args[1])});
      });
  return loop.getResult(0);
}

// Tiles of T x T cells in stripes of T block rows; inside a tile diagonals, each starting one column further.
// The division by lcm(tm, tn) keeps it one-to-one in the ragged tiles at the edges.
Cell emitDiagonalTiles(ScalarEmitter& e, int64_t threshold, Value task, Value rows, Value columns) {
  Value t = e.constant(threshold);
  Value stripe = e.mul(t, columns);
  Value r = e.div(task, stripe);
  Value u = e.rem(task, stripe);
  Value fullStripes = e.div(rows, t);
  Value tm = e.select(e.compare(CmpIPredicate::slt, r, fullStripes), t, e.rem(rows, t));
  Value perTile = e.mul(tm, t);
  Value q = e.div(u, perTile);
  Value tn = e.select(e.compare(CmpIPredicate::slt, q, e.div(columns, t)), t, e.rem(columns, t));
  Value l = e.rem(u, perTile);
  Value lcm = e.div(e.mul(tm, tn), emitGcd(e, tm, tn));
  Value m = e.add(e.mul(r, t), e.rem(l, tm));
  Value n = e.add(e.mul(q, t), e.rem(e.add(l, e.div(l, lcm)), tn));
  return {m, n};
}

Cell emitDiagonal(ScalarEmitter& e, int64_t threshold, Value task, Value rows, Value columns) {
  Value t = e.constant(threshold);
  Value wide = e.both(e.compare(CmpIPredicate::sge, rows, t), e.compare(CmpIPredicate::sge, columns, t));
  auto choice = e.b.create<scf::IfOp>(
      e.loc, wide,
      [&](OpBuilder& b, Location loc) {
        ScalarEmitter in(b, loc);
        Cell cell = emitDiagonalTiles(in, threshold, task, rows, columns);
        b.create<scf::YieldOp>(loc, ValueRange{cell.first, cell.second});
      },
      [&](OpBuilder& b, Location loc) {
        ScalarEmitter in(b, loc);
        b.create<scf::YieldOp>(loc, ValueRange{in.div(task, columns), in.rem(task, columns)});
      });
  return {choice.getResult(0), choice.getResult(1)};
}
} // namespace

Cell emitCell(ScalarEmitter& e, const TaskOrder& order, Value task, Value rows, Value columns) {
  switch (order.kind) {
  case TaskOrder::Rows:
    return {e.div(task, columns), e.rem(task, columns)};
  case TaskOrder::Columns:
    return {e.rem(task, rows), e.div(task, rows)};
  case TaskOrder::Group: {
    Strip strip = emitStrip(e, order.size, task, rows, columns);
    return {strip.row, strip.column};
  }
  case TaskOrder::Serpentine: {
    if (!order.transposed)
      return emitSerpentine(e, order.size, task, rows, columns);
    auto [n, m] = emitSerpentine(e, order.size, task, columns, rows);
    return {m, n};
  }
  case TaskOrder::Diagonal:
    return emitDiagonal(e, order.size, task, rows, columns);
  case TaskOrder::Hilbert:
    return emitHilbertCell(e, task, rows, columns);
  }
  llvm_unreachable("all orders are handled");
}
} // namespace dlsim::blockify
