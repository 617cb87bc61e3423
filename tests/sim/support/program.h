// Builds small kernels word by word for the simulator's tests.
#pragma once

#include "isa/dlk/kernel.h"
#include "isa/tables/tables.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace dlsim::test {

struct W {
  W(const std::string& mnemonic, std::vector<unsigned> regs = {}, int64_t imm = 0)
      : mnemonic(mnemonic), regs(std::move(regs)), imm(imm) {}
  // A branch to a label.
  static W to(const std::string& mnemonic, std::vector<unsigned> regs, const std::string& label) {
    W w(mnemonic, std::move(regs));
    w.label = label;
    return w;
  }
  std::string mnemonic;
  std::vector<unsigned> regs;
  int64_t imm;
  std::string label;
};

inline unsigned unitNumber(const std::string& name) { return static_cast<unsigned>(*isa::unitByName(name)); }
inline W setFlag(const std::string& unit, const std::string& peer, unsigned id) {
  return W("set_flag." + unit, {}, unitNumber(peer) << 4 | id);
}
inline W waitFlag(const std::string& unit, const std::string& peer, unsigned id) {
  return W("wait_flag." + unit, {}, unitNumber(peer) << 4 | id);
}

class Program {
public:
  // One bundle of one word.
  Program& op(const W& word) { return bundle({word}); }
  Program& op(const std::string& mnemonic, std::vector<unsigned> regs = {}, int64_t imm = 0) {
    return bundle({W(mnemonic, std::move(regs), imm)});
  }
  Program& bundle(std::initializer_list<W> words) {
    size_t left = words.size();
    for (const W& w : words)
      place(w, --left == 0);
    return *this;
  }
  Program& label(const std::string& name) {
    labels_[name] = words_.size();
    return *this;
  }
  // Any 64-bit constant: li and, if it is needed, lih.
  Program& li(unsigned reg, uint64_t value) {
    op("li", {reg}, static_cast<int32_t>(value));
    if (static_cast<int64_t>(value) != static_cast<int32_t>(value))
      op("lih", {reg}, static_cast<int64_t>(value >> 32));
    return *this;
  }
  Program& raw(uint64_t word) {
    words_.push_back(word);
    return *this;
  }
  Program& ex() { return op("exit"); }

  std::vector<uint64_t> words() const {
    std::vector<uint64_t> out = words_;
    for (const auto& [at, label] : fixups_) {
      isa::Decoded d = *isa::decode(out[at]);
      d.imm = static_cast<int64_t>(labels_.at(label)) - static_cast<int64_t>(at);
      out[at] = isa::encode(d);
    }
    return out;
  }
  size_t size() const { return words_.size(); }

private:
  void place(const W& w, bool last) {
    const isa::InstrInfo* info = isa::lookup(w.mnemonic);
    if (!info || info->numRegs != w.regs.size())
      throw std::runtime_error("test program: " + w.mnemonic + " with " + std::to_string(w.regs.size()) +
                               " registers");
    isa::Decoded d{info, {}, w.imm, last};
    for (size_t i = 0; i < w.regs.size(); ++i)
      d.r[i] = static_cast<uint8_t>(w.regs[i]);
    if (!w.label.empty())
      fixups_.emplace_back(words_.size(), w.label);
    words_.push_back(isa::encode(d));
  }

  std::vector<uint64_t> words_;
  std::map<std::string, size_t> labels_;
  std::vector<std::pair<size_t, std::string>> fixups_;
};

// A kernel of one kind with `args` scalar arguments.
inline dlk::Kernel kernelOf(const Program& program, dlk::KernelKind kind, unsigned args = 0) {
  dlk::Kernel kernel;
  kernel.name = "test";
  kernel.kind = kind;
  kernel.stackBytesPerCore = 4096;
  dlk::Text text;
  text.words = program.words();
  (kind == dlk::KernelKind::Aiv ? kernel.aiv : kernel.aic) = text;
  for (unsigned i = 0; i < args; ++i)
    kernel.args.push_back({"a" + std::to_string(i), dlk::Argument::Kind::Scalar, "i64", 8});
  return kernel;
}
inline dlk::Kernel mixOf(const Program& aic, const Program& aiv, unsigned args = 0) {
  dlk::Kernel kernel = kernelOf(aic, dlk::KernelKind::Mix, args);
  kernel.aiv = dlk::Text{};
  kernel.aiv->words = aiv.words();
  return kernel;
}

} // namespace dlsim::test
