// State and helpers of dl-to-npu, shared by its files. One Lowering rewrites one function into a new
// func.func: old scalars map to new scalars, old tensors to Tiles.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/VectorForms.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/Coalesce.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>
#include <optional>

namespace dlsim::codegen {

// Where a tensor's elements are: in a buffer, or everywhere the same scalar, or along a row (then there is no
// buffer until one is needed).
struct Tile {
  mlir::Value buffer;
  mlir::Value splat;
  bool swapped = false; // L1 only: the buffer holds the transpose of the tensor
  // No buffer yet: element [r, c] is element r of `column`, which npu.vblocks has spread over `blocks`.
  mlir::Value column = {}, blocks = {};
};

// Where the elements of a tensor lie in its UB buffer: at sum(index * stride), counted in elements, row
// padding included. Dimensions of size 1 have stride 0.
struct TileLayout {
  llvm::SmallVector<int64_t> sizes, strides;
};

class Lowering {
public:
  Lowering(mlir::FunctionOpInterface source, mlir::OpBuilder& builder, Coalesce coalesce = Coalesce::full)
      : source(source), builder(builder), coalesce(coalesce) {}
  // Builds the new function next to the old one; the caller erases the old one.
  mlir::LogicalResult run();

private:
  // ---- Function.cpp: blocks, functions, scalars
  mlir::LogicalResult lowerBlock(mlir::Block& block);
  mlir::LogicalResult lowerOp(mlir::Operation* op);
  std::optional<mlir::LogicalResult> lowerMove(mlir::Operation* op);
  mlir::LogicalResult lowerScalarOp(mlir::Operation* op);
  mlir::Value scalarViaVector(mlir::Operation* op, mlir::Value operand);
  mlir::Type convert(mlir::Type type);
  void copyArgumentAttributes(mlir::func::FuncOp target);
  // Number of the function argument that an old address value points into.
  std::optional<int64_t> argumentOf(mlir::Value address, unsigned depth = 0);

  // ---- Control.cpp: scf with tensors
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op);
  bool promised(mlir::Value buffer, mlir::Value result, mlir::Operation* loop);
  Tile carriedTile(mlir::Value init, mlir::Value argument, mlir::Value result, mlir::Operation* loop);
  void planDestinations(mlir::Block& body, mlir::ValueRange yielded, llvm::ArrayRef<Tile> tiles,
                        mlir::ValueRange arguments);
  mlir::LogicalResult assign(mlir::ValueRange yielded, llvm::ArrayRef<Tile> tiles, mlir::Operation* at);
  mlir::LogicalResult lowerBranch(mlir::Block& from, mlir::Block& to, llvm::ArrayRef<Tile> results,
                                  mlir::Operation* at);

  // ---- Memory.cpp: global memory
  struct Rectangle;
  struct Wrap;
  mlir::FailureOr<Rectangle> rectangle(mlir::Operation* op, mlir::Value memory, mlir::Value tile,
                                       mlir::ValueRange strides, mlir::ValueRange lo, mlir::ValueRange hi,
                                       std::optional<uint64_t> arg, bool dropUnits);
  mlir::LogicalResult lowerLoad(dl::LoadOp op);
  mlir::LogicalResult lowerLoadUb(dl::LoadOp op);
  mlir::LogicalResult lowerLoadL1(dl::LoadOp op);
  void countDepth(dl::LoadOp op, Rectangle& rect);
  mlir::LogicalResult lowerStore(dl::StoreOp op);
  mlir::LogicalResult lowerFixpipe(dl::FixpipeOp op);
  void forEachPlane(const Rectangle& rect, llvm::function_ref<void(const Rectangle& plane)> emit);
  void loadPlanes(const Rectangle& rect, mlir::RankedTensorType type, mlir::Value buffer, mlir::Value other);
  void storePlanes(const Rectangle& rect, mlir::RankedTensorType type, mlir::Value buffer,
                   npu::Atomic atomic);
  llvm::SmallVector<int64_t> rectangleStrides(const Rectangle& rect, mlir::RankedTensorType type);
  Wrap wrapOf(dl::LoadOp op, Rectangle& rect);
  void forEachSegment(const Wrap& wrap, mlir::Value lo, mlir::Value hi,
                      llvm::function_ref<void(mlir::Value to, mlir::Value from, mlir::Value count)> emit);
  void fillIfPartial(const Rectangle& rect, llvm::function_ref<void()> emit);
  void fillIfEmpty(const Rectangle& rect, mlir::Value buffer, mlir::Value other);
  void ifContiguous(const Rectangle& rect, llvm::function_ref<void()> rows,
                    llvm::function_ref<void()> columns, llvm::function_ref<void()> strided);
  void loadRows(const Rectangle& rect, mlir::Value buffer, mlir::Value other);
  void loadWrapped(const Rectangle& rect, mlir::Value buffer, mlir::Value other, const Wrap& wrap);
  void copyRows(const Rectangle& rect, mlir::Value buffer, mlir::Value other, mlir::Value right = {});
  void padRows(mlir::Value buffer, mlir::Value first, mlir::Value last, mlir::Value value);
  void padRowsIfAny(mlir::Value buffer, mlir::Value first, mlir::Value last, mlir::Value value);
  void fillByCopy(mlir::Value buffer, mlir::Value value);
  mlir::Value address(mlir::Value base, mlir::Value elements, int64_t size);
  mlir::Value count(mlir::Value lo, mlir::Value hi);

  // ---- Pick.cpp
  mlir::LogicalResult lowerPick(dl::PickOp op);
  void pickDigits(dl::PickOp op, mlir::Value dst, mlir::Value src);
  void reverse(mlir::Value dst, mlir::Value src);
  void loadBackwards(const Rectangle& rect, mlir::Value buffer, mlir::Value other);
  void storeBackwards(const Rectangle& rect, mlir::Value buffer, npu::Atomic atomic);
  Rectangle backwards(const Rectangle& rect);
  mlir::Value digitTable(llvm::ArrayRef<dl::PickDigit> digits, int64_t start, int64_t elements);
  void quotients(mlir::Value dst, int64_t divisor);

  // ---- Interleave.cpp
  mlir::LogicalResult lowerInterleave(dl::InterleaveOp op);
  mlir::LogicalResult lowerDeinterleave(dl::DeinterleaveOp op);
  bool interleave(mlir::Value dst, llvm::ArrayRef<mlir::Value> sources);
  bool interleaveByTable(mlir::Value dst, llvm::ArrayRef<mlir::Value> sources);
  void interleavePair(mlir::Value dst, mlir::Value even, mlir::Value odd);
  void deinterleave(mlir::Value dst, mlir::Value src, int64_t number, int64_t count);
  void deinterleavePair(mlir::Value dst, mlir::Value src, int64_t number);
  mlir::Value asType(mlir::Value buffer, mlir::Type element);

  // ---- Rearrange.cpp
  mlir::LogicalResult lowerTrans(tt::TransOp op);
  mlir::Value offsetTable(int64_t rows, int64_t columns, int64_t rowStep, int64_t step);
  void pickRow(mlir::Value dst, mlir::Value row, mlir::Value src, mlir::Value base, int64_t step,
               mlir::Value number);
  void pickTile(mlir::Value dst, mlir::Value src, int64_t rowStep, int64_t step, int64_t start = 0);
  bool throughHalves(mlir::Value dst, mlir::Value src,
                     llvm::function_ref<void(mlir::Value, mlir::Value)> part);
  void storeShifted(const Rectangle& rect, mlir::Value buffer, npu::Atomic atomic);
  void transpose(mlir::Value dst, mlir::Value src);
  void loadStrided(const Rectangle& rect, mlir::Value buffer, mlir::Value other);
  void loadTransposed(const Rectangle& rect, mlir::Value buffer, mlir::Value other, Wrap wrap);
  void loadWithGaps(const Rectangle& rect, mlir::Value buffer, mlir::Value other, int64_t stride);
  void loadElements(const Rectangle& rect, mlir::Value buffer, mlir::Value other);
  void loadApart(const Rectangle& rect, mlir::Value lane, mlir::Value buffer, mlir::Value number,
                 mlir::Value other);
  void storeTransposed(const Rectangle& rect, mlir::Value buffer, npu::Atomic atomic);
  void storeStrided(const Rectangle& rect, mlir::Value buffer, npu::Atomic atomic);
  void storeRows(const Rectangle& rect, mlir::Value buffer, npu::Atomic atomic);
  void storeElement(mlir::Value buffer, mlir::Value number, mlir::Value to, npu::Atomic atomic,
                    mlir::IntegerAttr arg);
  static Rectangle turnedAround(const Rectangle& rect);
  mlir::Value laneNumber(mlir::Value buffer, mlir::ArrayRef<mlir::Value> lanes);
  mlir::Value laneAddress(const Rectangle& rect, mlir::ArrayRef<mlir::Value> lanes);
  void forEachRow(const Rectangle& rect, llvm::function_ref<void(mlir::Value)> emit);
  void forEachLane(const Rectangle& rect, llvm::function_ref<void(mlir::ArrayRef<mlir::Value>)> emit);

  // ---- Gather.cpp
  struct Walk;
  struct Burst {
    mlir::Value row, col, rows, cols, stride, offset; // elements
  };
  mlir::LogicalResult lowerGather(dl::GatherOp op);
  mlir::LogicalResult gatherToUb(dl::GatherOp op, Walk& walk, llvm::ArrayRef<int64_t> shape,
                                 mlir::IntegerAttr arg);
  mlir::LogicalResult gatherToL1(dl::GatherOp op, Walk& walk, mlir::IntegerAttr arg);
  mlir::LogicalResult lowerScatter(dl::ScatterOp op);
  mlir::LogicalResult lowerExtract(dl::ExtractOp op);
  Walk startWalk(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> walked, mlir::ValueRange lo,
                 mlir::ValueRange hi, mlir::ValueRange strides, llvm::SmallVectorImpl<mlir::Value>& storage);
  struct Steps {
    mlir::scf::WhileOp loop;
    mlir::Block* body;
    mlir::Value lane;
  };
  Steps unequalSteps(mlir::Value lo, mlir::Value hi, mlir::ArrayRef<mlir::Value> carried);
  bool apartFits(const Walk& walk, mlir::Block& body, mlir::Type element, mlir::ArrayRef<int64_t> shape);
  mlir::LogicalResult gatherApart(dl::GatherOp op, Walk& walk, mlir::Value buffer, mlir::Value other,
                                  mlir::IntegerAttr arg);
  mlir::LogicalResult runAt(Walk& walk, mlir::Block& body, mlir::Value lane);
  mlir::LogicalResult ifRepeating(Walk& walk, mlir::Block& body, int64_t shortest,
                                  llvm::function_ref<mlir::LogicalResult()> emit,
                                  llvm::function_ref<mlir::LogicalResult()> repeats);
  mlir::LogicalResult storeRepeats(Walk& walk, mlir::Block& body, mlir::Value buffer, npu::Atomic atomic,
                                   mlir::IntegerAttr arg, llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::LogicalResult loadRepeats(Walk& walk, mlir::Block& body, mlir::Value buffer, mlir::Value pad,
                                  mlir::IntegerAttr arg, llvm::function_ref<mlir::LogicalResult()> emit);
  struct Repeats;
  mlir::Value groupsOf(const Repeats& pieces);
  void loadPieces(const Repeats& pieces);
  mlir::Value inGroups(const Repeats& pieces, bool words);
  mlir::Value storePieces(const Repeats& pieces, bool words, npu::Atomic atomic);
  bool inPairs(const Walk& walk, mlir::Block& body, unsigned row, unsigned col);
  mlir::LogicalResult walkPairs(Walk& walk, mlir::Block& body,
                                llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::Value rowStep(const Walk& walk, mlir::Value stride, int64_t bytes);
  mlir::LogicalResult walkList(Walk& walk, mlir::Block& body, llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::LogicalResult walkLevel(Walk& walk, mlir::Block& body, unsigned depth,
                                llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::LogicalResult walkFrom(Walk& walk, mlir::Block& body, unsigned depth,
                               llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::LogicalResult walkRun(Walk& walk, mlir::Block& body, llvm::function_ref<mlir::LogicalResult()> emit);
  mlir::Value runOffset(const Walk& walk, mlir::ArrayRef<mlir::Value> t);
  void forEachElement(const Walk& walk, llvm::function_ref<void(mlir::ArrayRef<mlir::Value>)> emit);
  std::optional<Burst> burstOf(const Walk& walk, mlir::ArrayRef<int64_t> shape);
  mlir::Value elementNumber(const Walk& walk, mlir::ArrayRef<mlir::Value> t);
  std::optional<int64_t> gatherArgument(std::optional<uint64_t> arg, mlir::Block& body);

  // ---- Atomic.cpp
  mlir::LogicalResult lowerAtomic(dl::AtomicOp op);
  mlir::LogicalResult lowerAtomicScalar(dl::AtomicScalarOp op);

  // ---- Messages.cpp
  mlir::LogicalResult lowerPrint(tt::PrintOp op);
  mlir::LogicalResult lowerAssert(tt::AssertOp op);
  int64_t addMessage(mlir::Operation* op, llvm::StringRef kind, llvm::StringRef text, bool hex,
                     int64_t programs, llvm::ArrayRef<mlir::Attribute> values);

  // ---- Cube.cpp
  // Columns of an accumulator that is computed in two halves, while one of them is.
  struct Half {
    mlir::Value column, isFirst; // where it begins
    int64_t columns;
  };
  mlir::LogicalResult lowerDot(dl::DotOp op);
  mlir::LogicalResult lowerHalves(dl::DotOp op);
  mlir::LogicalResult storeHalf(dl::DotOp op);
  mlir::LogicalResult lowerProduct(dl::DotOp op);
  void clearIfEmpty(dl::DotOp op, mlir::Value acc, mlir::Value depth, mlir::Value init);
  mlir::LogicalResult lowerAccInit(dl::AccInitOp op);
  void mmadStep(dl::DotOp op, const Tile& a, const Tile& b, mlir::Value acc, mlir::Value k, int64_t step,
                mlir::Value init);

  // ---- Elementwise.cpp, Compare.cpp
  bool isElementwise(mlir::Operation* op);
  mlir::LogicalResult lowerElementwise(mlir::Operation* op);
  mlir::LogicalResult lowerArithmetic(mlir::Operation* op);
  mlir::LogicalResult lowerUnary(mlir::Operation* op);
  mlir::LogicalResult lowerCast(mlir::Operation* op);
  mlir::LogicalResult lowerBits(mlir::Operation* op);
  mlir::LogicalResult lowerShift(mlir::Operation* op);
  mlir::LogicalResult lowerMaximumMinimum(mlir::Operation* op, npu::BinaryKind kind);
  mlir::LogicalResult lowerFma(mlir::math::FmaOp op);
  mlir::LogicalResult lowerCompareF(mlir::arith::CmpFOp op);
  mlir::LogicalResult lowerCompareI(mlir::arith::CmpIOp op);
  mlir::LogicalResult lowerSelect(mlir::arith::SelectOp op);
  mlir::Value compare(npu::CmpKind kind, mlir::Value lhs, mlir::Value rhs, mlir::Value rhsScalar,
                      mlir::Value dst);
  void binary(npu::BinaryKind kind, mlir::Value dst, mlir::Value lhs, mlir::Value rhs);
  void columnwise(npu::BinaryKind kind, mlir::Value dst, mlir::Value lhs, mlir::Value rhs);
  void scalar(npu::ScalarKind kind, mlir::Value dst, mlir::Value src, mlir::Value value);
  void unary(npu::UnaryKind kind, mlir::Value dst, mlir::Value src);
  void cast(npu::Round round, mlir::Value dst, mlir::Value src);

  // ---- Shape.cpp
  mlir::LogicalResult lowerSplat(tt::SplatOp op);
  mlir::LogicalResult lowerBroadcast(tt::BroadcastOp op);
  mlir::LogicalResult lowerRange(tt::MakeRangeOp op);
  mlir::LogicalResult lowerRangeMask(dl::RangeMaskOp op);
  mlir::LogicalResult lowerReduce(tt::ReduceOp op);
  mlir::Value alongDimension(mlir::Value line, mlir::RankedTensorType type, int64_t d);
  mlir::Value boundMask(mlir::Value index, mlir::Value lo, mlir::Value hi, int64_t size, mlir::Value dst);
  bool onlyOperands(tt::BroadcastOp op);
  mlir::Value broadcast(mlir::Value src, mlir::ArrayRef<int64_t> shape, int64_t axis);

  // ---- Move.cpp: elements to other places
  // One side of a move: element i of the loop nest is at start + sum(i * strides).
  struct Side {
    mlir::Value buffer, start; // no start: 0
    llvm::SmallVector<int64_t> strides;
  };
  void move(mlir::ArrayRef<int64_t> sizes, const Side& to, const Side& from);
  void place(mlir::Value src, mlir::Value dst, mlir::Value start, mlir::ArrayRef<int64_t> strides);
  mlir::Value reshaped(mlir::Value src, mlir::RankedTensorType from, mlir::RankedTensorType to);
  mlir::LogicalResult lowerReshape(mlir::Operation* op, mlir::Value src);
  mlir::Value permuted(tt::TransOp op, mlir::Value src);
  mlir::LogicalResult lowerJoin(tt::JoinOp op);
  mlir::LogicalResult lowerSplit(tt::SplitOp op);
  mlir::LogicalResult lowerCat(tt::CatOp op);
  mlir::Value sliceStart(mlir::RankedTensorType whole, mlir::ArrayRef<mlir::OpFoldResult> offsets);
  mlir::Value indexOf(mlir::OpFoldResult index);
  mlir::LogicalResult lowerExtractSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult lowerInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult lowerTensorExtract(mlir::tensor::ExtractOp op);
  mlir::LogicalResult lowerTileGather(tt::GatherOp op);
  mlir::LogicalResult lowerHistogram(tt::HistogramOp op);
  mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op);
  mlir::LogicalResult lowerBitcast(mlir::Operation* op);

  // ---- Words.cpp
  mlir::LogicalResult lowerHalf(dl::HalfOp op);
  mlir::LogicalResult lowerWide(dl::WideOp op);
  mlir::Value wordTable(int64_t words, int64_t gap);

  // ---- Elements.cpp: through the scalar unit
  void nest(mlir::ArrayRef<int64_t> sizes, llvm::function_ref<void(mlir::ArrayRef<mlir::Value>)> body);
  mlir::Value position(mlir::ArrayRef<mlir::Value> indices, mlir::ArrayRef<int64_t> strides);
  mlir::Value element(mlir::Value old, mlir::ArrayRef<mlir::Value> indices);
  void setElement(mlir::Value buffer, mlir::RankedTensorType type, mlir::ArrayRef<mlir::Value> indices,
                  mlir::Value value);
  // A buffer for a tensor that is written element by element.
  mlir::Value elementBuffer(mlir::Type tensor);
  mlir::LogicalResult lowerElementLoop(mlir::Operation* op);
  void combineInto(mlir::Region& region, mlir::ValueRange left, mlir::ValueRange right,
                   llvm::SmallVectorImpl<mlir::Value>& out, mlir::LogicalResult& ok);
  llvm::SmallVector<mlir::Value>
  fold(mlir::Region& region, int64_t n,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value lane)> load,
       llvm::function_ref<void(mlir::Value lane, mlir::ValueRange folded)> each, mlir::LogicalResult& ok);
  llvm::SmallVector<mlir::Value> laneOf(mlir::ValueRange sources, llvm::ArrayRef<mlir::Value> outer,
                                        unsigned axis, mlir::Value lane);
  mlir::LogicalResult lowerReduceLoop(tt::ReduceOp op);
  mlir::LogicalResult lowerScan(tt::ScanOp op);

  // ---- Lowering.cpp: values and buffers
  mlir::Value scalarOf(mlir::Value old) { return scalars.lookupOrDefault(old); }
  Tile& tileOf(mlir::Value old);
  mlir::Value splatOf(mlir::Value old) { return tileOf(old).splat; }
  // The buffer of a tensor, filled here if it was only a splat.
  mlir::Value bufferOf(mlir::Value old);
  // The same as f32 when the elements are bf16, which the vector unit only converts.
  mlir::Value computeBufferOf(mlir::Value old);
  mlir::Value computeScalar(mlir::Value value);
  // A buffer to compute the result in: f32 for bf16; finish() converts and records it.
  mlir::Value resultBuffer(mlir::Value result);
  mlir::LogicalResult finish(mlir::Value result, mlir::Value computed);
  mlir::LogicalResult record(mlir::Value tensor, mlir::Value buffer);
  mlir::Value alloc(mlir::Type element, mlir::ArrayRef<int64_t> shape, npu::Space space = npu::Space::UB);
  mlir::Value allocLike(mlir::Value buffer, mlir::Type element);
  void fill(mlir::Value buffer, mlir::Value scalar);
  mlir::Value constant(int64_t value);
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::LogicalResult unsupported(mlir::Operation* op, const llvm::Twine& what);
  mlir::LogicalResult unknownFunction(tt::ExternElementwiseOp call);

  mlir::FunctionOpInterface source;
  mlir::OpBuilder& builder;
  mlir::Location loc = builder.getUnknownLoc(); // of the operation being lowered
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Tile> tiles;
  llvm::DenseMap<mlir::Value, mlir::Value>
      destinations;  // results that are computed straight into a given buffer
  bool cube = false; // the function has a dot
  std::optional<Half> half;
  Coalesce coalesce;
  mlir::Block* entry = nullptr; // of the new function
  std::map<std::array<int64_t, 4>, mlir::Value> offsetTables;
  std::map<std::vector<int64_t>, mlir::Value> digitTables;
  std::map<std::array<int64_t, 2>, mlir::Value> wordTables;
};

// Shape of the buffer of a tensor: dimensions of size 1 dropped, at least one left; of more than two the
// leading ones are rows, one after the other.
llvm::SmallVector<int64_t> tileShape(mlir::RankedTensorType type);
TileLayout layoutOf(mlir::RankedTensorType type);
// The element type that commands compute in.
mlir::Type computeType(mlir::Type element);
std::optional<int64_t> constantOf(mlir::Value value);
std::string describeStride(mlir::Value stride); // for messages
std::string textOf(mlir::Type type);            // for messages
inline mlir::MemRefType typeOf(mlir::Value buffer) { return llvm::cast<mlir::MemRefType>(buffer.getType()); }
inline bool isTensor(mlir::Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }
inline mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

// An elementwise operation of two operands as a command.
struct BinaryForm {
  npu::BinaryKind kind;
  std::optional<npu::ScalarKind> scalar; // the form with a scalar right operand
  bool commutes = false;
};
std::optional<BinaryForm> binaryForm(mlir::Operation* op);

// A rectangle of elements in global memory, by dimension of the buffer.
struct Lowering::Rectangle {
  mlir::Value base;     // byte address, i64
  mlir::Value firstRow; // of the buffer where row 0 lies; none: 0
  llvm::SmallVector<int64_t, 2> size;
  llvm::SmallVector<mlir::Value, 2> stride, lo, hi; // elements
  llvm::SmallVector<int64_t, 2> dimension;          // of the tensor
  mlir::IntegerAttr arg;
  int64_t elementBytes = 0;
  mlir::Value counted; // elements along `countedDimension` that anyone reads; none: all
  unsigned countedDimension = 0;
};

// Along `dimension` of the rectangle element i lies at ((start + i) mod modulus) * stride.
struct Lowering::Wrap {
  std::optional<unsigned> dimension;
  mlir::Value start, modulus;
};

} // namespace dlsim::codegen
