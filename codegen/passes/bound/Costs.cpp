#include "codegen/passes/bound/Costs.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr double repeatBytes = 256, mostRepeats = 255;

double quotient(double a, double b) { return b > 0 ? a / b : 0; }

MemRefType typeOf(Value buffer) { return llvm::cast<MemRefType>(buffer.getType()); }
double bytesOf(Type element) { return std::max(1.0, element.getIntOrFloatBitWidth() / 8.0); }

// What the launch decides counts as `most`.
double sizeOf(Value size, int64_t most) { return double(getConstantIntValue(size).value_or(most)); }

int64_t rowsOf(MemRefType type) { return type.getRank() == 2 ? type.getDimSize(0) : 1; }

template <class Op> double rectangleBytes(Op op, Value buffer) {
  MemRefType type = typeOf(buffer);
  return sizeOf(op.getRows(), rowsOf(type)) * sizeOf(op.getCols(), type.getShape().back()) *
         bytesOf(type.getElementType());
}

template <class Op> double loadBytes(Op op) {
  MemRefType type = typeOf(op.getDst());
  return double(type.getNumElements()) * bytesOf(type.getElementType());
}

llvm::StringRef cubeType(npu::MmadOp op) {
  Type element = typeOf(op.getA()).getElementType();
  if (element.isF32())
    return op.getHf32() ? "hf32" : "f32";
  return element.isInteger(8) ? "i8" : element.isBF16() ? "bf16" : "f16";
}

} // namespace

Times& Times::operator+=(const Times& other) {
  for (unsigned unit = 0; unit < unitCount; ++unit)
    cycles[unit] += other.cycles[unit];
  bytes += other.bytes;
  return *this;
}

Times Times::operator*(double turns) const {
  Times product = *this;
  for (double& unit : product.cycles)
    unit *= turns;
  product.bytes *= turns;
  return product;
}

Times Times::longest(const Times& a, const Times& b) {
  Times result;
  for (unsigned unit = 0; unit < unitCount; ++unit)
    result.cycles[unit] = std::max(a.cycles[unit], b.cycles[unit]);
  result.bytes = std::max(a.bytes, b.bytes);
  return result;
}

Costs::Costs(const ChipFile& chip, llvm::StringRef kind) : chip(chip) {
  cores = std::max(1.0, number("chip.clusters") * number(("core." + kind + ".per_cluster").str()));
}

double Costs::memoryCycles(double bytes) const {
  double all = number("hbm.stacks") * number("hbm.channels_per_stack") * number("hbm.channel_bytes") *
               number("hbm.efficiency");
  return quotient(bytes, all / cores);
}

double Costs::copyIn(Operation* op, double bytes) const {
  double share = number("l2.slices") * number("noc.slice_read_bytes") / cores;
  double path = number(isa<npu::Nd2NzOp>(op) ? "dma.nd2nz_bytes_per_cycle"
                       : npu::spaceOf(typeOf(op->getOperand(0))) == npu::Space::L1
                           ? "core.aic.path.gm_l1.bytes_per_cycle"
                           : "core.aiv.path.gm_ub.bytes_per_cycle");
  return std::max(quotient(bytes, share), quotient(bytes, path));
}

double Costs::product(npu::MmadOp op) const {
  MemRefType c = typeOf(op.getC());
  auto steps = [&](llvm::StringRef dimension, Value size, int64_t most) {
    double step = number(("cube.type." + cubeType(op) + "." + dimension).str());
    return std::ceil(quotient(sizeOf(size, most), step));
  };
  int64_t depth = typeOf(op.getA()).getNumElements() / std::max<int64_t>(rowsOf(c), 1);
  return steps("m", op.getM(), rowsOf(c)) * steps("n", op.getN(), c.getShape().back()) *
         steps("k", op.getK(), depth);
}

double Costs::vectorCommand(llvm::StringRef name, MemRefType tile) const {
  double size = bytesOf(tile.getElementType());
  auto value = [&](llvm::StringRef what) {
    auto known = chip.number(("vector.op." + name + "." + what).str());
    return known ? *known : number(("vector.op.default." + what).str());
  };
  double repeats = std::ceil(double(npu::ubElements(tile)) * size / repeatBytes);
  return std::ceil(repeats / mostRepeats) * value("startup_cycles") +
         repeats * value(size > 2 ? "cycles32" : "cycles16");
}

double Costs::vector(Operation* op) const {
  auto tile = [&] { return typeOf(op->getOperand(0)); };
  return llvm::TypeSwitch<Operation*, double>(op)
      .Case<npu::VBinaryOp, npu::VScalarOp, npu::VUnaryOp>(
          [&](auto typed) { return vectorCommand(stringifyEnum(typed.getKind()), tile()); })
      .Case([&](npu::VColumnOp typed) { return vectorCommand(stringifyEnum(typed.getKind()), tile()); })
      .Case([&](npu::VCastOp typed) { // the wider of the two counts
        MemRefType from = typeOf(typed.getSrc()), to = tile();
        return vectorCommand("cast", npu::elementBits(from) > npu::elementBits(to) ? from : to);
      })
      .Case<npu::VCmpOp, npu::VCmpsOp>([&](auto) { return vectorCommand("cmp", typeOf(op->getOperand(1))); })
      .Case<npu::VSelOp, npu::VSelsOp>([&](auto) { return vectorCommand("sel", tile()); })
      .Case([&](npu::VReduceOp typed) {
        MemRefType from = typeOf(typed.getSrc());
        std::string along =
            (from.getElementType().isF32() ? "cg" : "c") + stringifyEnum(typed.getKind()).str();
        return vectorCommand(typed.getAxis() == 0 ? "add" : llvm::StringRef(along), from);
      })
      .Case([&](npu::VGatherOp typed) { return vectorCommand("gather", typeOf(typed.getOffsets())); })
      .Case([&](npu::VMoveOp) { return vectorCommand("copy", typeOf(op->getOperand(1))); })
      .Case([&](npu::VTransOp) { return vectorCommand("trans", tile()); })
      .Default([&](Operation*) { return vectorCommand("dup", tile()); });
}

Times Costs::of(npu::NpuCommand command) const {
  Operation* op = command;
  Times times;
  double& cycles = times.cycles[unsigned(command.unit())];
  llvm::TypeSwitch<Operation*>(op)
      .Case<npu::CopyInOp, npu::Nd2NzOp>([&](auto copy) {
        times.bytes = rectangleBytes(copy, copy.getDst());
        cycles = copyIn(op, times.bytes);
      })
      .Case([&](npu::CopyOutOp copy) {
        times.bytes = rectangleBytes(copy, copy.getSrc());
        cycles = quotient(times.bytes, number("core.aiv.path.ub_gm.bytes_per_cycle"));
      })
      .Case([&](npu::FixpipeOp store) {
        MemRefType c = typeOf(store.getSrc());
        times.bytes = sizeOf(store.getRows(), rowsOf(c)) * sizeOf(store.getCols(), c.getShape().back()) *
                      bytesOf(store.getElement());
        cycles = number("fix.startup_cycles") +
                 quotient(times.bytes, number("core.aic.path.l0c_gm.bytes_per_cycle"));
      })
      .Case([&](npu::LoadL0AOp load) {
        cycles = number("mte1.chained_cycles") +
                 quotient(loadBytes(load), number("core.aic.path.l1_l0a.bytes_per_cycle"));
      })
      .Case([&](npu::LoadL0BOp load) {
        cycles = number("mte1.chained_cycles") +
                 quotient(loadBytes(load), number("core.aic.path.l1_l0b.bytes_per_cycle"));
      })
      .Case([&](npu::MmadOp mmad) { cycles = product(mmad); })
      .Default([&](Operation*) {
        if (command.unit() == npu::Unit::V)
          cycles = vector(op);
      });
  return times;
}

} // namespace dlsim::codegen
