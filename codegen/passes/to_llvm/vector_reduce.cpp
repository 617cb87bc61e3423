// npu.vreduce: the trees that the operation's description fixes.
#include "codegen/passes/to_llvm/vector.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {

static MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

void VectorLowering::reduce(npu::VReduceOp op) {
  MemRefType type = typeOf(op.getSrc());
  bool elementwise = type.getRank() == 2 && op.getAxis() == 0;
  if (!elementwise && !type.getElementType().isF32() && !type.getElementType().isF16()) {
    op.emitError() << "the vector unit reduces f16 and f32 within a row only";
    return;
  }
  int64_t scratch = npu::reduceScratch(type, int64_t(op.getAxis()));
  if (scratch && (!op.getTmp() || typeOf(op.getTmp()).getNumElements() < scratch)) {
    op.emitError() << "needs a tmp of " << scratch << " elements";
    return;
  }
  if (auto stages = npu::reduceStages(type, int64_t(op.getAxis())); !stages.empty())
    return reduceInStages(op, stages);
  std::string mnemonic = ("v.c" + npu::stringifyReduceKind(op.getKind())).str();
  if (type.getRank() == 1)
    return reduceAll(op, mnemonic);
  return op.getAxis() == 1 ? reduceRows(op, mnemonic) : reduceColumns(op);
}

// All rows at once; what a stage leaves lies behind what the one before it left.
void VectorLowering::reduceInStages(npu::VReduceOp op, llvm::ArrayRef<npu::ReduceStage> stages) {
  MemRefType type = typeOf(op.getSrc());
  constexpr int64_t size = 4, block = blockBytes / size; // f32
  int64_t rows = type.getRank() == 1 ? 1 : type.getDimSize(0), code = dtypeCode(type.getElementType());
  std::string kind = npu::stringifyReduceKind(op.getKind()).str();
  Value from = e.address(op.getSrc()), scratch = op.getTmp() ? e.address(op.getTmp()) : Value();
  for (const npu::ReduceStage& stage : stages) {
    bool last = &stage == &stages.back();
    Value to = last ? e.address(op.getDst()) : scratch;
    int64_t blocks = stage.elements / block;
    if (stage.kind == npu::ReduceStage::blocks)
      runAtOnce(rows * stage.elements, {{to, size}, {from, size}},
                [&](auto at, Value strides, int64_t first) {
                  e.command("v.cg" + kind, {e.add(to, first / block * size), at[1], strides},
                            {code}); // packed results
                });
    else if (stage.kind == npu::ReduceStage::whole)
      reduceRepeats("v.c" + kind, to, from, rows, stage.elements, blocks, type.getElementType());
    else
      foldBlocks(op.getKind(), type.getElementType(), to, from, rows, blocks);
    from = to;
    if (!last)
      scratch = e.add(scratch, int64_t(llvm::alignTo(rows * stage.after(), block)) * size);
  }
}

// `blocks` blocks a row to one, eight rows a repeat.
void VectorLowering::foldBlocks(npu::ReduceKind kind, Type type, Value dst, Value src, int64_t rows,
                                int64_t blocks) {
  int64_t size = type.getIntOrFloatBitWidth() / 8, eightRows = repeatBytes / blockBytes * blocks;
  std::string name = ("v." + npu::stringifyReduceKind(kind)).str();
  for (int64_t b = 1; b < blocks; ++b) {
    Side result{dst, size}, first{src, size, blocks, eightRows};
    Side next{e.add(src, b * blockBytes), size, blocks, eightRows};
    runAtOnce(rows * blockBytes / size, {result, b == 1 ? first : result, next},
              [&](auto at, Value strides, int64_t) {
                e.command(name, {at[0], at[1], at[2], strides}, {dtypeCode(type)});
              });
  }
}

// One result a repeat of `width` lanes; repeats are `blocks` blocks apart. Results are packed: their repeat
// stride counts elements.
void VectorLowering::reduceRepeats(llvm::StringRef mnemonic, Value dst, Value src, int64_t repeats,
                                   int64_t width, int64_t blocks, Type type) {
  constexpr int64_t most = mostRepeats / 16 * 16;
  int64_t size = type.getIntOrFloatBitWidth() / 8;
  lanes(width, repeatBytes / size);
  for (int64_t done = 0; done < repeats; done += most)
    e.command(
        mnemonic,
        {e.add(dst, done * size), e.add(src, done * blocks * blockBytes),
         strides({{Value(), size, 1, 1}, {Value(), size, 1, blocks}}, 0, std::min(most, repeats - done))},
        {dtypeCode(type)});
}

// Rank 1: one result a repeat, until one is left.
void VectorLowering::reduceAll(npu::VReduceOp op, llvm::StringRef mnemonic) {
  MemRefType type = typeOf(op.getSrc());
  int64_t size = npu::elementBits(type) / 8, perRepeat = repeatBytes / size,
          code = dtypeCode(type.getElementType());
  Value from = e.address(op.getSrc());
  for (int64_t total = type.getDimSize(0);;) {
    int64_t results = int64_t(llvm::divideCeil(total, perRepeat));
    Value to = results == 1 ? e.address(op.getDst()) : e.address(op.getTmp());
    Sides sides{{Value(), size, 1, 1}, {Value(), size, 1, 8}};
    if (results == 1)
      lanes(total, perRepeat);
    else if (total % perRepeat == 0 && results <= mostRepeats)
      lanes(perRepeat, perRepeat);
    else
      count(total); // one command, whatever the number of repeats
    e.command(mnemonic, {to, from, strides(sides, 0, state.kind == Lanes::counted ? 0 : results)}, {code});
    if (results == 1)
      return;
    from = to;
    total = results;
  }
}

// dst[i] = lhs[i] op rhs[i].
void VectorLowering::fold(npu::ReduceKind kind, Type type, Value dst, Value lhs, Value rhs, int64_t total) {
  int64_t size = type.getIntOrFloatBitWidth() / 8;
  std::string name = ("v." + npu::stringifyReduceKind(kind)).str();
  run(total, {{dst, size}, {lhs, size}, {rhs, size}}, [&](auto at, Value strides, int64_t) {
    e.command(name, {at[0], at[1], at[2], strides}, {dtypeCode(type)});
  });
}

// Rank 2 along the columns: rows longer than a repeat are first folded into one repeat.
void VectorLowering::reduceRows(npu::VReduceOp op, llvm::StringRef mnemonic) {
  MemRefType type = typeOf(op.getSrc());
  int64_t size = npu::elementBits(type) / 8, perRepeat = repeatBytes / size,
          code = dtypeCode(type.getElementType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1), rowBytes = npu::ubRowElements(type) * size;
  int64_t rowBlocks = rowBytes / blockBytes;
  Value src = e.address(op.getSrc()), from = src;
  std::string name = ("v." + npu::stringifyReduceKind(op.getKind())).str();
  auto foldInto = [&](auto at, Value strides, int64_t) {
    e.command(name, {at[0], at[1], at[2], strides}, {code});
  };
  auto first = [&](auto at, Value strides, int64_t) { e.command("v.copy", {at[0], at[1], strides}, {code}); };
  int64_t chunks = columns / perRepeat, rest = columns % perRepeat;
  if (columns > perRepeat && rowBlocks <= 255 && rows >= chunks) { // a chunk of all rows a command
    Value tmp = e.address(op.getTmp());
    runRows(rows, perRepeat, {{tmp, size, 1, 8}, {src, size, 1, rowBlocks}}, first);
    for (int64_t c = 1; c < chunks + (rest != 0); ++c)
      runRows(rows, c < chunks ? perRepeat : rest,
              {{tmp, size, 1, 8}, {tmp, size, 1, 8}, {e.add(src, c * repeatBytes), size, 1, rowBlocks}},
              foldInto);
    from = tmp;
    rowBlocks = 8;
  } else if (columns >
             perRepeat) { // all chunks of a row a command: repeats fold one after the other into one place
    from = e.address(op.getTmp());
    for (int64_t r = 0; r < rows; ++r) {
      Value row = e.add(src, r * rowBytes), tmp = e.add(from, r * repeatBytes);
      runRows(1, perRepeat, {{tmp, size, 1, 8}, {row, size, 1, 8}}, first);
      if (chunks > 1)
        runRows(chunks - 1, perRepeat,
                {{tmp, size, 1, 0}, {tmp, size, 1, 0}, {e.add(row, repeatBytes), size, 1, 8}}, foldInto);
      if (rest)
        runRows(1, rest,
                {{tmp, size, 1, 0}, {tmp, size, 1, 0}, {e.add(row, chunks * repeatBytes), size, 1, 8}},
                foldInto);
    }
    rowBlocks = 8;
  }
  reduceRepeats(mnemonic, e.address(op.getDst()), from, rows, std::min(columns, perRepeat), rowBlocks,
                type.getElementType());
}

// Rank 2 along the rows: the lower half is folded onto the upper half until one row is left.
void VectorLowering::reduceColumns(npu::VReduceOp op) {
  MemRefType type = typeOf(op.getSrc());
  Type element = type.getElementType();
  int64_t size = npu::elementBits(type) / 8, rowElements = npu::ubRowElements(type),
          rowBytes = rowElements * size;
  Value from = e.address(op.getSrc()), dst = e.address(op.getDst());
  int64_t columns = type.getDimSize(1);
  for (int64_t rows = type.getDimSize(0);;) {
    if (rows == 1)
      return copy(element, dst, from, columns);
    if (rows == 2)
      return fold(op.getKind(), element, dst, from, e.add(from, rowBytes), columns);
    int64_t half = int64_t(llvm::divideCeil(rows, 2));
    Value to = e.address(op.getTmp());
    fold(op.getKind(), element, to, from, e.add(from, half * rowBytes), (rows - half) * rowElements);
    if (half != rows - half && to != from)
      copy(element, e.add(to, (half - 1) * rowBytes), e.add(from, (half - 1) * rowBytes), rowElements);
    from = to;
    rows = half;
  }
}

} // namespace dlsim::codegen
