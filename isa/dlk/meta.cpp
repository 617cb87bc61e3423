#include "isa/dlk/meta.h"
#include <cmath>
#include <nlohmann/json.hpp>

namespace dlsim::dlk {

namespace {

using Json = nlohmann::json;

// Sanity bound of everything that is counted in bytes: no global memory is larger.
constexpr uint64_t kMaxBytes = 1ULL << 40;
constexpr unsigned kMaxSlots = 64;
// Of a value that a message prints: no tile is larger.
constexpr uint64_t kMaxElements = 1ULL << 24;
constexpr size_t kMaxRank = 8;
// The record is flat; printing a value in a message recurses.
constexpr int kMaxDepth = 64;

// A value of the record together with its path, for messages.
class Node {
public:
  Node(const std::string& file, const Json& json, std::string path)
      : file_(&file), json_(&json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& fix) const {
    std::string value = json_->dump(-1, ' ', true, Json::error_handler_t::replace);
    if (value.size() > 60)
      value = value.substr(0, 57) + "...";
    throw FormatError(*file_, path_, value, fix);
  }

  Node at(const char* key) const {
    if (!json_->is_object())
      fail("it must be an object");
    const auto found = json_->find(key);
    if (found == json_->end())
      throw FormatError(*file_, path_ + "." + key, "missing", "the compiler must write it");
    return Node(*file_, *found, path_ + "." + key);
  }
  std::optional<Node> optional(const char* key) const {
    if (!json_->is_object())
      fail("it must be an object");
    const auto found = json_->find(key);
    if (found == json_->end())
      return std::nullopt;
    return Node(*file_, *found, path_ + "." + key);
  }
  std::vector<Node> list() const {
    if (!json_->is_array())
      fail("it must be an array");
    std::vector<Node> nodes;
    for (size_t i = 0; i < json_->size(); ++i)
      nodes.emplace_back(*file_, (*json_)[i], path_ + "[" + std::to_string(i) + "]");
    return nodes;
  }
  std::string string() const {
    if (!json_->is_string())
      fail("it must be a string");
    return json_->get<std::string>();
  }
  std::string nonEmptyString() const {
    std::string text = string();
    if (text.empty())
      fail("it must not be empty");
    return text;
  }
  bool boolean() const {
    if (!json_->is_boolean())
      fail("it must be true or false");
    return json_->get<bool>();
  }
  uint64_t number(uint64_t low, uint64_t high) const {
    const bool fits =
        json_->is_number_unsigned() && json_->get<uint64_t>() >= low && json_->get<uint64_t>() <= high;
    if (!fits)
      fail("it must be an integer in " + std::to_string(low) + ".." + std::to_string(high));
    return json_->get<uint64_t>();
  }
  // One of the names; the result is its position.
  size_t choice(std::initializer_list<std::string_view> names) const {
    const std::string text = string();
    size_t index = 0;
    std::string known;
    for (std::string_view name : names) {
      if (text == name)
        return index;
      known += (index++ ? ", " : "") + std::string(name);
    }
    fail("it must be one of " + known);
  }
  std::string objectText() const {
    if (!json_->is_object())
      fail("it must be an object");
    return json_->dump(-1, ' ', true, Json::error_handler_t::replace);
  }

private:
  const std::string* file_;
  const Json* json_;
  std::string path_;
};

// Bytes of one element in memory.
unsigned bytesOf(const Node& dtype) {
  const std::string name = dtype.string();
  if (const auto known = isa::dtypeByName(name))
    return isa::dtypeBytes(*known);
  if (name == "i1")
    return 1;
  if (name == "f64")
    return 8;
  dtype.fail("it must be i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, hf32, f32 or f64");
}

Argument readArgument(const Node& node) {
  Argument arg;
  arg.name = node.at("name").nonEmptyString();
  arg.kind =
      node.at("kind").choice({"tensor", "scalar"}) == 0 ? Argument::Kind::Tensor : Argument::Kind::Scalar;
  const Node dtype = node.at("dtype");
  arg.dtype = dtype.string();
  arg.dtypeBytes = bytesOf(dtype);
  return arg;
}

Message readMessage(const Node& node) {
  Message message;
  message.text = node.at("text").string();
  message.line = node.at("line").string();
  message.fatal = node.at("kind").choice({"print", "trap"}) == 1;
  message.hex = node.at("hex").boolean();
  for (const Node& item : node.at("values").list()) {
    Message::Value value;
    bytesOf(item.at("dtype"));
    value.dtype = item.at("dtype").string();
    for (const Node& extent : item.at("shape").list())
      value.shape.push_back(extent.number(1, kMaxElements));
    if (value.shape.size() > kMaxRank || value.count() > kMaxElements)
      item.fail("it must have at most " + std::to_string(kMaxElements) + " elements");
    message.values.push_back(value);
  }
  message.programs =
      static_cast<unsigned>(node.at("programs").number(0, std::min<uint64_t>(3, message.values.size())));
  return message;
}

Buffer readBuffer(const Node& node) {
  Buffer buffer;
  buffer.name = node.at("name").nonEmptyString();
  constexpr isa::Scope scopes[] = {isa::Scope::L1, isa::Scope::L0A, isa::Scope::L0B, isa::Scope::L0C,
                                   isa::Scope::UB, isa::Scope::BT,  isa::Scope::FB};
  buffer.scope = scopes[node.at("scope").choice({"l1", "l0a", "l0b", "l0c", "ub", "bt", "fb"})];
  buffer.offset = node.at("offset").number(0, kMaxBytes);
  buffer.bytes = node.at("bytes").number(1, kMaxBytes);
  buffer.slots = static_cast<unsigned>(node.at("slots").number(1, kMaxSlots));
  if (const auto line = node.optional("line"))
    buffer.line = line->string();
  return buffer;
}

std::vector<std::string> readStrings(const Node& node) {
  std::vector<std::string> strings;
  for (const Node& item : node.list())
    strings.push_back(item.string());
  return strings;
}

Grid readGrid(const Node& node) {
  Grid grid;
  grid.rank = static_cast<unsigned>(node.at("rank").number(1, 3));
  grid.order = node.at("order").nonEmptyString();
  grid.policy = node.at("policy").nonEmptyString();
  if (const auto kOffset = node.optional("k_offset"))
    grid.kOffset = kOffset->boolean();
  return grid;
}

// 0: any number.
unsigned readCores(const Node& node, const char* kind) {
  const auto count = node.optional(kind);
  return count ? static_cast<unsigned>(count->number(1, 64)) : 0;
}

Entries readEntries(const Node& node, KernelKind kind) {
  Entries entries;
  if (kind != KernelKind::Aiv)
    entries.aic = node.at("aic").number(0, kMaxBytes);
  if (kind != KernelKind::Aic)
    entries.aiv = node.at("aiv").number(0, kMaxBytes);
  return entries;
}

Json parseJson(const std::vector<uint8_t>& bytes, const std::string& file) {
  const auto limitDepth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth)
      throw FormatError(file, ".dlnpu.meta", "nested more than " + std::to_string(kMaxDepth) + " deep",
                        "compile the kernel again");
    return true;
  };
  try {
    return Json::parse(bytes.begin(), bytes.end(), limitDepth);
  } catch (const Json::exception& error) {
    throw FormatError(file, ".dlnpu.meta", std::string("no JSON (") + error.what() + ")",
                      "compile the kernel again");
  }
}

void checkNames(const Kernel& kernel) {
  for (size_t i = 0; i < kernel.args.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (kernel.args[i].name == kernel.args[j].name)
        throw FormatError(kernel.path, "meta.args[" + std::to_string(i) + "].name",
                          "'" + kernel.args[i].name + "'",
                          "argument " + std::to_string(j) + " has that name too");
}

} // namespace

Entries readMeta(const std::vector<uint8_t>& json, Kernel& kernel) {
  const Json record = parseJson(json, kernel.path);
  const Node meta(kernel.path, record, "meta");
  const Node version = meta.at("version");
  if (version.number(0, UINT32_MAX) != kMetaVersion)
    version.fail("this reader knows version " + std::to_string(kMetaVersion) + "; use tools of one release");
  kernel.compiler = meta.at("compiler").nonEmptyString();
  kernel.chip = meta.at("chip").nonEmptyString();
  kernel.name = meta.at("kernel").nonEmptyString();
  kernel.kind = static_cast<KernelKind>(meta.at("kind").choice({"aic", "aiv", "mix"}));
  for (const Node& arg : meta.at("args").list())
    kernel.args.push_back(readArgument(arg));
  checkNames(kernel);
  kernel.grid = readGrid(meta.at("grid"));
  if (const auto cores = meta.optional("per_cluster")) {
    kernel.aicPerCluster = readCores(*cores, "aic");
    kernel.aivPerCluster = readCores(*cores, "aiv");
  }
  kernel.workspaceBytesPerCore = meta.at("workspace_bytes_per_core").number(0, kMaxBytes);
  kernel.stackBytesPerCore = meta.at("stack_bytes_per_core").number(0, kMaxBytes);
  kernel.options = meta.at("options").objectText();
  for (const Node& buffer : meta.at("buffers").list())
    kernel.buffers.push_back(readBuffer(buffer));
  if (const auto messages = meta.optional("messages"))
    for (const Node& message : messages->list())
      kernel.messages.push_back(readMessage(message));
  const Node hints = meta.at("hints");
  kernel.hintsUsed = readStrings(hints.at("used"));
  kernel.hintsIgnored = readStrings(hints.at("ignored"));
  return readEntries(meta.at("entries"), kernel.kind);
}

} // namespace dlsim::dlk
