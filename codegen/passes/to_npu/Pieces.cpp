// Runs that repeat: pieces of one size, at one distance in memory, that follow each other in a row of the
// buffer.
//
// A copy writes rows that begin at blocks of 32 bytes, which pieces do not. But pieces some periods apart lie
// at the same place in their blocks: one copy loads them all, each with the beginning of its first block as
// padding. That spoils the end of the piece before, which is of the group of pieces before and comes after;
// what the first group spoils is loaded again.
#include "codegen/passes/to_npu/Walk.h"

using namespace mlir;

namespace dlsim::codegen {

struct Lowering::Repeats {
  Value buffer, row, pad;
  IntegerAttr arg;
  int64_t bytes = 0;   // of an element
  Value address, lane; // where the first piece begins
  Value period, pitch; // lanes; bytes from a piece to the next
  Value lanes;         // of all pieces, the last of which may be a part of one
  Value rows;          // 0 where the whole row is masked off, else 1
};

// The run that begins at a lane, in the walk's address, from and to.
LogicalResult Lowering::runAt(Walk& walk, Block& body, Value lane) {
  scalars.map(body.getArgument(unsigned(walk.walked.size()) - 1), lane);
  walk.lanes[unsigned(walk.walked.back())] = lane;
  return walkRun(walk, body, [] { return success(); });
}

// Runs that follow the first one at a period of at least `shortest` lanes go by `repeats`; others run by run.
// Either has the first run in the walk.
LogicalResult Lowering::ifRepeating(Walk& walk, Block& body, int64_t shortest,
                                    llvm::function_ref<LogicalResult()> emit,
                                    llvm::function_ref<LogicalResult()> repeats) {
  unsigned dim = unsigned(walk.walked.back());
  if (failed(runAt(walk, body, walk.lo[dim])))
    return failure();
  using P = arith::CmpIPredicate;
  Value period = scalarOf(llvm::cast<dl::RunOp>(body.back()).getPeriod());
  Value regular = builder.create<arith::CmpIOp>(loc, P::sge, period, constant(shortest));
  Value some = builder.createOrFold<arith::CmpIOp>(loc, P::slt, walk.lo[dim], walk.hi[dim]);
  regular = builder.createOrFold<arith::AndIOp>(loc, regular, some);
  auto branch = builder.create<scf::IfOp>(loc, regular, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (failed(repeats()))
    return failure();
  builder.setInsertionPointToStart(branch.elseBlock());
  return walkList(walk, body, emit);
}

// One after the other, without the arithmetic that finds where a run begins; or, where `inGroups`, the pieces
// of a row in groups.
LogicalResult Lowering::storeRepeats(Walk& walk, Block& body, Value buffer, npu::Atomic atomic,
                                     IntegerAttr arg, llvm::function_ref<LogicalResult()> emit) {
  unsigned dim = unsigned(walk.walked.back());
  auto run = llvm::cast<dl::RunOp>(body.back());
  int64_t bytes = npu::elementBits(typeOf(buffer)) / 8;
  return ifRepeating(walk, body, 1, emit, [&]() -> LogicalResult {
    Value zero = constant(0), one = constant(1), begin = add(walk.lanes[dim], walk.to[dim]),
          end = walk.hi[dim];
    if (failed(emit()) || failed(runAt(walk, body, begin)))
      return failure();
    Value period = scalarOf(run.getPeriod()), pitch = mul(scalarOf(run.getPitch()), constant(bytes));
    Value start = walk.address, rounded = add(sub(end, begin), sub(period, one));
    Value count = builder.createOrFold<arith::DivSIOp>(loc, rounded, period);
    auto piece = [&](Value number) {
      walk.lanes[dim] = add(begin, mul(number, period));
      walk.address = add(start, mul(number, pitch));
      walk.from[dim] = zero;
      walk.to[dim] = min(period, sub(end, walk.lanes[dim]));
      return emit();
    };
    OpBuilder::InsertionGuard guard(builder);
    auto burst = burstOf(walk, typeOf(buffer).getShape());
    if (burst && walk.isInOneRow() && (bytes == 2 || bytes == 4)) { // what v.gather moves
      Value from = address(start, burst->offset, bytes), lanes = sub(end, begin);
      Repeats pieces{buffer, burst->row, {}, arg, bytes, from, begin, period, pitch, lanes, burst->rows};
      bool words = bytes == 2 && typeOf(buffer).getShape().back() % 2 == 0 && atomic == npu::Atomic::none;
      auto branch = builder.create<scf::IfOp>(loc, inGroups(pieces, words), /*withElseRegion=*/true);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value whole = storePieces(pieces, words, atomic);
      auto rest = builder.create<scf::ForOp>(loc, whole, count, one);
      builder.setInsertionPointToStart(rest.getBody());
      if (failed(piece(rest.getInductionVar())))
        return failure();
      builder.setInsertionPointToStart(branch.elseBlock());
    }
    auto loop = builder.create<scf::ForOp>(loc, zero, count, one);
    builder.setInsertionPointToStart(loop.getBody());
    return piece(loop.getInductionVar());
  });
}

// The first run may be a part of a piece and comes by itself. Pieces of less than a block go run by run.
LogicalResult Lowering::loadRepeats(Walk& walk, Block& body, Value buffer, Value pad, IntegerAttr arg,
                                    llvm::function_ref<LogicalResult()> emit) {
  unsigned dim = unsigned(walk.walked.back());
  auto run = llvm::cast<dl::RunOp>(body.back());
  ArrayRef<int64_t> shape = typeOf(buffer).getShape();
  int64_t bytes = npu::elementBits(typeOf(buffer)) / 8;
  return ifRepeating(walk, body, 32 / bytes, emit, [&]() -> LogicalResult {
    Burst first = *burstOf(walk, shape);
    Value from = address(walk.address, first.offset, bytes);
    Value period = scalarOf(run.getPeriod()), pitch = mul(scalarOf(run.getPitch()), constant(bytes));
    Value lane = add(first.col, first.cols);
    if (failed(runAt(walk, body, lane)))
      return failure();
    Value next = address(walk.address, burstOf(walk, shape)->offset, bytes);
    loadPieces(
        {buffer, first.row, pad, arg, bytes, next, lane, period, pitch, sub(walk.hi[dim], lane), first.rows});
    Value left = builder.createOrFold<arith::RemSIOp>(loc, first.col, constant(32 / bytes));
    builder.create<npu::CopyInOp>(loc, buffer, from, first.row, first.col, first.rows, first.cols,
                                  constant(0), left, Value(), pad, arg, false);
    return success();
  });
}

// Pieces after which one begins at the same place in its block again.
Value Lowering::groupsOf(const Repeats& p) {
  Value size = mul(p.period, constant(p.bytes)), block = constant(32);
  Value alignment = min(builder.createOrFold<arith::AndIOp>(loc, size, sub(constant(0), size)), block);
  return builder.createOrFold<arith::DivUIOp>(loc, block, alignment);
}

void Lowering::loadPieces(const Repeats& p) {
  Value zero = constant(0), one = constant(1), bytes = constant(p.bytes);
  auto divide = [&](Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(loc, a, b); };
  auto place = [&](Value lane) {
    return builder.createOrFold<arith::RemUIOp>(loc, lane, constant(32 / p.bytes));
  };
  Value groups = groupsOf(p); // this many periods are whole blocks
  Value stride = mul(groups, p.pitch), pitch = mul(mul(groups, p.period), bytes);
  auto copy = [&](Value number, Value skipped, Value rows, Value cols, Value left) { // from piece `number` on
    Value lane = add(add(p.lane, mul(number, p.period)), skipped);
    Value from = add(add(p.address, mul(number, p.pitch)), mul(skipped, bytes));
    builder.create<npu::CopyInOp>(loc, p.buffer, from, p.row, lane, mul(rows, p.rows), cols, stride, left,
                                  Value(), p.pad, pitch, p.arg, false);
  };
  Value whole = divide(p.lanes, p.period), rest = sub(p.lanes, mul(whole, p.period));
  copy(whole, zero, one, rest, place(add(p.lane, mul(whole, p.period))));
  Value last = builder.createOrFold<arith::MaxSIOp>(loc, sub(whole, one), zero);
  Value rounds = divide(last, groups), more = sub(last, mul(rounds, groups)), count = min(groups, whole);
  auto loop = builder.create<scf::ForOp>(loc, zero, count, one);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value group = sub(sub(count, one), loop.getInductionVar());
    Value longer = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, group, more);
    Value extra = builder.create<arith::ExtUIOp>(loc, builder.getI64Type(), longer);
    copy(group, zero, add(rounds, extra), p.period, place(add(p.lane, mul(group, p.period))));
  }
  // The last lanes of the pieces before those of the first group.
  Value spoiled = place(p.lane);
  Value any = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, mul(spoiled, rounds), zero);
  auto branch = builder.create<scf::IfOp>(loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  copy(sub(groups, one), sub(p.period, spoiled), rounds, spoiled, Value());
}

// Whether pieces do not meet in memory, where their order would count, and moving the row to the beginning of
// a block once a group costs less than moving each piece. `words`: only where each piece begins at a word of
// 32 bits, so that half as many elements move.
Value Lowering::inGroups(const Repeats& p, bool words) {
  int64_t most = words ? 4 : 2;
  using P = arith::CmpIPredicate;
  auto holds = [&](P predicate, Value a, Value b) -> Value {
    return builder.create<arith::CmpIOp>(loc, predicate, a, b);
  };
  Value few = holds(P::sle, groupsOf(p), constant(most));
  Value apart = holds(P::sge, p.pitch, mul(p.period, constant(p.bytes)));
  Value many = holds(P::sge, p.lanes, mul(p.period, constant(2 * most)));
  Value all = builder.create<arith::AndIOp>(loc, builder.create<arith::AndIOp>(loc, few, apart), many);
  if (!words)
    return all;
  Value odd = builder.createOrFold<arith::AndIOp>(
      loc, builder.createOrFold<arith::OrIOp>(loc, p.period, p.lane), constant(1));
  return builder.create<arith::AndIOp>(loc, all, holds(P::eq, odd, constant(0)));
}

// All whole pieces; how many they are.
Value Lowering::storePieces(const Repeats& p, bool words, npu::Atomic atomic) {
  Value zero = constant(0), one = constant(1), bytes = constant(p.bytes), block = constant(32 / p.bytes);
  Value groups = groupsOf(p), stride = mul(groups, p.pitch), pitch = mul(mul(groups, p.period), bytes);
  Value whole = builder.createOrFold<arith::DivUIOp>(loc, p.lanes, p.period);
  Value rounds = builder.createOrFold<arith::DivUIOp>(loc, whole, groups),
        more = sub(whole, mul(rounds, groups));
  auto lane = [&](Value group) { return add(p.lane, mul(group, p.period)); };
  auto copy = [&](Value src, Value row, Value col, Value cols, Value group, Value taken) {
    Value longer = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, group, more);
    Value rows = add(rounds, builder.create<arith::ExtUIOp>(loc, builder.getI64Type(), longer));
    builder.create<npu::CopyOutOp>(loc, src, add(p.address, mul(group, p.pitch)), row, col,
                                   mul(mul(rows, p.rows), taken), cols, stride, pitch, atomic, p.arg, false);
  };
  // The group that begins at a block, if there is one, needs not move.
  auto search = builder.create<scf::ForOp>(loc, zero, groups, one, ValueRange{constant(-1)});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(search.getBody());
    Value group = search.getInductionVar(),
          place = builder.createOrFold<arith::RemUIOp>(loc, lane(group), block);
    Value here = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, place, zero);
    Value best = builder.create<arith::SelectOp>(loc, here, group, search.getRegionIterArgs()[0]);
    builder.create<scf::YieldOp>(loc, best);
  }
  Value found = search.getResult(0),
        some = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, found, zero);
  Value taken = builder.create<arith::ExtUIOp>(loc, builder.getI64Type(), some);
  Value straight = builder.createOrFold<arith::MaxSIOp>(loc, found, zero);
  copy(p.buffer, p.row, mul(lane(straight), taken), p.period, straight, taken);
  auto loop = builder.create<scf::ForOp>(loc, zero, sub(groups, taken), one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = add(add(found, one), loop.getInductionVar());
  Value wraps = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, next, groups);
  Value group = builder.create<arith::SelectOp>(loc, wraps, sub(next, groups), next);
  MemRefType type = typeOf(p.buffer);
  int64_t unit = words ? 4 : p.bytes; // bytes
  Value moved =
      alloc(words ? builder.getI32Type() : type.getElementType(), {type.getShape().back() * p.bytes / unit});
  Value first = add(mul(p.row, constant(npu::ubRowElements(type))), lane(group));
  Value lanes = sub(p.lanes, mul(group, p.period));
  if (words)
    lanes = builder.createOrFold<arith::ShRUIOp>(loc, add(lanes, one), one);
  pickRow(moved, zero, p.buffer, mul(first, bytes), unit, lanes);
  Value cols = words ? builder.createOrFold<arith::ShRUIOp>(loc, p.period, one) : p.period;
  copy(moved, zero, zero, cols, group, one);
  builder.setInsertionPointAfter(loop);
  return whole;
}

} // namespace dlsim::codegen
