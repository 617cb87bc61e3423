// Refuses IR that a DLNPU has no code for, with its source line. Selection of such IR would stop the compiler
// or call library functions that do not exist.
#include "DLNPUCheckIR.h"
#include "CommandTable.h"
#include "DLNPU.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace {

// Empty if values of the type have code.
std::string typeProblem(Type* type) {
  Type* scalar = type->getScalarType();
  if (scalar->isDoubleTy() || scalar->isX86_FP80Ty() || scalar->isFP128Ty() || scalar->isPPC_FP128Ty())
    return "double-precision floating point does not exist on this core; use float";
  if (isa<ScalableVectorType>(type))
    return "scalable vectors do not exist on this core";
  if (scalar->isIntegerTy() && scalar->getIntegerBitWidth() > 128)
    return "integers of more than 128 bits are not supported";
  return "";
}

std::string intrinsicProblem(const IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::tan:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::fma:
  case Intrinsic::ldexp:
  case Intrinsic::frexp:
  case Intrinsic::lrint:
  case Intrinsic::llrint:
  case Intrinsic::lround:
  case Intrinsic::llround:
  case Intrinsic::sinh:
  case Intrinsic::cosh:
  case Intrinsic::tanh:
  case Intrinsic::asin:
  case Intrinsic::acos:
  case Intrinsic::atan:
    return "the scalar unit has no '" + Intrinsic::getBaseName(call.getIntrinsicID()).str() +
           "'; use a vector command on the unified buffer";
  case Intrinsic::vastart:
    return "functions with a variable number of arguments are not supported";
  case Intrinsic::init_trampoline:
  case Intrinsic::adjust_trampoline:
    return "nested functions are not supported";
  default:
    return "";
  }
}

std::string callProblem(const CallBase& call) {
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call))
    return intrinsicProblem(*intrinsic);
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || DLNPU::commandMnemonic(callee->getName()))
    return "";
  return "function '" + callee->getName().str() + "' is not defined, and a kernel is linked with no library";
}

std::string spaceProblem(unsigned space) {
  if (space == DLNPUAS::GM || space == DLNPUAS::UB)
    return "";
  return "address space " + std::to_string(space) +
         " cannot be loaded or stored by the scalar unit: only global memory (0) and the unified buffer (6) "
         "can";
}

std::string problemOf(const Instruction& inst, bool hasUB) {
  if (isa<AtomicRMWInst>(inst) || isa<AtomicCmpXchgInst>(inst) || isa<FenceInst>(inst) || inst.isAtomic())
    return "scalar atomics and fences do not exist; use flags, or atomic transfers (mte3, fixpipe)";
  if (isa<InvokeInst>(inst) || isa<LandingPadInst>(inst) || isa<CallBrInst>(inst) || isa<VAArgInst>(inst))
    return std::string("'") + inst.getOpcodeName() + "' is not supported";
  if (isa<AddrSpaceCastInst>(inst))
    return "pointers of different address spaces are different memories; they cannot be converted";
  if (inst.getOpcode() == Instruction::FRem)
    return "the scalar unit has no floating-point remainder";
  const Value* pointer = getLoadStorePointerOperand(&inst);
  if (pointer) {
    unsigned space = pointer->getType()->getPointerAddressSpace();
    if (std::string problem = spaceProblem(space); !problem.empty())
      return problem;
    if (space == DLNPUAS::UB && !hasUB)
      return "a cube core (aic) has no unified buffer";
  }
  if (std::string problem = typeProblem(inst.getType()); !problem.empty())
    return problem;
  for (const Use& use : inst.operands())
    if (std::string problem = typeProblem(use->getType()); !problem.empty())
      return problem;
  if (auto* call = dyn_cast<CallBase>(&inst))
    return callProblem(*call);
  return "";
}

class DLNPUCheckIR : public FunctionPass {
public:
  static char ID;
  DLNPUCheckIR() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "DLNPU IR check"; }
  bool runOnFunction(Function& function) override {
    checkDLNPUFunction(function, true);
    return false;
  }
};
char DLNPUCheckIR::ID;

} // namespace

bool llvm::checkDLNPUFunction(const Function& function, bool hasUB) {
  bool good = true;
  auto report = [&](const Twine& problem, const DebugLoc& loc) {
    function.getContext().diagnose(DiagnosticInfoUnsupported(function, problem, loc));
    good = false;
  };
  if (function.isVarArg())
    report("functions with a variable number of arguments are not supported", DebugLoc());
  if (isDLNPUKernel(function) && (!function.arg_empty() || !function.getReturnType()->isVoidTy()))
    report("a kernel entry takes no arguments and returns nothing; it reads them from the argument block",
           DebugLoc());
  for (const Instruction& inst : instructions(function))
    if (std::string problem = problemOf(inst, hasUB); !problem.empty())
      report(problem, inst.getDebugLoc());
  return good;
}

FunctionPass* llvm::createDLNPUCheckIRPass() { return new DLNPUCheckIR(); }
