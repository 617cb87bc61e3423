#include "isa/dlk/validate.h"
#include "isa/tables/hex.h"
#include <algorithm>

namespace dlsim::dlk {

namespace {

class TextValidator {
public:
  TextValidator(const std::string& file, const std::string& section, const Text& text, isa::CoreKind core)
      : file_(file), section_(section), text_(text), core_(core), starts_(text.words.size(), false) {}

  void run() {
    if (text_.words.empty())
      throw FormatError(file_, section_, "empty", "a kernel has at least one instruction");
    for (size_t index = 0; index < text_.words.size();)
      index = bundle(index);
    if (text_.entry >= starts_.size() || !starts_[text_.entry])
      throw FormatError(file_, "entry of " + section_, "word " + std::to_string(text_.entry),
                        "it must be the start of a bundle among " + std::to_string(starts_.size()) +
                            " words");
    for (const auto& [from, to] : branches_)
      if (to < 0 || static_cast<uint64_t>(to) >= starts_.size() || !starts_[static_cast<size_t>(to)])
        fail(from, "a branch to word " + std::to_string(to),
             "a target must be the start of a bundle of this section");
  }

private:
  [[noreturn]] void fail(size_t index, const std::string& value, const std::string& fix) const {
    throw FormatError(file_, section_ + " word " + std::to_string(index), value, fix);
  }

  // Checks the bundle at index and gives the index after it.
  size_t bundle(size_t first) {
    starts_[first] = true;
    uint8_t masks[isa::kNumSlots];
    for (size_t count = 0;; ++count) {
      const size_t index = first + count;
      if (index >= text_.words.size())
        fail(first, "a bundle without a last word", "the section is cut off");
      if (count == isa::kNumSlots)
        fail(first, "a bundle of more than 8 words", "a bundle holds at most one word per slot");
      const isa::Decoded decoded = word(index);
      masks[count] = decoded.info->slots;
      if (decoded.last) {
        checkSlots(first, masks, count + 1);
        return index + 1;
      }
    }
  }

  isa::Decoded word(size_t index) {
    const auto decoded = isa::decode(text_.words[index]);
    if (!decoded)
      fail(index, isa::hex(text_.words[index], 16) + ", no instruction",
           "compile with the tools of this release");
    if (decoded->info->core != isa::CoreKind::Any && decoded->info->core != core_)
      fail(index, "'" + std::string(decoded->info->mnemonic) + "'",
           core_ == isa::CoreKind::AIC ? "a cube core has no such unit" : "a vector core has no such unit");
    if (decoded->info->immKind == isa::ImmKind::Branch)
      branches_.emplace_back(index, static_cast<int64_t>(index) + decoded->imm);
    return *decoded;
  }

  // Only the two scalar slots give a choice: a word that can take either takes what the others leave.
  void checkSlots(size_t first, const uint8_t* masks, size_t count) const {
    unsigned users[isa::kNumSlots] = {}, either = 0;
    for (size_t i = 0; i < count; ++i) {
      if (masks[i] == (isa::kSlotS0 | isa::kSlotS1))
        ++either;
      else
        for (unsigned slot = 0; slot < isa::kNumSlots; ++slot)
          users[slot] += masks[i] >> slot & 1;
    }
    for (unsigned slot = 0; slot < isa::kNumSlots; ++slot)
      if (users[slot] > 1)
        fail(first, "a bundle with two words in slot " + std::string(isa::slotName(slot)),
             "words of one slot issue in different bundles");
    if (users[0] + users[1] + either > 2)
      fail(first, "a bundle with more than two scalar words", "only S0 and S1 take scalar words");
  }

  const std::string& file_;
  const std::string& section_;
  const Text& text_;
  isa::CoreKind core_;
  std::vector<bool> starts_;
  std::vector<std::pair<size_t, int64_t>> branches_;
};

} // namespace

std::vector<uint64_t> toWords(const std::string& file, const std::string& section,
                              const std::vector<uint8_t>& bytes) {
  if (bytes.size() % isa::kWordBytes != 0)
    throw FormatError(file, "size of " + section, std::to_string(bytes.size()) + " bytes",
                      "it must be a multiple of the 8 bytes of a word");
  std::vector<uint64_t> words(bytes.size() / isa::kWordBytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    words[i / 8] |= uint64_t{bytes[i]} << 8 * (i % 8);
  return words;
}

void validateText(const std::string& file, const std::string& section, const Text& text, isa::CoreKind core) {
  TextValidator(file, section, text, core).run();
}

} // namespace dlsim::dlk
