#include "codegen/passes/split/Rows.h"

#include "codegen/passes/split/Channels.h"
#include "codegen/passes/split/FirstCore.h"
#include "codegen/passes/split/Pieces.h"
#include "codegen/passes/split/Rowwise.h"
#include "codegen/passes/split/Split.h"
#include "codegen/support/GrowLoop.h"
#include "codegen/support/SourceLine.h"
#include "codegen/support/TilePart.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <string>

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Builds, next to the operations on whole tiles, those on this core's half of the rows (dimension 0), or on
// each of several pieces of this half, one after the other. What is then no longer used dies.
class RowSplit {
public:
  RowSplit(func::FuncOp function, int64_t subCores, int64_t pieces)
      : function(function), builder(function.getContext()), subCores(subCores), pieces(pieces), memo(pieces) {
  }

  // An empty string if it worked; else why not, and the function is of no use.
  std::string run() {
    Block& body = function.getBody().front();
    builder.setInsertionPointToStart(&body);
    sub = subCores > 1 ? builder.create<npu::SubCoreOp>(function.getLoc(), builder.getI64Type()).getResult()
                       : constant(function.getLoc(), 0);
    retypeLoops();
    for (Operation* op : effects(function))
      splitEffect(op);
    if (reason.empty())
      splitCarried();
    if (reason.empty())
      eraseDead();
    if (reason.empty())
      checkUses();
    if (reason.empty() && pieces > 1)
      function.walk([&](Block* block) { orderPieces(*block, pieces, pieceOf, wholeOf); });
    return reason;
  }

private:
  bool hasParts(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() > 0 && tensor.getDimSize(0) % (subCores * pieces) == 0;
  }
  RankedTensorType part(Type type) const {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[0] /= subCores * pieces;
    return RankedTensorType::get(shape, tensor.getElementType());
  }
  int64_t partOf(int64_t rows) const { return rows / (subCores * pieces); }

  Value constant(Location loc, int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }
  void fail(Operation* at, const Twine& what) {
    if (reason.empty())
      reason = (sourceLine(at->getLoc()) + ": " + at->getName().getStringRef() + " " + what).str();
  }

  // Number of the piece's first row in a tile of `rows` rows.
  Value firstRow(Location loc, int64_t rows) {
    Value first = builder.createOrFold<arith::MulIOp>(loc, sub, constant(loc, rows / subCores));
    return piece ? builder.createOrFold<arith::AddIOp>(loc, first, constant(loc, piece * partOf(rows)))
                 : first;
  }

  // Every carried tensor with rows becomes one a piece. The first one takes the old one's place, the others
  // follow behind all carried values.
  void retypeLoops() {
    SmallVector<scf::ForOp> old;
    function.walk([&](scf::ForOp loop) { old.push_back(loop); });
    for (scf::ForOp loop : old)
      loops.push_back(addPieces(loop));
    for (auto& [value, parts] : carried)
      for (Value one : parts)
        one.setType(part(one.getType()));
    function.walk([&](Operation* op) {
      if (isa<scf::IfOp, scf::WhileOp>(op) && llvm::any_of(op->getResults(), isTile))
        fail(op, "hands on tensors");
    });
  }

  scf::ForOp addPieces(scf::ForOp loop) {
    SmallVector<unsigned> split;
    SmallVector<Value> inits;
    for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (hasParts(argument.getType())) {
        split.push_back(number);
        inits.append(pieces - 1, loop.getInitArgs()[number]);
      }
    unsigned next = loop.getNumRegionIterArgs();
    if (!inits.empty()) {
      IRRewriter rewriter(loop.getContext());
      loop = growLoop(rewriter, loop, inits);
    }
    for (unsigned number : split) {
      SmallVector<Value> arguments{loop.getRegionIterArg(number)}, results{loop.getResult(number)};
      for (int64_t i = 1; i < pieces; ++i, ++next) {
        loop.getRegionIterArg(next).setLoc(arguments.front().getLoc());
        arguments.push_back(loop.getRegionIterArg(next));
        results.push_back(loop.getResult(next));
      }
      carried[arguments.front()] = arguments;
      carried[results.front()] = results;
    }
    return loop;
  }

  void splitCarried() {
    for (scf::ForOp loop : loops)
      for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
        auto found = carried.find(argument);
        if (found == carried.end())
          continue;
        Value init = loop.getInitArgs()[number], yielded = loop.getYieldedValues()[number];
        for (auto [i, one] : llvm::enumerate(found->second)) {
          piece = int64_t(i);
          unsigned at = cast<BlockArgument>(one).getArgNumber() - 1;
          if (Value rows = split(init))
            loop.getInitArgsMutable()[at].set(rows);
          if (Value rows = split(yielded))
            (*loop.getYieldedValuesMutable())[at].set(rows);
        }
      }
  }

  Value split(Value value) {
    if (auto found = carried.find(value); found != carried.end())
      return found->second[piece];
    if (Value known = memo[piece].lookup(value))
      return known;
    Operation* op = value.getDefiningOp();
    if (!reason.empty())
      return {};
    if (!op || !hasParts(value.getType())) {
      fail(op ? op : function.getOperation(), "has no rows to share");
      return {};
    }
    Value made = splitOp(op, value);
    if (made) {
      memo[piece][value] = made;
      created.insert(made.getDefiningOp());
      pieceOf[made.getDefiningOp()] = piece;
    }
    return made;
  }

  // The same operation on other operands, with the piece's rows as its result.
  Value rebuild(Operation* op, Value value, ValueRange operands) {
    builder.setInsertionPointAfter(op);
    IRMapping mapping;
    Operation* clone = builder.clone(*op, mapping);
    clone->setOperands(operands);
    for (Value result : clone->getResults())
      result.setType(part(result.getType()));
    created.insert(clone);
    pieceOf[clone] = piece;
    return clone->getResult(cast<OpResult>(value).getResultNumber());
  }

  Value splitOp(Operation* op, Value value) {
    SmallVector<Value> operands(op->getOperands());
    auto type = cast<RankedTensorType>(value.getType());
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
      auto dense = dyn_cast<SplatElementsAttr>(constantOp.getValue());
      builder.setInsertionPointAfter(op);
      if (dense)
        return builder.create<arith::ConstantOp>(op->getLoc(), dense.resizeSplat(part(type)));
    } else if (isa<tt::SplatOp>(op)) {
      return rebuild(op, value, operands);
    } else if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
      return splitRange(range, type);
    } else if (auto load = dyn_cast<dl::LoadOp>(op)) {
      return splitLoad(load, type);
    } else if (auto gather = dyn_cast<dl::GatherOp>(op)) {
      if (Value other = gather.getOther(); other && isTile(other)) {
        operands.back() = split(other); // the last operand
        if (!operands.back())
          return {};
      }
      auto made = rebuild(op, value, operands).getDefiningOp<dl::GatherOp>();
      shareWalk(made, type);
      return made;
    } else if (auto mask = dyn_cast<dl::RangeMaskOp>(op)) {
      auto made = rebuild(op, value, operands).getDefiningOp<dl::RangeMaskOp>();
      builder.setInsertionPoint(made);
      made.getLoMutable()[0].set(bound(mask.getLo()[0], type.getDimSize(0), op->getLoc()));
      made.getHiMutable()[0].set(bound(mask.getHi()[0], type.getDimSize(0), op->getLoc()));
      return made;
    } else if (type.getRank() == 1 && isa<dl::InterleaveOp, dl::DeinterleaveOp>(op)) {
      for (Value& operand : operands) // of a multiple of the part's elements
        if (operand = split(operand); !operand)
          return {};
      return rebuild(op, value, operands);
    } else if (rowwise(op, type)) {
      for (Value& operand : operands)
        if (isTile(operand) &&
            cast<RankedTensorType>(operand.getType()).getDimSize(0) == type.getDimSize(0)) {
          operand = split(operand);
          if (!operand)
            return {};
        } else if (carried.count(operand) && !isa<tt::BroadcastOp>(op)) {
          operand = split(operand);
        }
      return rebuild(op, value, operands);
    }
    fail(op, "mixes rows");
    return {};
  }

  Value splitRange(tt::MakeRangeOp range, RankedTensorType type) {
    Value made = rebuild(range, range.getResult(), {});
    auto op = made.getDefiningOp<tt::MakeRangeOp>();
    Location loc = range.getLoc();
    int64_t rows = type.getDimSize(0);
    op->setAttr("end", builder.getI32IntegerAttr(int32_t(range.getStart() + partOf(rows))));
    builder.setInsertionPointAfter(op);
    Value first = builder.create<arith::TruncIOp>(loc, type.getElementType(), firstRow(loc, rows));
    return builder.create<arith::AddIOp>(loc, made, builder.create<tt::SplatOp>(loc, part(type), first));
  }

  // A bound of dimension 0, counted from the piece's first row and clamped to its rows.
  Value bound(Value whole, int64_t rows, Location loc) {
    return boundOfPart(builder, loc, whole, rows, firstRow(loc, rows), partOf(rows));
  }

  Value advanced(Value base, Value stride, RankedTensorType type, Location loc) {
    return baseOfPart(builder, loc, base, firstRow(loc, type.getDimSize(0)), stride, type.getElementType());
  }

  Value splitLoad(dl::LoadOp load, RankedTensorType type) {
    auto made =
        rebuild(load, load.getResult(), SmallVector<Value>(load->getOperands())).getDefiningOp<dl::LoadOp>();
    Location loc = load.getLoc();
    builder.setInsertionPoint(made);
    wholeOf[made] = {load.getBase(), load.getStrides()};
    if (load.getWrapDim() == std::optional<uint64_t>(0)) {
      Value start =
          builder.create<arith::AddIOp>(loc, load.getWrapStart(), firstRow(loc, type.getDimSize(0)));
      made.getWrapStartMutable().assign(start);
    } else {
      made.getBaseMutable().set(advanced(load.getBase(), load.getStrides()[0], type, loc));
    }
    made.getLoMutable()[0].set(bound(load.getLo()[0], type.getDimSize(0), loc));
    made.getHiMutable()[0].set(bound(load.getHi()[0], type.getDimSize(0), loc));
    return made;
  }

  // Stores of rows: one a piece. Others: by the first core.
  void splitEffect(Operation* op) {
    Value value = isa<dl::StoreScalarOp>(op) ? Value() : op->getOperand(0);
    RankedTensorType type = value ? wholeType(value) : RankedTensorType();
    if (!type) {
      if (subCores > 1)
        leaveToFirstCore(op, sub);
      return;
    }
    if (isa<dl::AtomicOp>(op))
      return fail(op, "updates elements one by one");
    SmallVector<Operation*> copies{op};
    builder.setInsertionPointAfter(op);
    for (int64_t i = 1; i < pieces; ++i)
      copies.push_back(builder.clone(*op));
    for (auto [i, copy] : llvm::enumerate(copies)) {
      piece = int64_t(i);
      Value rows = split(value);
      if (!rows)
        return;
      copy->setOperand(0, rows);
      created.insert(copy);
      pieceOf[copy] = piece;
      if (auto store = dyn_cast<dl::StoreOp>(copy))
        shareStore(store, type);
      else
        shareWalk(cast<dl::ScatterOp>(copy), type);
    }
  }

  void shareStore(dl::StoreOp store, RankedTensorType type) {
    Location loc = store.getLoc();
    builder.setInsertionPoint(store);
    wholeOf[store] = {store.getBase(), store.getStrides()};
    store.getBaseMutable().set(advanced(store.getBase(), store.getStrides()[0], type, loc));
    store.getLoMutable()[0].set(bound(store.getLo()[0], type.getDimSize(0), loc));
    store.getHiMutable()[0].set(bound(store.getHi()[0], type.getDimSize(0), loc));
  }

  // The lanes of dimension 0 count from this core's first row; scalar code still gets those of the whole
  // tile.
  template <class Op> void shareWalk(Op op, RankedTensorType type) {
    Location loc = op.getLoc();
    int64_t rows = type.getDimSize(0);
    builder.setInsertionPoint(op);
    op.getLoMutable()[0].set(bound(op.getLo()[0], rows, loc));
    op.getHiMutable()[0].set(bound(op.getHi()[0], rows, loc));
    Block& body = op.getBody().front();
    auto run = cast<dl::RunOp>(body.back());
    if (op.getWalk().front() == 0) {
      builder.setInsertionPointToStart(&body);
      auto lane = builder.create<arith::AddIOp>(loc, body.getArgument(0), firstRow(loc, rows));
      body.getArgument(0).replaceAllUsesExcept(lane, lane);
      return;
    }
    builder.setInsertionPoint(run);
    run.getLoMutable()[0].set(bound(run.getLo()[0], rows, loc));
    run.getHiMutable()[0].set(bound(run.getHi()[0], rows, loc));
    run.getAddressMutable().set(advanced(run.getAddress(), op.getStrides()[0], type, loc));
  }

  // The type of a stored tensor before it was split, or null.
  RankedTensorType wholeType(Value value) {
    if (!carried.count(value))
      return hasParts(value.getType()) ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape()); // is a part already
    shape[0] *= subCores * pieces;
    return RankedTensorType::get(shape, type.getElementType());
  }

  void eraseDead() {
    for (bool again = true; again;) {
      again = false;
      function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation* op) {
        if (!isOpTriviallyDead(op))
          return;
        created.erase(op);
        pieceOf.erase(op);
        wholeOf.erase(op);
        op->erase();
        again = true;
      });
    }
  }

  // Part of a tile where a whole one was meant.
  void checkUses() {
    for (auto& [value, parts] : carried)
      for (Operation* user : value.getUsers())
        if (!created.contains(user) && !isa<scf::ForOp, scf::YieldOp>(user))
          fail(user, "needs all rows of a tensor that a loop carries");
  }

  func::FuncOp function;
  OpBuilder builder;
  Value sub;
  int64_t subCores;
  int64_t pieces, piece = 0; // of this core's rows; the one being built
  SmallVector<scf::ForOp> loops;
  // Loop-carried tensors, which have a piece's rows: the first piece's value to those of all pieces.
  llvm::MapVector<Value, SmallVector<Value>> carried;
  SmallVector<llvm::DenseMap<Value, Value>> memo; // a piece each
  llvm::DenseSet<Operation*> created;
  llvm::DenseMap<Operation*, int64_t> pieceOf;
  WholeAccesses wholeOf;
  std::string reason;
};

} // namespace

// The function with its rows in as many pieces as can be, `pieces` at most; else why not.
static std::string splitRows(func::FuncOp function, int64_t subCores, int64_t pieces) {
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  std::string reason;
  for (; pieces * subCores > 1; pieces /= 2) {
    auto attempt = cast<func::FuncOp>(builder.clone(*function));
    reason = RowSplit(attempt, subCores, pieces).run();
    if (reason.empty()) {
      if (pieces > 1) {
        remarkAt(function) << "rows are computed in " << pieces << " pieces, one after the other";
        attempt->setAttr(rowPieces, builder.getI64IntegerAttr(pieces));
      }
      function->setAttrs(attempt->getAttrDictionary());
      function.getBody().takeBody(attempt.getBody());
      attempt.erase();
      return "";
    }
    attempt.erase();
  }
  return reason;
}

LogicalResult bindSubCores(func::FuncOp vector, int64_t leastPieces) {
  std::string reason = splitRows(vector, boundVectorCores, std::max(leastPieces, choosePieces(vector)));
  if (reason.empty()) {
    vector->setAttr("npu.vector_cores", OpBuilder(vector).getI64IntegerAttr(boundVectorCores));
    return success();
  }
  remarkAt(vector) << "the second vector core of each group is idle: " << reason << "; rows cannot be shared";
  leaveSubCoresUnbound(vector);
  return success();
}

void cutRows(func::FuncOp function, int64_t pieces) {
  std::string reason = splitRows(function, 1, pieces);
  if (!reason.empty())
    remarkAt(function) << "rows cannot be computed in pieces: " << reason;
}

} // namespace dlsim::codegen
