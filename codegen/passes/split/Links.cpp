#include "codegen/passes/split/Links.h"

#include "codegen/support/NestCounter.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// The counter of places runs through the loops around `link`; there is none if something else is among them.
bool rotates(const Link& link) {
  Operation* parent = link.accesses.front()->getParentOp();
  if (!isa<scf::ForOp>(parent))
    return false;
  while (isa<scf::ForOp>(parent))
    parent = parent->getParentOp();
  return isa<func::FuncOp>(parent);
}

// One end of a channel is at one place after the other.
void rotate(const Link& link, Value counter) {
  for (Operation* access : link.accesses) {
    OpBuilder builder(access);
    auto store = dyn_cast<dl::StoreOp>(access);
    OpOperand& base = store ? store.getBaseMutable() : cast<dl::LoadOp>(access).getBaseMutable();
    base.set(builder.create<arith::AddIOp>(access->getLoc(), base.get(), counter));
  }
}

// Places count as arguments behind the kernel's own.
bool touches(Operation* access, const Link& link, func::FuncOp function) {
  auto argument = access->getAttrOfType<IntegerAttr>("arg");
  return argument && argument.getInt() == int64_t(function.getNumArguments()) + link.id();
}

// The token that says that the one place is free becomes one a place.
void multiplyTokens(func::FuncOp function, int64_t id, int64_t slots) {
  SmallVector<Operation*> tokens;
  for (Operation& op : function.getBody().front())
    if (auto set = dyn_cast<npu::CrossSetOp>(op); set && int64_t(set.getId()) == id)
      tokens.push_back(&op);
    else if (auto wait = dyn_cast<npu::CrossWaitOp>(op); wait && int64_t(wait.getId()) == id)
      tokens.push_back(&op);
  assert(tokens.size() == 1 && "the writer takes one token back, the reader gives one at first");
  OpBuilder builder(tokens.front());
  for (int64_t i = 1; i < slots; ++i)
    builder.clone(*tokens.front());
}

} // namespace

SmallVector<Link> findLinks(func::FuncOp function) {
  SmallVector<Link> links;
  function.walk([&](npu::CrossWaitOp wait) {
    Link link;
    link.wait = wait;
    for (Operation* op = wait->getNextNode(); op && !link.set; op = op->getNextNode())
      if (auto set = dyn_cast<npu::CrossSetOp>(op); set && set.getId() == wait.getId())
        link.set = set;
      else if (isa<dl::LoadOp, dl::StoreOp>(op) && touches(op, link, function))
        link.accesses.push_back(op);
    if (link.set && !link.accesses.empty())
      links.push_back(link);
  });
  return links;
}

unsigned addSlots(func::FuncOp cube, func::FuncOp vector, int64_t slots) {
  if (slots < 2)
    return 0;
  int64_t bytes = cube->getAttrOfType<IntegerAttr>("npu.workspace_bytes").getInt();
  llvm::SmallDenseMap<int64_t, int> rotating; // ends of a channel
  for (func::FuncOp side : {cube, vector})
    for (const Link& link : findLinks(side))
      rotating[link.id()] += rotates(link);
  unsigned count = 0;
  for (func::FuncOp side : {cube, vector}) {
    IRRewriter rewriter(side.getContext());
    llvm::MapVector<Block*, SmallVector<Link>> loops; // bodies: gone once a loop of the nest is replaced
    for (const Link& link : findLinks(side))
      if (rotating[link.id()] == 2)
        loops[link.accesses.front()->getBlock()].push_back(link);
    for (auto& [_, links] : loops) {
      Value counter = addNestCounter(rewriter, links.front().loop(), bytes, slots * bytes);
      for (const Link& link : links) {
        rotate(link, counter);
        multiplyTokens(side, link.id(), slots);
        count += side == cube;
      }
    }
  }
  if (count)
    for (func::FuncOp side : {cube, vector})
      side->setAttr("npu.workspace_bytes", OpBuilder(side).getI64IntegerAttr(slots * bytes));
  return count;
}

} // namespace dlsim::codegen
