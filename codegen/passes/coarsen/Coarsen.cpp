// Programs of a launch that differ by nothing but the place of their tile, and whose tiles lie side by side,
// become one with a tile as large as all of them: what they share is loaded once, rows are longer, and the
// cube has more to do for each byte. That programs are neighbours is checked where they run, group by group,
// because the place of a program is whatever the kernel makes of its number; groups that are none, and
// launches with too few programs for all cores, run as they were.
#include "codegen/passes/coarsen/Coarsen.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/blockify/Blockify.h"
#include "codegen/passes/blockify/TaskOrder.h"
#include "codegen/passes/coarsen/Neighbours.h"
#include "codegen/passes/coarsen/Products.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using arith::CmpIPredicate;
using dlsim::blockify::ScalarEmitter;

namespace dlsim::codegen {
namespace {

constexpr int64_t mostTogether = 32; // programs: each takes time to check
constexpr double leastGain = 0.9;    // of a program's cost, against programs alone
constexpr double costUnit = 16;      // costs are compared as integers

// How many programs along a class of dimensions become one, each `distance` tasks behind the one before.
struct Growth {
  Neighbours::Axis axis;
  int64_t distance = 1, count = 1;
};

struct Group {
  Growth rows, columns;
  double cost = 0, alone = 0; // of the group, of one program

  // The side whose neighbours have consecutive numbers, if one grows, and the other one.
  const Growth& inner() const {
    bool byRows = rows.count > 1 && rows.distance == 1,
         byColumns = columns.count > 1 && columns.distance == 1;
    return byColumns || (!byRows && columns.count == 1) ? columns : rows;
  }
  const Growth& outer() const { return &inner() == &rows ? columns : rows; }
  // Groups tile the tasks if the inner side divides the outer one's distance.
  bool tiles() const {
    if (outer().count == 1)
      return inner().count == 1 || inner().distance == 1;
    return inner().count == 1 || (inner().distance == 1 && outer().distance % inner().count == 0);
  }
  int64_t size() const { return rows.count * columns.count; }
};

// Among groups that fit, the one with the least cost a program.
std::optional<Group> choose(const Growth& rows, const Growth& columns, ArrayRef<tt::DotOp> dots,
                            const TileCosts& costs) {
  auto costOf = [&](int64_t r, int64_t c) {
    double sum = 0;
    for (tt::DotOp dot : dots)
      sum += costs.cycles(dot, dot.getType().getDimSize(0) * r, dot.getType().getDimSize(1) * c);
    return sum;
  };
  Group best{rows, columns, costOf(1, 1), costOf(1, 1)};
  int64_t mostRows = rows.axis.length ? mostTogether : 1,
          mostColumns = columns.axis.length ? mostTogether : 1;
  for (int64_t r = 1; r <= mostRows; r *= 2)
    for (int64_t c = 1; c <= mostColumns; c *= 2) {
      Group group = best;
      group.rows.count = r;
      group.columns.count = c;
      group.cost = costOf(r, c);
      if (r * c <= mostTogether && group.tiles() && costs.fit(dots, r, c) &&
          group.cost / double(r * c) < best.cost / double(best.size()))
        best = group;
    }
  if (best.cost / double(best.size()) > leastGain * best.alone)
    return std::nullopt;
  return best;
}

class Rewriter {
public:
  Rewriter(scf::ForOp tasks, DimClasses& classes, const Neighbours& neighbours, const Group& group)
      : tasks(tasks), classes(classes), neighbours(neighbours), group(group), b(tasks), loc(tasks.getLoc()) {}

  void run() {
    ScalarEmitter e(b, loc);
    Value core = tasks.getLowerBound(), cores = tasks.getStep();
    total = tasks.getUpperBound();
    int64_t inner = group.inner().count, outer = group.outer().count;
    distance = outer > 1 ? group.outer().distance : inner;
    Value chunk = e.constant(distance * outer);
    // Where tasks follow the lines of a grid, no group goes beyond a line's end.
    if (auto line = tasks->getAttrOfType<IntegerAttr>(blockify::kLineAttr); line && outer == 1 && inner > 1)
      chunk = b.create<dl::GridSizeOp>(loc, b.getI64Type(), line.getInt());
    Value groupsOfChunk = outer > 1 ? e.constant(distance / inner) : roundsOf(e, chunk, e.constant(inner));
    Value groups = e.mul(roundsOf(e, total, chunk), groupsOfChunk);
    Value pays = e.compare(CmpIPredicate::sle, e.mul(roundsOf(e, groups, cores), cost(e, group.cost)),
                           e.mul(roundsOf(e, total, cores), cost(e, group.alone)));
    // If the first group is none, the launch has fewer tiles along a side than the group: others are none
    // either.
    chunkEnd = e.min(chunk, total);
    wide = areNeighbours(e, e.constant(0), pays, /*onlyLast=*/true);
    auto loop = b.create<scf::ForOp>(loc, core, e.select(wide, groups, cores), cores);
    loop->setAttr(blockify::kParallelAttr, b.getUnitAttr());
    b.setInsertionPointToStart(loop.getBody());
    Value turn = loop.getInductionVar();
    Value begin = e.mul(e.div(turn, groupsOfChunk), chunk);
    Value first = e.add(begin, e.mul(e.rem(turn, groupsOfChunk), e.constant(inner)));
    chunkEnd = e.min(e.add(begin, chunk), total);
    auto branch = b.create<scf::IfOp>(loc, areNeighbours(e, first, wide), /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    together(first);
    b.setInsertionPointToStart(branch.elseBlock());
    apart(e, first, turn, cores);
  }

private:
  static Value roundsOf(ScalarEmitter& e, Value all, Value each) {
    return e.div(e.add(all, e.sub(each, e.constant(1))), each);
  }
  static Value cost(ScalarEmitter& e, double cycles) { return e.constant(int64_t(cycles * costUnit + 0.5)); }

  // Whether the programs of a group exist and differ as their tiles' places do, or only whether the first and
  // the last one do; not asked unless `wanted`.
  Value areNeighbours(ScalarEmitter& e, Value first, Value wanted, bool onlyLast = false) {
    int64_t inner = group.inner().count, outer = group.outer().count;
    Value last = e.add(first, e.constant(inner - 1 + (outer - 1) * distance));
    Value exist = e.both(wanted, e.compare(CmpIPredicate::slt, last, chunkEnd));
    auto checked = b.create<scf::IfOp>(loc, b.getI1Type(), exist, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(checked.elseBlock());
    b.create<scf::YieldOp>(loc, Value(b.create<arith::ConstantIntOp>(loc, 0, 1)));
    b.setInsertionPointToStart(checked.thenBlock());
    IRMapping start = neighbours.place(b, first);
    Value yes = b.create<arith::ConstantIntOp>(loc, 1, 1);
    if (onlyLast) {
      b.create<scf::YieldOp>(loc,
                             isThere(e, first, start, e.constant(inner - 1), e.constant(outer - 1), yes));
      return checked.getResult(0);
    }
    auto rest = b.create<scf::ForOp>(loc, e.constant(1), e.constant(inner * outer), e.constant(1), yes);
    b.create<scf::YieldOp>(loc, rest.getResult(0));
    b.setInsertionPointToStart(rest.getBody());
    Value number = rest.getInductionVar();
    Value i = e.rem(number, e.constant(inner)), j = e.div(number, e.constant(inner));
    b.create<scf::YieldOp>(loc, isThere(e, first, start, i, j, rest.getRegionIterArg(0)));
    return checked.getResult(0);
  }

  // `otherwise`, and whether program (i, j) of a group is at its place, with that of the first one at
  // `start`.
  Value isThere(ScalarEmitter& e, Value first, const IRMapping& start, Value i, Value j, Value otherwise) {
    IRMapping other = neighbours.place(b, e.add(e.add(first, i), e.mul(j, e.constant(distance))));
    Value same = otherwise;
    for (Value difference : neighbours.differences()) {
      Value expected = moved(e, start.lookup(difference), difference, group.inner(), i);
      expected = moved(e, expected, difference, group.outer(), j);
      same = e.both(same, e.compare(CmpIPredicate::eq, other.lookup(difference), expected));
    }
    return same;
  }

  // Where `start`, a place's number, is `steps` tiles further along a side.
  Value moved(ScalarEmitter& e, Value start, Value number, const Growth& side, Value steps) {
    if (side.count == 1 || !side.axis.starts.contains(number))
      return start;
    Value by = e.mul(steps, e.constant(side.axis.length));
    Type type = start.getType();
    if (type.isIndex())
      by = b.create<arith::IndexCastOp>(loc, type, by);
    else if (!type.isInteger(64))
      by = b.create<arith::TruncIOp>(loc, type, by);
    return b.create<arith::AddIOp>(loc, start, by);
  }

  // The programs of a group as one.
  void together(Value first) {
    IRMapping map;
    map.map(tasks.getInductionVar(), first);
    SmallVector<Value> values;
    auto note = [&](Operation* op) {
      llvm::append_range(values, op->getResults());
      for (Region& region : op->getRegions())
        for (Block& block : region)
          llvm::append_range(values, block.getArguments());
    };
    tasks.getBody()->walk([&](Operation* op) {
      note(op);
      for (Value operand : op->getOperands())
        if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
          if (!tasks->isAncestor(constant) && !map.contains(operand) &&
              isa<RankedTensorType>(operand.getType())) {
            b.clone(*constant, map);
            values.push_back(operand);
          }
    });
    for (Operation& op : tasks.getBody()->without_terminator())
      b.clone(op, map);
    for (Value value : values)
      if (Value made = map.lookupOrNull(value); made && isa<RankedTensorType>(made.getType()))
        grow(value, made);
  }

  void grow(Value value, Value made) {
    auto type = cast<RankedTensorType>(made.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dimension, size] : llvm::enumerate(shape)) {
      unsigned cls = classes.of(value, unsigned(dimension));
      for (const Growth* side : {&group.rows, &group.columns})
        if (side->count > 1 && cls == classes.root(side->axis.cls))
          size *= side->count;
    }
    auto grown = RankedTensorType::get(shape, type.getElementType());
    if (grown == type)
      return;
    made.setType(grown);
    if (auto range = made.getDefiningOp<tt::MakeRangeOp>())
      range.setEnd(uint32_t(shape[0]));
    if (auto constant = made.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).resizeSplat(grown));
  }

  // The programs of a group one by one, or where groups do not pay, all of this core's.
  void apart(ScalarEmitter& e, Value first, Value turn, Value cores) {
    Value one = e.constant(1);
    auto lines =
        b.create<scf::ForOp>(loc, e.constant(0), e.select(wide, e.constant(group.outer().count), one), one);
    b.setInsertionPointToStart(lines.getBody());
    Value line = e.add(first, e.mul(lines.getInductionVar(), e.constant(distance)));
    Value end = e.min(e.add(line, e.constant(group.inner().count)), chunkEnd);
    tasks.setLowerBound(e.select(wide, line, turn));
    tasks.setUpperBound(e.select(wide, end, total));
    tasks.setStep(e.select(wide, one, cores));
    tasks->moveBefore(lines.getBody()->getTerminator()); // behind its bounds
  }

  scf::ForOp tasks;
  DimClasses& classes;
  const Neighbours& neighbours;
  const Group& group;
  OpBuilder b;
  Location loc;
  Value total, wide; // the number of tasks; whether groups pay
  Value chunkEnd;    // of the tasks that groups tile, the present ones
  int64_t distance = 1;
};

class CoarsenPass : public PassWrapper<CoarsenPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CoarsenPass)
  CoarsenPass() = default;
  explicit CoarsenPass(std::string name) { chip = std::move(name); }
  CoarsenPass(const CoarsenPass& other) : PassWrapper(other) { chip = std::string(other.chip); }
  StringRef getArgument() const final { return "dl-coarsen"; }
  StringRef getDescription() const final { return "neighbouring programs become one with larger tiles"; }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<arith::ArithDialect, dl::DlDialect, scf::SCFDialect, tt::TtDialect>();
  }

  void runOnOperation() final {
    llvm::Expected<ChipFile> file = ChipFile::open(chip);
    llvm::Expected<TargetMemory> target = TargetMemory::forChip(chip);
    if (!file || !target) {
      getOperation().emitError() << llvm::toString(llvm::joinErrors(file.takeError(), target.takeError()));
      return signalPassFailure();
    }
    TileCosts costs(*file, *target);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.getBody().getOps<scf::ForOp>().empty())
        continue;
      // What is rewritten on the way to an answer stays if there is something to gain.
      OwningOpRef<func::FuncOp> attempt = function.clone();
      if (!coarsen(*attempt, costs))
        continue;
      function.getBody().takeBody(attempt->getBody());
      function->setAttr(coarsened, UnitAttr::get(&getContext()));
      OpPassManager cleanUp(func::FuncOp::getOperationName());
      cleanUp.addPass(createCanonicalizerPass());
      cleanUp.addPass(createCSEPass());
      if (failed(runPipeline(cleanUp, function)))
        return signalPassFailure();
    }
  }

private:
  // What cannot be expanded is reported by dl-access.
  static bool expandAddresses(func::FuncOp function) {
    ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic&) { return success(); });
    return succeeded(access::expandDescriptors(function)) && succeeded(access::expandBlockPointers(function));
  }

  static bool coarsen(func::FuncOp function, const TileCosts& costs) {
    scf::ForOp tasks;
    for (auto loop : function.getBody().getOps<scf::ForOp>())
      if (loop->hasAttr(blockify::kParallelAttr))
        tasks = loop;
    if (!tasks || !expandAddresses(function))
      return false;
    std::vector<tt::DotOp> dots = onlyProducts(tasks);
    if (dots.empty())
      return false;
    separateUses(*tasks.getBody());
    DimClasses classes(*tasks.getBody());
    Neighbours neighbours(tasks, classes);
    unsigned ofRows = classes.of(dots.front().getD(), 0), ofColumns = classes.of(dots.front().getD(), 1);
    for (tt::DotOp dot : dots)
      if (classes.of(dot.getD(), 0) != ofRows || classes.of(dot.getD(), 1) != ofColumns)
        return false;
    Growth rows = growth(neighbours, ofRows), columns = growth(neighbours, ofColumns);
    std::optional<Group> group = choose(rows, columns, dots, costs);
    if (!group)
      return false;
    remarkAt(function) << "coarsening: " << group->rows.count << " x " << group->columns.count
                       << " neighbouring programs are computed as one";
    Rewriter(tasks, classes, neighbours, *group).run();
    return true;
  }

  // A side without length cannot grow.
  static Growth growth(Neighbours& neighbours, unsigned cls) {
    Growth found;
    auto axis = neighbours.axis(cls);
    auto distance = axis ? neighbours.distance(*axis) : std::nullopt;
    if (distance)
      found = {*axis, *distance, 1};
    return found;
  }

  Option<std::string> chip{*this, "chip", llvm::cl::desc("chip file"), llvm::cl::init("ascend910b1")};
};

} // namespace

std::unique_ptr<Pass> createCoarsenPass(std::string chip) {
  return std::make_unique<CoarsenPass>(std::move(chip));
}
void registerCoarsenPass() { PassRegistration<CoarsenPass>(); }

} // namespace dlsim::codegen
