// A file is a draft, then renamed. See write_file.hpp.
#include "tools/files/write_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

/// The drafts of this process, where a signal handler finds them. More than ever are open at once.
struct NotedDraft {
  volatile sig_atomic_t is_open = 0;
  char path[PATH_MAX];
};
std::array<NotedDraft, 16> noted_drafts;

/// The place of a draft among them; past the end if there is no room.
std::size_t note_draft(const fs::path& draft) {
  const auto free =
      std::find_if(noted_drafts.begin(), noted_drafts.end(), [](const auto& d) { return d.is_open == 0; });
  if (free != noted_drafts.end() && draft.native().size() < sizeof free->path) {
    free->path[draft.native().copy(free->path, sizeof free->path - 1)] = '\0';
    free->is_open = 1;
  }
  return static_cast<std::size_t>(free - noted_drafts.begin());
}

void forget_draft(std::size_t noted) {
  if (noted < noted_drafts.size()) noted_drafts[noted].is_open = 0;
}

/// Whether a path names a descriptor of this process, such as /dev/stdout: what is behind it is written as it is.
bool names_descriptor(const fs::path& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  const auto within = [&](const char* folder) { return absolute.starts_with(folder); };
  return within("/proc/") || within("/dev/fd/") || within("/dev/std");
}

/// Follows a link, whether or not there is something at its end, so that it stays one; false if it has no end.
bool follow_links(fs::path& path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && !names_descriptor(path) && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);  // an absolute one replaces the folder
  }
  return names_descriptor(path) || !fs::is_symlink(path, error);
}

/// Whether a file is written by a draft: one that is a regular file, or none yet.
bool takes_draft(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return !names_descriptor(path) && (!fs::exists(status) || fs::is_regular_file(status));
}

/// Makes a new file beside `path`, whose name no other has; an errno if it cannot.
int make_draft(const fs::path& path, fs::path& draft) {
  for (unsigned number = 0;; ++number) {
    draft = path.parent_path() / fmt::format("racksim-{}-{}.part", getpid(), number);
    const int descriptor = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      close(descriptor);
      return 0;
    }
    if (errno != EEXIST) return errno;
  }
}

[[noreturn]] void could_not_be_written(const fs::path& path, int error) {
  throw OutputError(fmt::format("{} could not be written{}", path.string(),
                                error != 0 ? fmt::format(": {}", std::strerror(error)) : ""));
}

/// Refuses a place; what the system has no more of is not the place's fault.
[[noreturn]] void refuse(const fs::path& path, int error, const std::string& command, const std::string& option,
                         const char* expected) {
  if (is_exhaustion(error)) could_not_be_written(path, error);
  throw InputError(command, option, quote(path.string()), expected);
}

constexpr const char* kWritable = "a file that can be written";

/// Makes an attempt, and removes what folders it made.
template <class Attempt>
void leaving_no_folder(const fs::path& folder, const Attempt& attempt) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path path = folder; !path.empty() && !fs::exists(path, error); path = path.parent_path()) {
    missing.push_back(path);
  }
  const auto leave = [&] {
    for (const fs::path& path : missing) fs::remove(path, error);
  };
  try {
    attempt();
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

}  // namespace

DraftFile::DraftFile(fs::path path, const std::string& command, const std::string& option)
    : path_(std::move(path)), noted_(noted_drafts.size()) {
  const fs::path asked_for = path_;
  if (!follow_links(path_)) refuse(asked_for, ELOOP, command, option, kWritable);
  if (const auto input = input_at(path_); !input.empty()) {
    throw InputError(command, option, quote(asked_for.string()),
                     "a file other than " + quote(input) + ", which is read");
  }
  std::error_code error;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  if (is_exhaustion(error.value())) could_not_be_written(path_, error.value());
  const bool exists = fs::exists(path_, error);
  if (fs::is_directory(path_, error)) refuse(asked_for, EISDIR, command, option, kWritable);
  if (exists && access(path_.c_str(), W_OK) != 0) refuse(asked_for, errno, command, option, kWritable);
  errno = 0;
  if (!takes_draft(path_)) {
    stream_.open(path_, std::ios::binary);
  } else {
    const int failed = make_draft(path_, draft_);
    if (failed != 0) {
      draft_.clear();
      refuse(asked_for, failed, command, option, kWritable);
    }
    noted_ = note_draft(draft_);
    if (exists) fs::permissions(draft_, fs::status(path_, error).permissions(), error);
    stream_.open(draft_, std::ios::binary);
  }
  if (stream_.is_open()) return;
  const int failed = errno;
  if (!draft_.empty()) fs::remove(draft_, error);
  forget_draft(noted_);
  refuse(asked_for, failed, command, option, kWritable);
}

DraftFile::~DraftFile() {
  std::error_code error;
  if (!draft_.empty()) fs::remove(draft_, error);
  forget_draft(noted_);
}

void DraftFile::keep() {
  errno = 0;
  stream_.close();
  if (!stream_) could_not_be_written(path_, errno);
  std::error_code error;
  if (!draft_.empty()) fs::rename(draft_, path_, error);
  if (error) could_not_be_written(path_, error.value());
  draft_.clear();
  forget_draft(noted_);
}

void remove_drafts() {
  for (const NotedDraft& draft : noted_drafts) {
    if (draft.is_open != 0) unlink(draft.path);
  }
}

void make_folder(const fs::path& folder, const std::string& command, const std::string& option) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse(folder, error.value(), command, option, "a folder that can be made");
}

void check_output(const fs::path& path, const std::string& command, const std::string& option) {
  leaving_no_folder(path.parent_path(), [&] { DraftFile(path, command, option); });
}

void check_output_folder(const fs::path& folder, const std::string& command, const std::string& option) {
  leaving_no_folder(folder, [&] {
    make_folder(folder, command, option);
    DraftFile(folder / "draft", command, option);
  });
}

void write_file(const fs::path& path, const std::string& text, const std::string& command, const std::string& option) {
  DraftFile file(path, command, option);
  errno = 0;
  file.stream() << text << std::flush;
  if (!file.stream()) could_not_be_written(path, errno);
  file.keep();
}

}  // namespace racksim::tools
