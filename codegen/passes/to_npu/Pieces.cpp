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

// The first run may be a part of a piece and comes by itself. Short pieces, and those whose period is not
// known, go run by run.
LogicalResult Lowering::loadRepeats(Walk& walk, Block& body, Value buffer, Value pad, IntegerAttr arg,
                                    llvm::function_ref<LogicalResult()> emit) {
  unsigned depth = unsigned(walk.walked.size()) - 1, dim = unsigned(walk.walked[depth]);
  auto run = llvm::cast<dl::RunOp>(body.back());
  ArrayRef<int64_t> shape = typeOf(buffer).getShape();
  Repeats pieces{buffer, {}, pad, arg, int64_t(npu::elementBits(typeOf(buffer)) / 8)};
  std::optional<Burst> burst;
  auto at = [&](Value lane) { // of a run that begins there
    scalars.map(body.getArgument(depth), lane);
    walk.lanes[dim] = lane;
    return walkRun(walk, body, [&]() -> LogicalResult {
      burst = burstOf(walk, shape);
      pieces.address = address(walk.address, burst->offset, pieces.bytes);
      return success();
    });
  };
  if (failed(at(walk.lo[dim])))
    return failure();
  Burst first = *burst;
  Value firstAddress = pieces.address, elementBytes = constant(pieces.bytes);
  pieces.row = first.row;
  pieces.rows = first.rows;
  pieces.period = scalarOf(run.getPeriod());
  pieces.pitch = mul(scalarOf(run.getPitch()), elementBytes);
  Value regular = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, pieces.period,
                                                constant(32 / pieces.bytes));
  Value some =
      builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, walk.lo[dim], walk.hi[dim]);
  regular = builder.createOrFold<arith::AndIOp>(loc, regular, some);
  auto branch = builder.create<scf::IfOp>(loc, regular, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  if (failed(walkList(walk, body, emit)))
    return failure();
  builder.setInsertionPointToStart(branch.thenBlock());
  pieces.lane = add(first.col, first.cols);
  pieces.lanes = sub(walk.hi[dim], pieces.lane);
  if (failed(at(pieces.lane)))
    return failure();
  loadPieces(pieces);
  Value zero = constant(0),
        left = builder.createOrFold<arith::RemSIOp>(loc, first.col, constant(32 / pieces.bytes));
  builder.create<npu::CopyInOp>(loc, buffer, firstAddress, first.row, first.col, first.rows, first.cols, zero,
                                left, Value(), pad, arg, false);
  return success();
}

void Lowering::loadPieces(const Repeats& p) {
  Value zero = constant(0), one = constant(1), block = constant(32), bytes = constant(p.bytes);
  auto divide = [&](Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(loc, a, b); };
  auto place = [&](Value lane) {
    return builder.createOrFold<arith::RemUIOp>(loc, lane, constant(32 / p.bytes));
  };
  Value size = mul(p.period, bytes);
  Value alignment = min(builder.createOrFold<arith::AndIOp>(loc, size, sub(zero, size)), block);
  Value groups = divide(block, alignment); // this many periods are whole blocks
  Value stride = mul(groups, p.pitch), pitch = mul(groups, size);
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

} // namespace dlsim::codegen
