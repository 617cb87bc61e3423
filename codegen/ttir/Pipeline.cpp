#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/ttir/Ttir.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlsim::ttir {
void buildTtirPipeline(OpPassManager& passes) {
  passes.addPass(createScaledDotPass());
  passes.addPass(createFloat8Pass());
  passes.addPass(createPreparePass());
  passes.addPass(createInlinerPass());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
}
} // namespace dlsim::ttir
