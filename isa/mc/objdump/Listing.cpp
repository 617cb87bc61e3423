#include "isa/mc/objdump/Listing.h"
#include "isa/mc/Assembler.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlsim::mc {

namespace {

class Printer {
public:
  Printer(raw_ostream& os, const ListingInput& input, const ListingOptions& options)
      : os_(os), input_(input), options_(options), labels_(input.labels) {}

  void print() {
    addBranchLabels();
    printSummary();
    os_ << "\t.section\t" << input_.section << ",\"ax\",@progbits\n";
    for (size_t at = 0; at < input_.words.size();)
      at += printBundle(at);
  }

private:
  std::optional<size_t> branchTarget(size_t index) const {
    const auto decoded = isa::decode(input_.words[index]);
    if (!decoded || decoded->info->immKind != isa::ImmKind::Branch || input_.notes.count(index))
      return std::nullopt;
    const int64_t target = static_cast<int64_t>(index) + decoded->imm;
    if (target < 0 || static_cast<uint64_t>(target) >= input_.words.size())
      return std::nullopt;
    return static_cast<size_t>(target);
  }

  void addBranchLabels() {
    for (size_t i = 0; i < input_.words.size(); ++i)
      if (const auto target = branchTarget(i))
        labels_.try_emplace(*target, ".L" + std::to_string(*target));
  }

  void printSummary() {
    size_t bundles = 0, full = 0;
    for (size_t at = 0; at < input_.words.size(); ++bundles) {
      const auto bundle = disassembler_.next(ArrayRef(input_.words).drop_front(at));
      full += bundle.words > 1;
      at += bundle.words;
    }
    os_ << formatv("// {0}: {1} words in {2} bundles, {3} of them of more than one word\n", input_.section,
                   input_.words.size(), bundles, full);
  }

  size_t printBundle(size_t at) {
    if (const auto label = labels_.find(at); label != labels_.end())
      os_ << label->second << ":\n";
    printSource(at);
    const auto bundle = disassembler_.next(ArrayRef(input_.words).drop_front(at), input_.address + at * 8);
    if (!bundle.valid) {
      printLine("\t", formatv(".quad\t{0:x16}", input_.words[at]).str(), at, "no instruction");
      return 1;
    }
    const bool braces = bundle.words > 1;
    for (size_t i = 0; i < bundle.words; ++i)
      printLine(!braces  ? "\t"
                : i == 0 ? "\t{ "
                         : "\t  ",
                wordText(at + i, bundle.texts[i]) + (braces && i + 1 == bundle.words ? " }" : ""), at + i,
                fieldText(at + i));
    return bundle.words;
  }

  // A new line of source, once for the words that share it.
  void printSource(size_t at) {
    const std::string source = input_.source ? input_.source(at) : "";
    if (source != lastSource_ && !source.empty())
      os_ << "// " << source << '\n';
    lastSource_ = source;
  }

  std::string wordText(size_t index, std::string text) const {
    if (const auto target = branchTarget(index))
      if (const auto label = labels_.find(*target); label != labels_.end())
        text = text.substr(0, text.find_last_of(" \t") + 1) + label->second;
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
  }

  // "dtype=f16, bypass=1": the fields of the immediate that say more than the number.
  std::string fieldText(size_t index) const {
    const auto decoded = isa::decode(input_.words[index]);
    if (!options_.fields || !decoded || decoded->info->immKind != isa::ImmKind::U24)
      return {};
    std::string text;
    for (const isa::Field& field : decoded->info->immFields) {
      const uint64_t value = static_cast<uint64_t>(decoded->imm) >> field.low & isa::lowBits(field.width);
      const bool dtype = field.name == "dtype" || field.name == "from" || field.name == "to";
      if (field.width >= 24 || (value == 0 && !dtype))
        continue;
      text += (text.empty() ? "" : ", ") + std::string(field.name) + "=" +
              (dtype && value < isa::kNumDTypes ? std::string(isa::dtypeName(static_cast<isa::DType>(value)))
                                                : std::to_string(value));
    }
    return text;
  }

  void printLine(StringRef lead, const std::string& text, size_t index, const std::string& comment) {
    std::string tail;
    if (options_.addresses)
      tail += formatv("{0:x8}", input_.address + index * isa::kWordBytes).str();
    if (options_.rawWords)
      tail += (tail.empty() ? "" : "  ") + formatv("{0:x16}", input_.words[index]).str();
    if (!comment.empty())
      tail += (tail.empty() ? "" : "  ") + comment;
    if (const auto note = input_.notes.find(index); note != input_.notes.end())
      tail += (tail.empty() ? "" : "  ") + note->second;
    const std::string line = lead.str() + text;
    os_ << line;
    if (!tail.empty())
      os_.indent(line.size() < 52 ? static_cast<unsigned>(52 - line.size()) : 1) << "// " << tail;
    os_ << '\n';
  }

  raw_ostream& os_;
  const ListingInput& input_;
  const ListingOptions& options_;
  std::map<size_t, std::string> labels_;
  std::string lastSource_;
  Disassembler disassembler_;
};

} // namespace

void printListing(raw_ostream& os, const ListingInput& input, const ListingOptions& options) {
  Printer(os, input, options).print();
}

} // namespace dlsim::mc
