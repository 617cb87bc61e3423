// Tiles whose lanes fill a stretch of memory in an order of their own: one contiguous copy, and dl.pick on
// chip.
#include "codegen/passes/access/Rewriter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::access {

// Rectangles that would go element by element.
static bool isSlow(const Pointer& pointer, ArrayRef<int64_t> shape, bool isLoad) {
  constexpr int64_t widestGap = 8; // loaded along with the elements
  SmallVector<Polynomial> strides;
  for (auto [dim, size] : llvm::zip_equal(pointer.offset.dims, shape))
    if (size > 1)
      strides.push_back(dim.coefficient);
  auto inner = strides.empty() ? std::nullopt : strides.back().constant();
  if (!inner || *inner == 0 || *inner == 1)
    return false;
  if (strides.size() > 2)
    return true;
  if (*inner < 0)
    return *inner < -1;
  bool transposed = strides.size() == 2 && strides.front() == Polynomial(1);
  return !transposed && !(isLoad && *inner <= widestGap);
}

// Whether the mask is one that most tiles do not need: it is found out at run time. Both ways to go are there
// then, which a function with products does not get: its rows are dealt to the vector cores.
static bool masksWhole(Operation* op, const Mask& mask) {
  if (mask.full())
    return true;
  bool products = false;
  op->getParentOfType<func::FuncOp>().walk([&](tt::DotOp) { products = true; });
  return mask.regular() && !products;
}

// What dl.pick can do, where it pays.
std::optional<Digits> Rewriter::stretch(Operation* op, const Access& access, Type element) {
  // In bytes: the tile is there twice; copies of long runs are as fast.
  constexpr int64_t largest = 32 * 1024, longestRun = 1024;
  bool isLoad = isa<tt::LoadOp>(op);
  if (!runs() || access.shape.empty() || !masksWhole(op, access.mask) || access.pointer.start ||
      !access.pointer.root || !element.isIntOrFloat() || (isLoad && feedsProducts(op->getResult(0))))
    return std::nullopt;
  if (access.rectangle && !isSlow(access.pointer, access.shape, isLoad))
    return std::nullopt;
  int64_t bits = element.getIntOrFloatBitWidth(), elements = 1, columns = 1;
  for (int64_t size : access.shape) {
    elements *= size;
    columns = size > 1 ? size : columns;
  }
  bool rows = columns < elements;
  if (!(bits == 16 || bits == 32 || element.isInteger(8)) || elements * bits > largest * 8 || elements == 1 ||
      (rows && (columns * bits % 256 != 0 || columns > dl::mostPicked)))
    return std::nullopt;
  auto places = digitsOf(analysis, access.pointer.offset, access.shape);
  auto digits = places ? cut(places->digits, elements, std::min(elements, dl::mostPicked)) : std::nullopt;
  if (!digits || !llvm::all_of(*digits, [](const Digit& d) { return llvm::isPowerOf2_64(d.divisor); }))
    return std::nullopt;
  places->digits = *digits;
  const Digit& first = digits->front();
  if (!access.rectangle && first.stride == 1 && first.size * bits >= longestRun * 8)
    return std::nullopt;
  if (isLoad ? places->extent() > 2 * elements : places->extent() != elements || !places->inverse())
    return std::nullopt;
  return places;
}

static Value pick(OpBuilder& b, Location loc, RankedTensorType type, Value source, ArrayRef<Digit> digits,
                  int64_t first) {
  SmallVector<int64_t> divisors, sizes, strides;
  for (const Digit& digit : digits)
    if (digit.stride != 0) {
      divisors.push_back(digit.divisor);
      sizes.push_back(digit.size);
      strides.push_back(digit.stride);
    }
  return b.create<dl::PickOp>(loc, type, source, divisors, sizes, strides, first);
}

// No lane is masked off; null if that is known.
Value Rewriter::wholeTile(OpBuilder& b, Location loc, const Access& access) {
  if (access.mask.full())
    return {};
  auto bounds = materializer.bounds(b, loc, access.mask, access.shape);
  Value lanes = materializer.constant(b, loc, 1);
  for (auto [lo, hi] : llvm::zip_equal(bounds.lo, bounds.hi))
    lanes = b.createOrFold<arith::MulIOp>(loc, lanes, b.createOrFold<arith::SubIOp>(loc, hi, lo));
  int64_t all = 1;
  for (int64_t size : access.shape)
    all *= size;
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lanes, materializer.constant(b, loc, all));
}

// A line's lanes below a bound, by two digits: whole rows of the higher one, then a part of a row. Nothing if
// that is not what the lanes that count are, or neither digit runs along memory.
std::optional<Rewriter::Tail> Rewriter::tailOf(OpBuilder& b, Location loc, const Access& access,
                                               int64_t bytes) {
  const Digits& places = *access.places;
  unsigned line = 0;
  for (auto [d, size] : llvm::enumerate(access.shape))
    line = size > 1 ? d : line;
  const Range& range = access.mask.dims[line];
  if (places.digits.size() != 2 || places.digits[1].divisor != access.shape[line] / places.digits[1].size ||
      !range.lo.empty())
    return std::nullopt;
  const Digit &low = places.digits[0], &high = places.digits[1];
  if ((low.stride != 1 && high.stride != 1) || low.stride <= 0 || high.stride <= 0 ||
      low.size * bytes % 32 != 0)
    return std::nullopt;
  Tail tail{line, {high.size, low.size}, {}, {}, {}, {}};
  auto limits = materializer.bounds(b, loc, access.mask, access.shape);
  // Conditions and other dimensions have emptied some of them.
  Value count = materializer.constant(b, loc, 1), zero = materializer.constant(b, loc, 0);
  for (auto [lo, hi] : llvm::zip_equal(limits.lo, limits.hi))
    count = b.createOrFold<arith::MulIOp>(loc, count, b.createOrFold<arith::SubIOp>(loc, hi, lo));
  Value width = materializer.constant(b, loc, low.size);
  tail.rows = b.createOrFold<arith::DivUIOp>(loc, count, width);
  tail.rest = b.createOrFold<arith::RemUIOp>(loc, count, width);
  Value one = materializer.constant(b, loc, 1), most = materializer.constant(b, loc, high.size);
  tail.behind = b.createOrFold<arith::MinSIOp>(loc, b.createOrFold<arith::AddIOp>(loc, tail.rows, one), most);
  tail.zero = zero;
  return tail;
}

FailureOr<Value> Rewriter::tailLoad(OpBuilder& b, tt::LoadOp op, const Access& access) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Value other = op.getOther() ? scalarOf(b, op.getOther()) : Value();
  std::optional<Tail> tail;
  if (!op.getOther() || other)
    tail = tailOf(b, loc, access, type.getElementTypeBitWidth() / 8);
  if (!tail)
    return access.rectangle ? rectangleLoad(b, op, access) : gather(b, op, access);
  const Digits& places = *access.places;
  Pointer start{access.pointer.root, Index{places.base, {}}};
  auto tile = type.clone(tail->shape);
  SmallVector<Value> steps{materializer.constant(b, loc, places.digits[1].stride),
                           materializer.constant(b, loc, places.digits[0].stride)};
  Value width = materializer.constant(b, loc, tail->shape[1]);
  auto part = [&](Value from, Value to, Value columns) {
    return b.create<dl::LoadOp>(loc, tile, address(b, loc, start), steps, ValueRange{from, tail->zero},
                                ValueRange{to, columns}, other, Value(), Value(), IntegerAttr(),
                                argument(b, start), hints(op));
  };
  Value rows = part(tail->zero, tail->rows, width), rest = part(tail->rows, tail->behind, tail->rest);
  Value whole = b.create<dl::RangeMaskOp>(loc, tile.clone(b.getI1Type()), ValueRange{tail->zero, tail->zero},
                                          ValueRange{tail->rows, width});
  Value both = b.create<arith::SelectOp>(loc, whole, rows, rest);
  return Value(b.create<tt::ReshapeOp>(loc, type, both, false, false));
}

LogicalResult Rewriter::tailStore(OpBuilder& b, Operation* op, Value value, const Access& access,
                                  dl::AtomicKind kind) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  auto tail = tailOf(b, loc, access, type.getElementTypeBitWidth() / 8);
  if (!tail)
    return laneStore(b, op, value, access, kind);
  const Digits& places = *access.places;
  Pointer start{access.pointer.root, Index{places.base, {}}};
  Value tile = b.create<tt::ReshapeOp>(loc, type.clone(tail->shape), value, false, false);
  SmallVector<Value> steps{materializer.constant(b, loc, places.digits[1].stride),
                           materializer.constant(b, loc, places.digits[0].stride)};
  b.create<dl::StoreOp>(loc, tile, address(b, loc, start), steps, ValueRange{tail->zero, tail->zero},
                        ValueRange{tail->rows, materializer.constant(b, loc, tail->shape[1])}, kind,
                        argument(b, start), hints(op));
  // The part of a row is few elements: lane by lane.
  Access rest = access;
  unsigned line = tail->line;
  Value done = b.createOrFold<arith::MulIOp>(loc, tail->rows, materializer.constant(b, loc, tail->shape[1]));
  rest.mask.dims[line].lo.push_back({Polynomial::leaf(analysis.leaves.number(done)), 1});
  return laneStore(b, op, value, rest, kind);
}

FailureOr<Value> Rewriter::stretchLoad(OpBuilder& b, tt::LoadOp op, const Access& access) {
  Location loc = op.getLoc();
  Value whole = wholeTile(b, loc, access);
  if (!whole)
    return wholeLoad(b, op, access);
  auto choice = b.create<scf::IfOp>(loc, op.getType(), whole, /*withElseRegion=*/true);
  OpBuilder inside = choice.getThenBodyBuilder();
  inside.create<scf::YieldOp>(loc, wholeLoad(inside, op, access));
  OpBuilder outside = choice.getElseBodyBuilder();
  FailureOr<Value> lanes = tailLoad(outside, op, access);
  if (failed(lanes))
    return failure();
  outside.create<scf::YieldOp>(loc, *lanes);
  return Value(choice.getResult(0));
}

Value Rewriter::wholeLoad(OpBuilder& b, tt::LoadOp op, const Access& access) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  const Digits& places = *access.places;
  Value zero = materializer.constant(b, loc, 0), one = materializer.constant(b, loc, 1);
  Value end = materializer.constant(b, loc, places.extent());
  Pointer start{access.pointer.root, Index{places.base + Polynomial(places.lowest()), {}}};
  auto line = RankedTensorType::get({places.extent()}, type.getElementType());
  Value whole = b.create<dl::LoadOp>(loc, line, address(b, loc, start), one, zero, end, Value(), Value(),
                                     Value(), IntegerAttr(), argument(b, start), hints(op));
  return pick(b, loc, type, whole, places.digits, -places.lowest());
}

LogicalResult Rewriter::stretchStore(OpBuilder& b, Operation* op, Value value, const Access& access,
                                     dl::AtomicKind kind) {
  Location loc = op->getLoc();
  Value whole = wholeTile(b, loc, access);
  if (!whole) {
    wholeStore(b, op, value, access, kind);
    return success();
  }
  auto choice = b.create<scf::IfOp>(loc, whole, /*withElseRegion=*/true);
  OpBuilder inside = choice.getThenBodyBuilder(), outside = choice.getElseBodyBuilder();
  wholeStore(inside, op, value, access, kind);
  return tailStore(outside, op, value, access, kind);
}

void Rewriter::wholeStore(OpBuilder& b, Operation* op, Value value, const Access& access,
                          dl::AtomicKind kind) {
  Location loc = op->getLoc();
  const Digits& places = *access.places;
  Digits elements = *places.inverse();
  Value zero = materializer.constant(b, loc, 0), one = materializer.constant(b, loc, 1);
  Value end = materializer.constant(b, loc, places.extent());
  Pointer start{access.pointer.root, Index{places.base + Polynomial(places.lowest()), {}}};
  auto type = cast<RankedTensorType>(value.getType());
  auto line = RankedTensorType::get({places.extent()}, type.getElementType());
  SmallVector<Digit> digits =
      *cut(elements.digits, places.extent(), std::min(places.extent(), dl::mostPicked));
  Value sorted = pick(b, loc, line, value, digits, *elements.base.constant());
  b.create<dl::StoreOp>(loc, sorted, address(b, loc, start), one, zero, end, kind, argument(b, start),
                        hints(op));
}

} // namespace dlsim::access
