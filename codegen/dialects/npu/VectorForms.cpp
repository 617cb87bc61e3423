#include "codegen/dialects/npu/VectorForms.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::npu {

constexpr int64_t block = 8, lanes = 64; // f32 elements of a block and of a repeat

// A whole-repeat reduction takes seven cycles a repeat where the others take one, but they take a command
// more.
static bool wholeIsCheaper(int64_t rows, int64_t n) {
  constexpr int64_t startup = 24, wholeStartup = 46, blockStartup = 38, wholeRate = 7;
  int64_t repeats = int64_t(llvm::divideCeil(rows, 8)), blocks = n / block;
  int64_t others =
      (blocks > 1 ? (blocks == 8 ? blockStartup + rows : (blocks - 1) * (startup + repeats)) : 0) +
      blockStartup + repeats;
  return wholeStartup + wholeRate * rows <= others;
}

// A vector: short enough for one repeat, then whole.
static llvm::SmallVector<ReduceStage> vectorStages(int64_t n) {
  llvm::SmallVector<ReduceStage> stages;
  for (; n > lanes; n = stages.back().after())
    stages.push_back({ReduceStage::blocks, n});
  stages.push_back({ReduceStage::whole, n});
  return stages;
}

// Rows of n elements without padding, a multiple of a block.
static llvm::SmallVector<ReduceStage> rowStages(int64_t rows, int64_t n) {
  llvm::SmallVector<ReduceStage> stages;
  for (; n > lanes && n % (block * block) == 0; n /= block) // rows begin at blocks again
    stages.push_back({ReduceStage::blocks, n});
  if (n > lanes)
    return {};
  if (wholeIsCheaper(rows, n)) {
    stages.push_back({ReduceStage::whole, n});
    return stages;
  }
  if (n == lanes)
    stages.push_back({ReduceStage::blocks, n});
  else if (n > block)
    stages.push_back({ReduceStage::fold, n});
  stages.push_back({ReduceStage::blocks, block});
  return stages;
}

// The results of each stage but the last, one after the other, from blocks on.
static int64_t scratchOf(llvm::ArrayRef<ReduceStage> stages, int64_t rows) {
  int64_t elements = 0;
  for (const ReduceStage& stage : stages.drop_back())
    elements += int64_t(llvm::alignTo(rows * stage.after(), block));
  return elements;
}

llvm::SmallVector<ReduceStage> reduceStages(MemRefType src, int64_t axis) {
  constexpr int64_t mostScratch = 4096; // elements: a tile that just fits must not fail for it
  bool vector = src.getRank() == 1;
  int64_t rows = vector ? 1 : src.getDimSize(0), n = src.getShape().back();
  if (!src.getElementType().isF32() || (!vector && (axis != 1 || n != ubRowElements(src))))
    return {};
  auto stages = vector ? vectorStages(n) : rowStages(rows, n);
  return stages.empty() || scratchOf(stages, rows) > mostScratch ? llvm::SmallVector<ReduceStage>() : stages;
}

int64_t reduceScratch(MemRefType src, int64_t axis) {
  int64_t perRepeat = 2048 / elementBits(src), cols = src.getShape().back();
  int64_t rows = src.getRank() == 1 ? 1 : src.getDimSize(0);
  if (auto stages = reduceStages(src, axis); !stages.empty())
    return scratchOf(stages, rows);
  if (src.getRank() == 1)
    return cols > perRepeat ? int64_t(llvm::divideCeil(cols, perRepeat)) : 0;
  if (axis == 1)
    return cols > perRepeat ? rows * perRepeat : 0;
  return rows > 2 ? int64_t(llvm::divideCeil(rows, 2)) * ubRowElements(src) : 0;
}

int64_t broadcastScratch(MemRefType src, int64_t axis) {
  return axis == 1 ? blockElements(src.getDimSize(0), elementBits(src)) : 0;
}

int64_t blockElements(int64_t rows, int64_t bits) { return int64_t(llvm::alignTo(rows, 8)) * 256 / bits; }

// A command per row reads the row's element once. Down a chunk of columns the element's block meets a bank
// group of the tile's in half of the repeats.
ColumnForm columnForm(MemRefType tile, BinaryKind kind) {
  constexpr int64_t startup = 25, mostCopied = 256, furthest = 255; // cycles; blocks of scratch; blocks
  int64_t size = elementBits(tile) / 8, perRepeat = 256 / size, copies = 32 / size;
  int64_t rows = tile.getDimSize(0), rowElements = ubRowElements(tile), chunks = rowElements / perRepeat;
  int64_t rate = kind == BinaryKind::div ? 4 : 1; // cycles a repeat
  auto down = [&](int64_t repeats) { return startup + (rate == 1 ? repeats + repeats / 2 : rate * repeats); };
  int64_t byRows = rows * (startup + rate * chunks), byChunks = chunks * down(rows);
  int64_t byCopies = startup + rows * copies / 8 + chunks / copies * down(rows * copies);
  if (rowElements * size / 32 > furthest)
    byChunks = byRows + 1;
  bool canCopy = rowElements % perRepeat == 0 && chunks % copies == 0 && rows * copies <= mostCopied &&
                 chunks / copies * 8 <= furthest;
  if (canCopy && byCopies < std::min(byRows, byChunks))
    return ColumnForm::copies;
  return byRows <= byChunks ? ColumnForm::rows : ColumnForm::chunks;
}

int64_t columnScratch(MemRefType tile, BinaryKind kind) {
  int64_t copies = 256 / elementBits(tile);
  return columnForm(tile, kind) == ColumnForm::copies ? tile.getDimSize(0) * copies * copies : 0;
}

} // namespace dlsim::npu
