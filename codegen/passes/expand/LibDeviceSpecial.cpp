// Special functions of single precision. Polynomials were fitted for least relative error (4 to 10 units in
// the last place, evaluation included).
#include "codegen/passes/expand/LibDevice.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

using F = arith::CmpFPredicate;

Expr less(Expr a, double b) { return compare(F::OLT, a, a.constant(b)); }
Expr exponential(Expr x) { return x.apply<math::ExpOp>(); }
Expr logarithm(Expr x) { return x.apply<math::LogOp>(); }
Expr root(Expr x) { return x.apply<math::SqrtOp>(); }
Expr negative(Expr x) { return x.constant(0) - x; }

template <Expr (*function)(Expr)> Value unary(OpBuilder& b, Location loc, ValueRange operands) {
  return function({&b, loc, operands[0]}).value;
}

// erfinv(x) / x where (1 - x) * (1 + x) = exp(-w)
Expr inverseErrorRatio(Expr w) {
  constexpr double near[] = {2.853478959e-08,  3.437270592e-07, -3.528859544e-06,
                             -4.396781258e-06, 2.186021939e-04, -1.253707515e-03,
                             -4.177707747e-03, 2.466407261e-01, 1.501409422e+00};
  constexpr double middle[] = {-1.553604091e-04, 7.939435924e-04, -1.530843904e-03, 1.999279947e-03,
                               -3.066102577e-03, 4.663962974e-03, 1.005931985e+00,  3.152301242e+00};
  constexpr double far[] = {-9.061405351e-08, 4.588805635e-07,  -1.349024290e-06, 5.413849092e-06,
                            5.573252551e-06,  -5.117898720e-04, 1.008596131e+00,  6.869019477e+00};
  Expr s = root(w);
  Expr outer = select(less(s, 4.4), polynomial(s - 3.318033988749895, middle), polynomial(s - 7, far));
  return select(less(w, 5), polynomial(w - 2.5, near), outer);
}
Expr inverseError(Expr x) {
  Expr one = x.constant(1), w = negative(logarithm((one - x) * (one + x)));
  Expr ends = compare(F::OEQ, absolute(x), one);
  return select(ends, x * INFINITY, inverseErrorRatio(w) * x);
}
Expr inverseErrorComplement(Expr x) {
  Expr zero = x.constant(0), two = x.constant(2), w = negative(logarithm(x) + logarithm(two - x));
  Expr value = inverseErrorRatio(w) * (x.constant(1) - x);
  value = select(compare(F::OEQ, x, zero), x.constant(INFINITY), value);
  return select(compare(F::OEQ, x, two), x.constant(-INFINITY), value);
}
Expr inverseNormal(Expr x) { return inverseErrorComplement(x * 2) * -1.41421356237309504880; }

// exp(x^2) * erfc(x) for x >= 0
Expr scaledComplement(Expr x) {
  constexpr double p[] = {1.123839258e-04,  -2.480103782e-04, -7.037259209e-04, 5.081103094e-03,
                          -1.623638383e-02, 3.714161750e-02,  -6.631599648e-02, 9.373970331e-02,
                          -1.010416375e-01, 6.809626368e-02,  1.537982628e-02,  -1.396210908e-01,
                          1.232995117e+00};
  return polynomial((x - 4) / (x + 4), p) / (x * 2 + 1);
}
// exp(-x^2), with what the square is rounded by
Expr gaussian(Expr x) {
  Expr square = x * x;
  Expr rest = x.with(x.builder->create<math::FmaOp>(x.loc, x.value, x.value, negative(square).value));
  return exponential(negative(square)) * (x.constant(1) - rest);
}
Expr errorComplement(Expr x) {
  Expr size = smallest(absolute(x), x.constant(12)); // 0 in f32 from there on
  Expr tail = gaussian(size) * scaledComplement(size);
  Expr value = select(less(x, 0), x.constant(2) - tail, tail);
  return select(compare(F::UNO, x, x), x, value);
}
Expr scaledErrorComplement(Expr x) {
  Expr size = absolute(x), near = smallest(size, x.constant(1e30)), value = scaledComplement(near);
  return select(less(x, 0), exponential(size * size) * 2 - value, value);
}

// log(gamma(x)) for x > 0
Expr logGammaOfPositive(Expr x) {
  constexpr double p[] = {7.816992246e-05, -1.589719567e-04, 1.306502542e-04, -3.189773844e-04,
                          9.442770688e-04, -2.148719530e-03, 4.991569763e-03, -1.237663793e-02,
                          3.296562427e-02, -1.003176903e-01, 4.227843263e-01};
  Expr one = x.constant(1), isSmall = less(x, 1), near = select(isSmall, x + 1, x);
  Expr inner = polynomial(near - 2, p) * (near - 1) * (near - 2);
  inner = select(isSmall, inner - logarithm(x), inner);
  Expr inverse = one / x, square = inverse * inverse; // Stirling's series
  Expr series = ((square * (1.0 / 1260) - 1.0 / 360) * square + 1.0 / 12) * inverse;
  Expr outer = (x - 0.5) * (logarithm(x) - 1) + 0.41893853320467274178 + series;
  return select(less(x, 3), inner, outer);
}
Expr logGamma(Expr x) {
  Expr size = absolute(x), value = logGammaOfPositive(size);
  Expr turn = x - x.apply<math::FloorOp>(); // sin(pi x) has one sign in (0, 1)
  Expr sine = (smallest(turn, x.constant(1) - turn) * 3.14159265358979323846).apply<math::SinOp>();
  Expr reflected = logarithm(x.constant(3.14159265358979323846) / (size * sine)) - value;
  Expr infinite = compare(F::OEQ, size, x.constant(INFINITY));
  return select(infinite, size, select(compare(F::OGT, x, x.constant(0)), value, reflected));
}

// exp(-|x|) * I(x) by |x| up to 8 and by 1/|x| beyond, where it falls as the root of 1/|x|.
Expr bessel(Expr near, Expr far, Expr size) {
  Expr factor = exponential(size);
  return factor * select(less(size, 8), near, far / root(largest(size, size.constant(8))));
}
Expr besselI0(Expr x) {
  constexpr double p[] = {2.894044992e-11, -2.618685314e-10, 3.766000010e-10, -4.176447644e-10,
                          3.181223468e-08, -2.176604577e-07, 8.577060103e-07, -3.895271187e-06,
                          1.932411001e-05, -8.411432761e-05, 3.413891585e-04, -1.389682236e-03,
                          5.906954182e-03, -2.825173814e-02, 2.070019707e-01};
  constexpr double q[] = {1.827748641e+00, 3.797523529e-01, 9.670755333e-02, 4.551811992e-02,
                          3.487172431e-02, 5.376892367e-02, 4.021765363e-01};
  Expr size = absolute(x);
  return bessel(polynomial(size - 4, p), polynomial(x.constant(1) / size - 0.0625, q), size);
}
Expr besselI1(Expr x) {
  constexpr double p[] = {4.394676571e-12, -4.918737123e-11, 1.728407864e-10, -6.766195336e-10,
                          8.645151902e-09, -6.680442986e-08, 3.698460152e-07, -2.011674288e-06,
                          1.085270487e-05, -5.410923013e-05, 2.492391468e-04, -1.069891779e-03,
                          4.253459285e-03, -1.528113169e-02, 4.468773049e-02};
  constexpr double q[] = {-2.076167063e+00, -4.409161446e-01, -1.195436756e-01, -6.145925251e-02,
                          -5.612496558e-02, -1.559933554e-01, 3.893983811e-01};
  Expr size = absolute(x);
  Expr value = bessel(polynomial(size - 4, p) * size, polynomial(x.constant(1) / size - 0.0625, q), size);
  return select(less(x, 0), negative(value), value);
}

} // namespace

MakeFunction specialFunction(llvm::StringRef name) {
  static const llvm::StringMap<MakeFunction> functions{
      {"erfinv", unary<inverseError>},         {"erfcinv", unary<inverseErrorComplement>},
      {"normcdfinv", unary<inverseNormal>},    {"erfc", unary<errorComplement>},
      {"erfcx", unary<scaledErrorComplement>}, {"lgamma", unary<logGamma>},
      {"cyl_bessel_i0", unary<besselI0>},      {"cyl_bessel_i1", unary<besselI1>}};
  return functions.lookup(name);
}

} // namespace dlsim::codegen
