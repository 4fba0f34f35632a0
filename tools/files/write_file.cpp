// A file is a draft, then renamed. See write_file.hpp.
#include "tools/files/write_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

/// Where the draft of a file is; empty if there is to be none. A link is followed, so that it stays one.
fs::path draft_of(fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const auto root = absolute.begin() == absolute.end() ? absolute.end() : std::next(absolute.begin());
  if (root != absolute.end() && (*root == "dev" || *root == "proc")) return {};
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return {};
  if (fs::exists(status) && fs::is_symlink(path, error)) path = fs::canonical(path, error);
  return path.string() + ".part";
}

}  // namespace

DraftFile::DraftFile(fs::path path, const std::string& command, const std::string& option) : path_(std::move(path)) {
  std::error_code error;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  const std::string asked_for = path_.string();
  draft_ = draft_of(path_);
  if (!fs::is_directory(path_, error)) stream_.open(draft_.empty() ? path_ : draft_, std::ios::binary);
  if (!stream_.is_open()) throw InputError(command, option, quote(asked_for), "a file that can be written");
}

DraftFile::~DraftFile() {
  std::error_code error;
  if (!draft_.empty()) fs::remove(draft_, error);
}

void DraftFile::keep() {
  errno = 0;
  stream_.close();
  std::error_code error(errno, std::generic_category());
  if (stream_ && !draft_.empty()) fs::rename(draft_, path_, error);
  if (!stream_ || (!draft_.empty() && error)) {
    throw OutputError(fmt::format("{} could not be written{}", path_.string(), error ? ": " + error.message() : ""));
  }
  draft_.clear();
}

void make_folder(const fs::path& folder, const std::string& command, const std::string& option) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(command, option, quote(folder.string()), "a folder that can be made");
}

void write_file(const fs::path& path, const std::string& text, const std::string& command, const std::string& option) {
  DraftFile file(path, command, option);
  file.stream() << text;
  file.keep();
}

}  // namespace racksim::tools
