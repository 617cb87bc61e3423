#include "sim/casefile/npz.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"

#include <filesystem>
#include <zip.h>

namespace dlsim::casefile {

namespace {

std::string openError(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Archive openArchive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (!archive)
    throw InputError(path + ": not a readable .npz file (" + openError(code) + ")");
  return archive;
}

} // namespace

struct NpzReader::Impl {
  std::string path;
  Archive archive;
};

NpzReader::NpzReader(const std::string& path) : impl_(new Impl{path, nullptr}) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(path + ": " + (error ? error.message() : "no such file"));
  impl_->archive = openArchive(path, ZIP_RDONLY);
}
NpzReader::~NpzReader() = default;

bool NpzReader::has(const std::string& name) const {
  return zip_name_locate(impl_->archive.get(), (name + ".npy").c_str(), 0) >= 0;
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  zip_int64_t count = zip_get_num_entries(impl_->archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    std::string name = zip_get_name(impl_->archive.get(), static_cast<zip_uint64_t>(i), 0);
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0)
      names.push_back(name.substr(0, name.size() - 4));
  }
  return names;
}

Array NpzReader::read(const std::string& name) const {
  zip_t* archive = impl_->archive.get();
  std::string what = impl_->path + ": array '" + name + "'";
  zip_int64_t index = zip_name_locate(archive, (name + ".npy").c_str(), 0);
  if (index < 0) {
    std::string all;
    for (const std::string& other : names())
      all += (all.empty() ? "" : ", ") + other;
    throw InputError(what + " is missing; the file holds: " + (all.empty() ? "nothing" : all));
  }
  zip_stat_t stat;
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(nullptr, zip_fclose);
  if (zip_stat_index(archive, static_cast<zip_uint64_t>(index), 0, &stat) == 0 &&
      (stat.valid & ZIP_STAT_SIZE))
    file.reset(zip_fopen_index(archive, static_cast<zip_uint64_t>(index), 0));
  if (!file)
    throw InputError(what + " cannot be read (" + zip_strerror(archive) + ")");
  constexpr uint64_t kLimit = uint64_t{1} << 40;
  if (stat.size > kLimit)
    throw InputError(what + " claims " + std::to_string(stat.size) + " bytes; the file is damaged");
  std::vector<uint8_t> bytes;
  // Grows as data comes, so that a damaged size field does not allocate what is not there.
  constexpr uint64_t kStep = 16 << 20;
  while (bytes.size() < stat.size) {
    uint64_t have = bytes.size(), want = std::min<uint64_t>(kStep, stat.size - have);
    bytes.resize(have + want);
    zip_int64_t got = zip_fread(file.get(), bytes.data() + have, want);
    if (got <= 0)
      throw InputError(what + " is damaged (" + zip_file_strerror(file.get()) + ")");
    bytes.resize(have + static_cast<uint64_t>(got));
  }
  uint8_t extra;
  if (zip_fread(file.get(), &extra, 1) != 0) // reaches the end, where the checksum is verified
    throw InputError(what + " is damaged (" + zip_file_strerror(file.get()) + ")");
  return parseNpy(bytes, what);
}

void writeNpz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays) {
  std::vector<std::vector<uint8_t>> files; // libzip reads them when the archive is closed
  for (const auto& [name, array] : arrays)
    files.push_back(formatNpy(array));
  writeAtomically(path, [&](const std::string& partial) {
    int code = 0;
    Archive archive(zip_open(partial.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive)
      throw InputError(path + ": cannot be written (" + openError(code) + ")");
    constexpr time_t kFixedTime = 315532800; // 1980-01-01, so that equal content gives equal files
    for (size_t i = 0; i < files.size(); ++i) {
      zip_source_t* source = zip_source_buffer(archive.get(), files[i].data(), files[i].size(), 0);
      zip_int64_t index =
          source ? zip_file_add(archive.get(), (arrays[i].first + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8)
                 : -1;
      if (index < 0) {
        zip_source_free(source);
        throw InputError(path + ": cannot be written (" + zip_strerror(archive.get()) + ")");
      }
      zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
      zip_file_set_mtime(archive.get(), static_cast<zip_uint64_t>(index), kFixedTime, 0);
    }
    if (zip_close(archive.get()) != 0)
      throw InputError(path + ": cannot be written (" + zip_strerror(archive.get()) + ")");
    archive.release();
  });
}

} // namespace dlsim::casefile
