// Rows and columns that repeat: broadcast to tiles, and columns as operands of elementwise commands.
#include "codegen/passes/to_llvm/vector.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {

static MemRefType typeOf(Value buffer) { return llvm::cast<MemRefType>(buffer.getType()); }

void VectorLowering::broadcastRow(npu::VBrcOp op) {
  MemRefType type = typeOf(op.getDst());
  int64_t size = npu::elementBits(type) / 8, rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t rowBytes = npu::ubRowElements(type) * size, perRepeat = repeatBytes / size;
  Value dst = e.address(op.getDst()), src = e.address(op.getSrc());
  if (rowBytes / blockBytes > 255) { // the repeat stride has 8 bits: row by row
    for (int64_t row = 0; row < rows; ++row)
      copy(type.getElementType(), e.add(dst, row * rowBytes), src, columns);
    return;
  }
  for (int64_t column = 0; column < columns; column += perRepeat)
    runRows(rows, std::min(perRepeat, columns - column),
            {{e.add(dst, column * size), size, 1, rowBytes / blockBytes},
             {e.add(src, column * size), size, 1, 0}},
            [&](auto at, Value strides, int64_t) {
              e.command("v.copy", {at[0], at[1], strides}, {dtypeCode(type.getElementType())});
            });
}

void VectorLowering::broadcastColumn(npu::VBrcOp op) {
  MemRefType type = typeOf(op.getDst());
  int64_t size = npu::elementBits(type) / 8, rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t rowBytes = npu::ubRowElements(type) * size, perRepeat = repeatBytes / size,
          code = dtypeCode(type.getElementType());
  Value dst = e.address(op.getDst()), src = e.address(op.getSrc()), tmp = e.address(op.getTmp());
  spreadBlocks(type.getElementType(), tmp, src, rows);
  auto issue = [&](auto at, Value strides, int64_t) { e.command("v.copy", {at[0], at[1], strides}, {code}); };
  if (rowBytes / blockBytes <=
      255) { // a chunk of columns of all rows a command; source block stride 0 repeats the block
    for (int64_t column = 0; column < columns; column += perRepeat)
      runRows(rows, std::min(perRepeat, columns - column),
              {{e.add(dst, column * size), size, 1, rowBytes / blockBytes}, {tmp, size, 0, 1}}, issue);
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    Value to = e.add(dst, row * rowBytes), from = e.add(tmp, row * blockBytes);
    int64_t full = columns / perRepeat, rest = columns % perRepeat;
    if (full)
      runRows(full, perRepeat, {{to, size, 1, 8}, {from, size, 0, 0}}, issue);
    if (rest)
      runRows(1, rest, {{e.add(to, full * repeatBytes), size, 1, 8}, {from, size, 0, 0}}, issue);
  }
}

// A block of 32 bytes for each element, eight a repeat.
void VectorLowering::spreadBlocks(Type type, Value dst, Value src, int64_t elements) {
  int64_t size = type.getIntOrFloatBitWidth() / 8, groups = int64_t(llvm::divideCeil(elements, 8));
  lanes(repeatBytes / size, repeatBytes / size);
  for (int64_t done = 0; done < groups; done += mostRepeats)
    e.command(
        "v.brcb",
        {e.add(dst, done * repeatBytes), e.add(src, done * 8 * size),
         strides({{Value(), size, 1, 8}, {Value(), size, 1, 0}}, 0, std::min(mostRepeats, groups - done))},
        {dtypeCode(type)});
}

void VectorLowering::blocks(npu::VBlocksOp op) {
  MemRefType type = typeOf(op.getSrc());
  if (int64_t bits = npu::elementBits(type); bits != 16 && bits != 32)
    op.emitError() << "the vector unit spreads 16- and 32-bit elements only";
  spreadBlocks(type.getElementType(), e.address(op.getDst()), e.address(op.getSrc()), type.getNumElements());
}

// The form is that of npu::columnForm.
void VectorLowering::column(npu::VColumnOp op) {
  MemRefType type = typeOf(op.getDst());
  int64_t size = npu::elementBits(type) / 8, perRepeat = repeatBytes / size;
  int64_t rows = type.getDimSize(0), rowElements = npu::ubRowElements(type);
  int64_t rowBytes = rowElements * size, chunks = rowElements / perRepeat, rest = rowElements % perRepeat;
  Value dst = e.address(op.getDst()), src = e.address(op.getSrc()), column = e.address(op.getBlocks());
  // `repeats` repeats of `width` lanes of the tile from byte `offset` on, `step` blocks apart, with elements
  // whose blocks are `elementStep` apart.
  auto emit = [&](int64_t repeats, int64_t width, int64_t offset, int64_t step, Value elements,
                  int64_t elementStep) {
    Sides sides{{e.add(dst, offset), size, 1, step},
                {e.add(src, offset), size, 1, step},
                {elements, size, 0, elementStep}};
    if (op.getSwapped())
      std::swap(sides[1], sides[2]);
    runRows(repeats, width, sides, [&](auto at, Value strides, int64_t) {
      e.command(("v." + npu::stringifyBinaryKind(op.getKind())).str(), {at[0], at[1], at[2], strides},
                {dtypeCode(type.getElementType())});
    });
  };
  npu::ColumnForm form = npu::columnForm(type, op.getKind());
  if (form == npu::ColumnForm::copies) {
    int64_t copies = blockBytes / size, commands = chunks / copies;
    Value copied = e.address(op.getTmp());
    spreadBlocks(type.getElementType(), copied, column, rows * copies);
    for (int64_t c = 0; c < commands; ++c)
      emit(rows * copies, perRepeat, c * repeatBytes, commands * repeatBytes / blockBytes, copied, 1);
    return;
  }
  bool strided = rowBytes / blockBytes <= 255; // repeat strides have 8 bits
  for (int64_t r = 0; r < rows && form == npu::ColumnForm::rows && chunks; ++r)
    emit(chunks, perRepeat, r * rowBytes, repeatBytes / blockBytes, e.add(column, r * blockBytes), 0);
  for (int64_t c = 0; c < chunks && form == npu::ColumnForm::chunks; ++c)
    emit(rows, perRepeat, c * repeatBytes, rowBytes / blockBytes, column, 1);
  for (int64_t r = 0; rest && r < (strided ? 1 : rows); ++r)
    emit(strided ? rows : 1, rest, r * rowBytes + chunks * repeatBytes, strided ? rowBytes / blockBytes : 1,
         e.add(column, r * blockBytes), 1);
}

} // namespace dlsim::codegen
