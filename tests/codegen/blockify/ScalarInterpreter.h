// Runs the scalar code that a pass emitted: arith on integers, scf, the dl launch queries. Enough to check a
// task order over whole grids without a back end.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <functional>
#include <stdexcept>

namespace dlsim::test {
class ScalarInterpreter {
public:
  int64_t core = 0, cores = 1;
  std::array<int64_t, 3> grid{1, 1, 1};
  // Called for operations that the interpreter does not know, with their operands.
  std::function<void(mlir::Operation*, llvm::ArrayRef<int64_t>)> other;

  std::vector<int64_t> runBlock(mlir::Block& block, llvm::ArrayRef<int64_t> args) {
    for (auto [arg, value] : llvm::zip(block.getArguments(), args))
      values[arg] = value;
    for (mlir::Operation& op : block) {
      if (op.hasTrait<mlir::OpTrait::IsTerminator>())
        return operands(&op);
      run(&op);
    }
    return {};
  }
  int64_t get(mlir::Value value) const {
    auto known = values.find(value);
    if (known == values.end())
      throw std::runtime_error("value without a number");
    return known->second;
  }

private:
  std::vector<int64_t> operands(mlir::Operation* op) {
    std::vector<int64_t> result;
    for (mlir::Value value : op->getOperands())
      result.push_back(get(value));
    return result;
  }
  static int64_t wrap(int64_t value, mlir::Type type) {
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return bits == 64  ? value
           : bits == 1 ? value & 1
                       : int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
  }
  static int64_t nonZero(int64_t value) {
    if (value == 0)
      throw std::runtime_error("division by zero");
    return value;
  }
  void results(mlir::Operation* op, llvm::ArrayRef<int64_t> numbers) {
    for (auto [result, value] : llvm::zip(op->getResults(), numbers))
      values[result] = wrap(value, result.getType());
  }
  void run(mlir::Operation* op) {
    using namespace mlir;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop);
    if (auto choice = dyn_cast<scf::IfOp>(op)) {
      Region& region = get(choice.getCondition()) ? choice.getThenRegion() : choice.getElseRegion();
      return results(op, region.empty() ? std::vector<int64_t>() : runBlock(region.front(), {}));
    }
    auto in = operands(op);
    std::optional<int64_t> out =
        llvm::TypeSwitch<Operation*, std::optional<int64_t>>(op)
            .Case([&](arith::ConstantOp c) {
              return cast<IntegerAttr>(c.getValue()).getValue().getSExtValue();
            })
            .Case([&](arith::AddIOp) { return in[0] + in[1]; })
            .Case([&](arith::SubIOp) { return in[0] - in[1]; })
            .Case([&](arith::MulIOp) { return in[0] * in[1]; })
            .Case([&](arith::DivUIOp) { return int64_t(uint64_t(in[0]) / uint64_t(nonZero(in[1]))); })
            .Case([&](arith::RemUIOp) { return int64_t(uint64_t(in[0]) % uint64_t(nonZero(in[1]))); })
            .Case([&](arith::DivSIOp) { return in[0] / nonZero(in[1]); })
            .Case([&](arith::RemSIOp) { return in[0] % nonZero(in[1]); })
            .Case([&](arith::MinSIOp) { return std::min(in[0], in[1]); })
            .Case([&](arith::MaxSIOp) { return std::max(in[0], in[1]); })
            .Case([&](arith::AndIOp) { return in[0] & in[1]; })
            .Case([&](arith::ShRSIOp) { return in[0] >> in[1]; })
            .Case([&](arith::SelectOp) { return in[0] ? in[1] : in[2]; })
            .Case<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp>([&](Operation*) { return in[0]; })
            .Case([&](arith::CmpIOp c) {
              unsigned bits = c.getLhs().getType().getIntOrFloatBitWidth();
              return int64_t(arith::applyCmpPredicate(c.getPredicate(), APInt(bits, in[0], true),
                                                      APInt(bits, in[1], true)));
            })
            .Case([&](dl::CoreIdOp) { return core; })
            .Case([&](dl::CoreCountOp) { return cores; })
            .Case([&](dl::GridSizeOp size) { return grid[size.getDim()]; })
            .Default([](Operation*) { return std::nullopt; });
    if (out)
      return results(op, {*out});
    if (!other)
      throw std::runtime_error("cannot run " + op->getName().getStringRef().str());
    other(op, in);
  }
  void runFor(mlir::scf::ForOp loop) {
    std::vector<int64_t> carried;
    for (mlir::Value init : loop.getInitArgs())
      carried.push_back(get(init));
    int64_t upper = get(loop.getUpperBound()), step = get(loop.getStep());
    for (int64_t i = get(loop.getLowerBound()); i < upper; i += step) {
      std::vector<int64_t> args{i};
      args.insert(args.end(), carried.begin(), carried.end());
      carried = runBlock(*loop.getBody(), args);
    }
    results(loop, carried);
  }
  void runWhile(mlir::scf::WhileOp loop) {
    std::vector<int64_t> args = operands(loop);
    for (int turns = 0;; ++turns) {
      if (turns > 10000)
        throw std::runtime_error("loop does not end");
      std::vector<int64_t> condition = runBlock(loop.getBefore().front(), args);
      std::vector<int64_t> passed(condition.begin() + 1, condition.end());
      if (!condition[0])
        return results(loop, passed);
      args = runBlock(loop.getAfter().front(), passed);
    }
  }
  llvm::DenseMap<mlir::Value, int64_t> values;
};
} // namespace dlsim::test
