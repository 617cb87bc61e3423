// Vector commands that move elements: gather by offsets, pieces, transposes.
#include "codegen/passes/to_llvm/vector.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {

void VectorLowering::offsets(npu::VOffsetsOp op) {
  auto type = llvm::cast<MemRefType>(op.getDst().getType());
  Type element = type.getElementType();
  int64_t code = dtypeCode(element), rows = type.getRank() == 2 ? type.getDimSize(0) : 1;
  int64_t row = npu::ubRowElements(type);
  Value dst = e.address(op.getDst()), step = e.constant(int64_t(op.getStep()));
  run(row, {{dst, 4}}, [&](auto at, Value strides, int64_t first) {
    e.command("v.iota", {at[0], e.constant(first * int64_t(op.getStep())), step, strides}, {code});
  });
  for (int64_t done = 1; done < rows; done *= 2) {
    Value more = e.constant(done * int64_t(op.getRowStep()));
    run(std::min(done, rows - done) * row, {{e.add(dst, done * row * 4), 4}, {dst, 4}},
        [&](auto at, Value strides, int64_t) { e.command("v.adds", {at[0], at[1], more, strides}, {code}); });
  }
}

void VectorLowering::gather(npu::VGatherOp op) {
  auto type = llvm::cast<MemRefType>(op.getDst().getType()),
       table = llvm::cast<MemRefType>(op.getOffsets().getType());
  bool words = npu::elementBits(type) == 64;
  int64_t size = words ? 4 : npu::elementBits(type) / 8, elements = table.getNumElements();
  if (size != 2 && size != 4)
    op.emitError() << "the vector unit gathers 16- and 32-bit elements only";
  if (table.getRank() == 2 && (npu::ubRowElements(table) != table.getDimSize(1) ||
                               (type.getRank() == 2 && type.getDimSize(1) != table.getDimSize(1))))
    op.emitError() << "offsets of rank 2 need rows of a multiple of 16 elements, as long as the result's";
  int64_t rowElements = type.getRank() == 2 ? npu::ubRowElements(type) : elements;
  Value dst = e.add(e.address(op.getDst()), e.multiply(op.getRow(), rowElements * size));
  Value src = e.add(e.address(op.getSrc()), op.getBase()), offsets = e.address(op.getOffsets());
  int64_t code = dtypeCode(words ? table.getElementType() : type.getElementType());
  if (op.getCount()) {
    count(op.getCount());
    e.command("v.gather", {dst, src, offsets, strides({{Value(), size}, {Value(), 4}}, 64, 0)}, {code});
    return;
  }
  // 64 elements a repeat, as many as offsets.
  run(elements, {{dst, size}, {offsets, 4}},
      [&](auto at, Value strides, int64_t) { e.command("v.gather", {at[0], src, at[1], strides}, {code}); });
}

void VectorLowering::spread(npu::VSpreadOp op) {
  auto from = llvm::cast<MemRefType>(op.getSrc().getType()),
       to = llvm::cast<MemRefType>(op.getDst().getType());
  int64_t size = npu::elementBits(from) / 8, step = npu::ubRowElements(to) * size / blockBytes;
  if ((size != 2 && size != 4) || to.getDimSize(0) % 8 != 0)
    op.emitError() << "the vector unit spreads 16- and 32-bit elements only, eight at a time";
  Value dst = e.address(op.getDst()), src = e.add(e.address(op.getSrc()), op.getBase());
  int64_t groups = to.getDimSize(0) / 8; // eight elements a repeat
  Sides sides{{Value(), size, step, 8 * step}, {Value(), size, 1, 0}};
  for (int64_t done = 0; done < groups; done += mostRepeats)
    e.command("v.brcb",
              {e.add(dst, done * 8 * step * blockBytes), e.add(src, done * 8 * size),
               strides(sides, 0, std::min(mostRepeats, groups - done))},
              {dtypeCode(from.getElementType())});
}

// Rows of a chunk of columns a command, as far as the strides word's 8 bits allow.
void VectorLowering::move(npu::VMoveOp op) {
  Value dst = e.add(e.address(op.getDst()), op.getTo()), src = e.add(e.address(op.getSrc()), op.getFrom());
  int64_t rows = int64_t(op.getRows()), length = int64_t(op.getLength()), toStep = int64_t(op.getToStep()),
          fromStep = int64_t(op.getFromStep());
  Type bits = e.builder().getI16Type();
  if (rows > 1 && toStep == length && fromStep == length)
    return copy(bits, dst, src, rows * length / 2);
  constexpr int64_t furthest = 255 * blockBytes;
  if (rows == 1 || std::max(toStep, fromStep) > furthest) {
    for (int64_t row = 0; row < rows; ++row)
      copy(bits, e.add(dst, row * toStep), e.add(src, row * fromStep), length / 2);
    return;
  }
  for (int64_t begin = 0; begin < length; begin += repeatBytes)
    runRows(
        rows, std::min(repeatBytes, length - begin) / 2,
        {{e.add(dst, begin), 2, 1, toStep / blockBytes}, {e.add(src, begin), 2, 1, fromStep / blockBytes}},
        [&](auto at, Value strides, int64_t) {
          e.command("v.copy", {at[0], at[1], strides}, {dtypeCode(bits)});
        });
}

// Repeats go along the side whose step fits the strides word's 8 bits.
void VectorLowering::transpose(npu::VTransOp op) {
  auto from = llvm::cast<MemRefType>(op.getSrc().getType()),
       to = llvm::cast<MemRefType>(op.getDst().getType());
  constexpr int64_t tile = 16; // rows and columns that a repeat turns
  int64_t fromRow = npu::ubRowElements(from) * 2, toRow = npu::ubRowElements(to) * 2; // bytes
  int64_t rows = from.getDimSize(0) / tile, columns = from.getDimSize(1) / tile;
  int64_t code = dtypeCode(from.getElementType());
  if (fromRow / blockBytes > 255 || toRow / blockBytes > 255) {
    op.emitError() << "rows of more than 4080 elements cannot be transposed on chip";
    return;
  }
  Value dst = e.address(op.getDst()), src = e.address(op.getSrc());
  int64_t downFrom = tile * fromRow / blockBytes, downTo = tile * toRow / blockBytes;
  auto issue = [&](int64_t row, int64_t column, int64_t repeats, int64_t dstStep, int64_t srcStep) {
    Sides sides{{Value(), 2, toRow / blockBytes, dstStep}, {Value(), 2, fromRow / blockBytes, srcStep}};
    e.command("v.trans",
              {e.add(dst, column * tile * toRow + row * blockBytes),
               e.add(src, row * tile * fromRow + column * blockBytes), strides(sides, 0, repeats)},
              {code});
  };
  for (int64_t column = 0; downFrom <= 255 && column < columns; ++column)
    for (int64_t row = 0; row < rows; row += mostRepeats)
      issue(row, column, std::min(mostRepeats, rows - row), 1, downFrom);
  for (int64_t row = 0; downFrom > 255 && row < rows; ++row)
    for (int64_t column = 0; column < columns; column += downTo <= 255 ? mostRepeats : 1)
      issue(row, column, downTo <= 255 ? std::min(mostRepeats, columns - column) : 1,
            std::min<int64_t>(downTo, 255), 1);
}

} // namespace dlsim::codegen
