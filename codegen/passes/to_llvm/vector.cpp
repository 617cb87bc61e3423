#include "codegen/passes/to_llvm/vector.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {

static MemRefType typeOf(Value buffer) { return llvm::cast<MemRefType>(buffer.getType()); }

bool VectorLowering::lower(Operation* op) {
  bool mine = true;
  llvm::TypeSwitch<Operation*>(op)
      .Case([&](npu::VBinaryOp o) { binary(o); })
      .Case([&](npu::VScalarOp o) { scalar(o); })
      .Case([&](npu::VUnaryOp o) { unary(o); })
      .Case([&](npu::VCastOp o) { cast(o); })
      .Case([&](npu::VCmpOp o) { compare(o, o.getKind(), o.getDst(), o.getLhs(), o.getRhs()); })
      .Case([&](npu::VCmpsOp o) { compare(o, o.getKind(), o.getDst(), o.getSrc(), o.getScalar()); })
      .Case([&](npu::VSelOp o) { select(o, o.getDst(), o.getMask(), o.getLhs(), o.getRhs()); })
      .Case([&](npu::VSelsOp o) { select(o, o.getDst(), o.getMask(), o.getLhs(), o.getScalar()); })
      .Case([&](npu::VDupOp o) { dup(o); })
      .Case([&](npu::VIotaOp o) { iota(o); })
      .Case([&](npu::VReduceOp o) { reduce(o); })
      .Case([&](npu::VBlocksOp o) { blocks(o); })
      .Case([&](npu::VColumnOp o) { column(o); })
      .Case([&](npu::VBrcOp o) { o.getAxis() == 0 ? broadcastRow(o) : broadcastColumn(o); })
      .Case([&](npu::VOffsetsOp o) { offsets(o); })
      .Case([&](npu::VGatherOp o) { gather(o); })
      .Case([&](npu::VSpreadOp o) { spread(o); })
      .Case([&](npu::VMoveOp o) { move(o); })
      .Case([&](npu::VTransOp o) { transpose(o); })
      .Default([&](Operation*) { mine = false; });
  return mine;
}

// ---- Lane state
// ------------------------------------------------------------------------------------------------
void VectorLowering::mask(uint64_t low, uint64_t high) {
  if (state.kind == Lanes::masked && state.low == low && state.high == high)
    return;
  state = {Lanes::masked, low, high, 0};
  e.command("v.mask", {e.constant(int64_t(low)), e.constant(int64_t(high))}, {0});
}

// The lanes of a repeat beyond its elements do not matter: all on and exactly `width` on are the same to a
// command.
void VectorLowering::lanes(int64_t first, int64_t width) {
  if (first >= width)
    return mask(~0ull, ~0ull);
  mask(llvm::maskTrailingOnes<uint64_t>(std::min<int64_t>(first, 64)),
       llvm::maskTrailingOnes<uint64_t>(std::max<int64_t>(first - 64, 0)));
}

void VectorLowering::count(int64_t elements) {
  if (state.kind == Lanes::counted && state.count == elements)
    return;
  state = {Lanes::counted, 0, 0, elements};
  e.command("v.count", {e.constant(elements)}, {0});
}

void VectorLowering::count(Value elements) {
  state = {Lanes::counted, 0, 0, -1};
  e.command("v.count", {elements}, {0});
}

// ---- Walking over tiles
// ------------------------------------------------------------------------------------------
Value VectorLowering::strides(const Sides& sides, int64_t elements, int64_t repeats) {
  uint64_t word = uint64_t(repeats) << 48;
  for (auto [i, side] : llvm::enumerate(sides)) {
    int64_t repeat = side.repeat >= 0 ? side.repeat : elements * side.size / blockBytes;
    if (side.bits)
      continue;
    word |= uint64_t(side.block) << (8 * i) | uint64_t(repeat) << (24 + 8 * i);
  }
  return e.constant(int64_t(word));
}

void VectorLowering::run(int64_t total, const Sides& sides, Issue issue) {
  int64_t largest = 1;
  bool bits = false;
  for (const Side& s : sides) {
    largest = std::max(largest, s.bits ? 1 : s.size);
    bits |= s.bits;
  }
  int64_t perRepeat = repeatBytes / largest;
  auto emit = [&](int64_t first, int64_t repeats) {
    llvm::SmallVector<Value, 3> at;
    for (const Side& s : sides)
      at.push_back(e.add(s.base, s.bits          ? first / 8
                                 : s.repeat >= 0 ? first / perRepeat * s.repeat * blockBytes
                                                 : first * s.size));
    issue(at, strides(sides, perRepeat, repeats), first);
  };
  if (bits && total % perRepeat !=
                  0) { // a mask's short repeat need not begin at a block: one counted command instead
    count(total);
    return emit(0, 0);
  }
  int64_t full = total / perRepeat, rest = total % perRepeat;
  // Commands with masks begin at blocks of the mask: 256 elements apart.
  int64_t most = bits ? mostRepeats / (repeatBytes / perRepeat) * (repeatBytes / perRepeat) : mostRepeats;
  for (int64_t done = 0; done < full; done += most) {
    lanes(perRepeat, perRepeat);
    emit(done * perRepeat, std::min(most, full - done));
  }
  if (rest) {
    lanes(rest, perRepeat);
    emit(full * perRepeat, 1);
  }
}

void VectorLowering::runAtOnce(int64_t total, const Sides& sides, Issue issue) {
  int64_t largest = 1;
  for (const Side& s : sides)
    largest = std::max(largest, s.size);
  int64_t perRepeat = repeatBytes / largest;
  if (total % perRepeat == 0 || total < perRepeat)
    return run(total, sides, issue);
  count(total);
  llvm::SmallVector<Value, 3> at;
  for (const Side& s : sides)
    at.push_back(s.base);
  issue(at, strides(sides, perRepeat, 0), 0);
}

void VectorLowering::runRows(int64_t rows, int64_t width, const Sides& sides, Issue issue) {
  // A multiple of 16 keeps results of one element a row at 32-byte blocks.
  constexpr int64_t most = mostRepeats / 16 * 16;
  int64_t largest = 1;
  for (const Side& s : sides)
    largest = std::max(largest, s.size);
  lanes(width, repeatBytes / largest);
  for (int64_t done = 0; done < rows; done += most) {
    llvm::SmallVector<Value, 3> at;
    for (const Side& s : sides)
      at.push_back(e.add(s.base, done * s.repeat * blockBytes));
    issue(at, strides(sides, 0, std::min(most, rows - done)), done);
  }
}

VectorLowering::Run VectorLowering::runOf(Value buffer) {
  MemRefType type = typeOf(buffer);
  return {type.getElementType(), npu::elementBits(type) / 8, npu::ubElements(type)};
}

VectorLowering::Run VectorLowering::bitsOf(Value buffer) {
  MemRefType type = typeOf(buffer);
  return {e.builder().getI16Type(), 2,
          int64_t(llvm::divideCeil(npu::ubElements(type) * npu::elementBits(type), 16))};
}

// ---- Elementwise
// ---------------------------------------------------------------------------------------------------
void VectorLowering::binary(npu::VBinaryOp op) {
  bool bitwise = op.getKind() == npu::BinaryKind::and_ || op.getKind() == npu::BinaryKind::or_ ||
                 op.getKind() == npu::BinaryKind::xor_;
  Run r = bitwise ? bitsOf(op.getDst()) : runOf(op.getDst());
  std::string name = ("v." + npu::stringifyBinaryKind(op.getKind())).str();
  int64_t code = dtypeCode(r.type);
  Sides sides{
      {e.address(op.getDst()), r.size}, {e.address(op.getLhs()), r.size}, {e.address(op.getRhs()), r.size}};
  run(r.count, sides,
      [&](auto at, Value strides, int64_t) { e.command(name, {at[0], at[1], at[2], strides}, {code}); });
}

void VectorLowering::scalar(npu::VScalarOp op) {
  Run r = runOf(op.getDst());
  std::string name = ("v." + npu::stringifyScalarKind(op.getKind())).str();
  int64_t code = dtypeCode(r.type, op.getIsUnsigned());
  Value value = e.inRegister(op.getScalar());
  Sides sides{{e.address(op.getDst()), r.size}, {e.address(op.getSrc()), r.size}};
  run(r.count, sides,
      [&](auto at, Value strides, int64_t) { e.command(name, {at[0], at[1], value, strides}, {code}); });
}

void VectorLowering::unary(npu::VUnaryOp op) {
  bool bitwise = op.getKind() == npu::UnaryKind::not_ || op.getKind() == npu::UnaryKind::copy;
  Run r = bitwise ? bitsOf(op.getDst()) : runOf(op.getDst());
  std::string name = ("v." + npu::stringifyUnaryKind(op.getKind())).str();
  int64_t code = dtypeCode(r.type);
  Sides sides{{e.address(op.getDst()), r.size}, {e.address(op.getSrc()), r.size}};
  run(r.count, sides,
      [&](auto at, Value strides, int64_t) { e.command(name, {at[0], at[1], strides}, {code}); });
}

void VectorLowering::cast(npu::VCastOp op) {
  Run to = runOf(op.getDst()), from = runOf(op.getSrc());
  int64_t imm = dtypeCode(from.type) | dtypeCode(to.type) << 4 | int64_t(op.getRound()) << 8;
  auto issue = [&](auto at, Value strides, int64_t) { e.command("v.cast", {at[0], at[1], strides}, {imm}); };
  Value dst = e.address(op.getDst()), src = e.address(op.getSrc());
  MemRefType type = typeOf(op.getDst());
  if (to.count == from.count)
    return run(to.count, {{dst, to.size}, {src, from.size}}, issue);
  // Rows of 8-bit elements are padded further than others: row by row, all rows of a chunk of columns a
  // command.
  int64_t columns = type.getShape().back(), perRepeat = repeatBytes / std::max(to.size, from.size);
  auto rowBytes = [](Value buffer, int64_t size) { return npu::ubRowElements(typeOf(buffer)) * size; };
  int64_t toRow = rowBytes(op.getDst(), to.size), fromRow = rowBytes(op.getSrc(), from.size);
  constexpr int64_t furthest = 255 * blockBytes; // repeat strides have 8 bits
  if (std::max(toRow, fromRow) > furthest) {
    for (int64_t row = 0; row < type.getDimSize(0); ++row)
      run(columns, {{e.add(dst, row * toRow), to.size}, {e.add(src, row * fromRow), from.size}}, issue);
    return;
  }
  for (int64_t column = 0; column < columns; column += perRepeat)
    runRows(type.getDimSize(0), std::min(perRepeat, columns - column),
            {{e.add(dst, column * to.size), to.size, 1, toRow / blockBytes},
             {e.add(src, column * from.size), from.size, 1, fromRow / blockBytes}},
            issue);
}

void VectorLowering::compare(Operation* op, npu::CmpKind kind, Value dst, Value lhs, Value rhs) {
  Run r = runOf(lhs);
  bool tile = isa<MemRefType>(rhs.getType());
  int64_t imm = dtypeCode(r.type) | int64_t(kind) << 4;
  if (r.type.isInteger(32) && kind != npu::CmpKind::eq)
    op->emitError() << "the vector unit compares integers for equality only";
  Sides sides{{e.address(dst), 0, 1, -1, true}, {e.address(lhs), r.size}};
  Value scalar = tile ? Value() : e.inRegister(rhs);
  if (tile)
    sides.push_back({e.address(rhs), r.size});
  run(r.count, sides, [&](auto at, Value strides, int64_t) {
    e.command(tile ? "v.cmp" : "v.cmps", {at[0], at[1], tile ? at[2] : scalar, strides}, {imm});
  });
}

void VectorLowering::select(Operation* op, Value dst, Value maskTile, Value lhs, Value rhs) {
  Run r = runOf(dst);
  if (r.size != 2 && r.size != 4)
    op->emitError() << "the vector unit selects 16- and 32-bit elements only";
  bool tile = isa<MemRefType>(rhs.getType());
  int64_t imm = dtypeCode(r.type) | int64_t(!tile) << 4;
  Sides sides{{e.address(dst), r.size}, {e.address(lhs), r.size}};
  Value scalar = tile ? Value() : e.inRegister(rhs);
  if (tile)
    sides.push_back({e.address(rhs), r.size});
  sides.push_back({e.address(maskTile), 0, 1, -1, true});
  run(r.count, sides, [&](auto at, Value strides, int64_t) {
    e.command("v.sel", {at[0], at[1], tile ? at[2] : scalar, strides, at.back()}, {imm});
  });
}

void VectorLowering::dup(npu::VDupOp op) {
  Run r = runOf(op.getDst());
  OpBuilder& b = e.builder();
  Value value = e.inRegister(op.getScalar());
  auto times = [&](Value v, int64_t factor) {
    auto known = Emitter::constantValue(v);
    return known ? e.constant(*known * factor)
                 : Value(b.create<arith::MulIOp>(e.location(), v, e.constant(factor)));
  };
  auto fill = [&](Run run16, Value v) {
    run(run16.count, {{e.address(op.getDst()), run16.size}}, [&](auto at, Value strides, int64_t) {
      e.command("v.dup", {at[0], v, strides}, {dtypeCode(run16.type)});
    });
  };
  if (r.type.isInteger(1))
    return fill(bitsOf(op.getDst()), times(value, -1));
  if (r.size == 1) {
    auto known = Emitter::constantValue(value);
    Value byte = known ? e.constant(*known & 0xff)
                       : Value(b.create<arith::AndIOp>(e.location(), value, e.constant(0xff)));
    return fill(bitsOf(op.getDst()), times(byte, 0x0101));
  }
  if (r.size <= 4)
    return fill(r, value);
  // 64 bits: the low halves in the even lanes of 32-bit elements, the high halves in the odd ones.
  auto known = Emitter::constantValue(value);
  Value high =
      known ? e.constant(*known >> 32) : Value(b.create<arith::ShRSIOp>(e.location(), value, e.constant(32)));
  int64_t words = 2 * r.count, perRepeat = repeatBytes / 4;
  for (auto [half, lane] : {std::pair(value, 0x5555555555555555ull), std::pair(high, 0xaaaaaaaaaaaaaaaaull)})
    for (int64_t done = 0; done < words;) {
      int64_t repeats = std::min(mostRepeats, (words - done) / perRepeat), width = perRepeat;
      if (repeats == 0) {
        repeats = 1;
        width = words - done;
      }
      mask(lane & llvm::maskTrailingOnes<uint64_t>(width), lane);
      e.command("v.dup",
                {e.add(e.address(op.getDst()), done * 4), half, strides({{Value(), 4}}, perRepeat, repeats)},
                {5});
      done += repeats * width;
    }
}

void VectorLowering::iota(npu::VIotaOp op) {
  Run r = runOf(op.getDst());
  OpBuilder& b = e.builder();
  bool isFloat = r.type.isF32();
  Value start = op.getStart(), step = e.inRegister(op.getStep());
  run(r.count, {{e.address(op.getDst()), r.size}}, [&](auto at, Value strides, int64_t first) {
    Value begin = e.inRegister(start);
    if (first && isFloat) {
      auto offset = b.create<arith::ConstantOp>(e.location(), b.getF32FloatAttr(float(first)));
      Value shifted = b.create<arith::AddFOp>(e.location(), start,
                                              b.create<arith::MulFOp>(e.location(), op.getStep(), offset));
      begin = e.inRegister(shifted);
    } else if (first) {
      begin = e.add(begin, e.multiply(step, first));
    }
    e.command("v.iota", {at[0], begin, step, strides}, {dtypeCode(r.type)});
  });
}

void VectorLowering::copy(Type type, Value dst, Value src, int64_t total) {
  int64_t size = type.getIntOrFloatBitWidth() / 8;
  run(total, {{dst, size}, {src, size}}, [&](auto at, Value strides, int64_t) {
    e.command("v.copy", {at[0], at[1], strides}, {dtypeCode(type)});
  });
}

} // namespace dlsim::codegen
