// Hilbert order for a rectangle of any size: the generalised curve of J. Cerveny ("gilbert"), descended as a
// loop. A sub-rectangle is (first task, corner x y, major axis ax ay, minor axis bx by); each step picks the
// part that holds the task, until the rectangle is one cell wide.
#include "codegen/passes/blockify/TaskOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace dlsim::blockify {
namespace {
struct Rect {
  Value first, x, y, ax, ay, bx, by;
  SmallVector<Value> values() const { return {first, x, y, ax, ay, bx, by}; }
  static Rect of(ValueRange v) { return {v[0], v[1], v[2], v[3], v[4], v[5], v[6]}; }
};

Rect select(ScalarEmitter& e, Value condition, const Rect& a, const Rect& b) {
  SmallVector<Value> result;
  for (auto [x, y] : llvm::zip(a.values(), b.values()))
    result.push_back(e.select(condition, x, y));
  return Rect::of(result);
}

// Half of (x, y), one longer when the half is odd and the whole (of length `length`) is more than two.
std::pair<Value, Value> halve(ScalarEmitter& e, Value x, Value y, Value length) {
  Value hx = e.half(x), hy = e.half(y);
  Value grow = e.both(e.odd(e.abs(e.add(hx, hy))), e.compare(CmpIPredicate::sgt, length, e.constant(2)));
  Value zero = e.constant(0);
  return {e.add(hx, e.select(grow, e.sign(x), zero)), e.add(hy, e.select(grow, e.sign(y), zero))};
}

// A long rectangle falls into two parts along its major axis.
Rect longPart(ScalarEmitter& e, const Rect& r, Value task, Value width) {
  auto [ax2, ay2] = halve(e, r.ax, r.ay, width);
  Value next = e.add(r.first, e.abs(e.mul(e.add(ax2, ay2), e.add(r.bx, r.by))));
  Rect front{r.first, r.x, r.y, ax2, ay2, r.bx, r.by};
  Rect back{next, e.add(r.x, ax2), e.add(r.y, ay2), e.sub(r.ax, ax2), e.sub(r.ay, ay2), r.bx, r.by};
  return select(e, e.compare(CmpIPredicate::slt, task, next), front, back);
}

// Others into three: one step up, one long step across, one step down.
Rect standardPart(ScalarEmitter& e, const Rect& r, Value task, Value height) {
  Value ax2 = e.half(r.ax), ay2 = e.half(r.ay);
  auto [bx2, by2] = halve(e, r.bx, r.by, height);
  Value restX = e.sub(r.bx, bx2), restY = e.sub(r.by, by2);
  Value second = e.add(r.first, e.abs(e.mul(e.add(bx2, by2), e.add(ax2, ay2))));
  Value third = e.add(second, e.abs(e.mul(e.add(r.ax, r.ay), e.add(restX, restY))));
  Value zero = e.constant(0);
  auto unitStep = [&](Value whole, Value part, Value axis, Value minor) {
    return e.add(e.sub(whole, e.sign(axis)), e.sub(part, e.sign(minor)));
  };
  Rect up{r.first, r.x, r.y, bx2, by2, ax2, ay2};
  Rect across{second, e.add(r.x, bx2), e.add(r.y, by2), r.ax, r.ay, restX, restY};
  Rect down{third,
            e.add(r.x, unitStep(r.ax, bx2, r.ax, r.bx)),
            e.add(r.y, unitStep(r.ay, by2, r.ay, r.by)),
            e.sub(zero, bx2),
            e.sub(zero, by2),
            e.sub(ax2, r.ax),
            e.sub(ay2, r.ay)};
  Rect late = select(e, e.compare(CmpIPredicate::slt, task, third), across, down);
  return select(e, e.compare(CmpIPredicate::slt, task, second), up, late);
}
} // namespace

Cell emitHilbertCell(ScalarEmitter& e, Value task, Value rows, Value columns) {
  Value zero = e.constant(0);
  Rect alongColumns{zero, zero, zero, columns, zero, zero, rows}; // x counts columns, y rows
  Rect alongRows{zero, zero, zero, zero, rows, columns, zero};
  Rect start = select(e, e.compare(CmpIPredicate::sge, columns, rows), alongColumns, alongRows);
  SmallVector<Value> inits = start.values();
  SmallVector<Type> types(inits.size(), zero.getType());
  auto loop = e.b.create<scf::WhileOp>(
      e.loc, types, inits,
      [&](OpBuilder& b, Location loc, ValueRange args) {
        ScalarEmitter in(b, loc);
        Rect r = Rect::of(args);
        Value thin = in.min(in.abs(in.add(r.ax, r.ay)), in.abs(in.add(r.bx, r.by)));
        b.create<scf::ConditionOp>(loc, in.compare(CmpIPredicate::sgt, thin, in.constant(1)), args);
      },
      [&](OpBuilder& b, Location loc, ValueRange args) {
        ScalarEmitter in(b, loc);
        Rect r = Rect::of(args);
        Value width = in.abs(in.add(r.ax, r.ay)), height = in.abs(in.add(r.bx, r.by));
        Value isLong =
            in.compare(CmpIPredicate::sgt, in.mul(width, in.constant(2)), in.mul(height, in.constant(3)));
        Rect next = select(in, isLong, longPart(in, r, task, width), standardPart(in, r, task, height));
        b.create<scf::YieldOp>(loc, next.values());
      });
  Rect r = Rect::of(loop.getResults());
  Value steps = e.sub(task, r.first);
  Value flat = e.compare(CmpIPredicate::eq, e.abs(e.add(r.bx, r.by)), e.constant(1)); // one cell high
  Value dx = e.select(flat, e.sign(r.ax), e.sign(r.bx)), dy = e.select(flat, e.sign(r.ay), e.sign(r.by));
  return {e.add(r.y, e.mul(dy, steps)), e.add(r.x, e.mul(dx, steps))};
}
} // namespace dlsim::blockify
