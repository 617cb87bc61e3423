// A part of the tile that a dl.load or dl.store accesses, cut along one dimension.
#pragma once

#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace dlsim {

// Where the part begins that begins `first` lanes behind `base`, a pointer or an address in bytes; `stride`
// in elements.
inline mlir::Value baseOfPart(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value base,
                              mlir::Value first, mlir::Value stride, mlir::Type element) {
  using namespace mlir;
  Value elements = builder.create<arith::MulIOp>(loc, first, stride);
  if (isa<tt::PointerType>(base.getType()))
    return builder.create<tt::AddPtrOp>(loc, base.getType(), base, elements);
  Value size = builder.create<arith::ConstantIntOp>(loc, element.getIntOrFloatBitWidth() / 8, 64);
  return builder.create<arith::AddIOp>(loc, base, builder.create<arith::MulIOp>(loc, elements, size));
}

// A bound of the dimension, `whole` of `extent` lanes, counted from the part's lane `first` and clamped to
// its `size` lanes.
inline mlir::Value boundOfPart(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value whole,
                               int64_t extent, mlir::Value first, int64_t size) {
  using namespace mlir;
  auto constant = [&](int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); };
  auto known = getConstantIntValue(whole);
  if (known == 0 || known == extent)
    return constant(known == 0 ? 0 : size);
  Value here = builder.create<arith::SubIOp>(loc, whole, first);
  here = builder.create<arith::MaxSIOp>(loc, here, constant(0));
  return builder.create<arith::MinSIOp>(loc, here, constant(size));
}

} // namespace dlsim
