// Writing of files and making of folders, as options ask for them. A file appears under its name when it is complete
// and not before, so that nobody ever reads half of it, whatever ends the program; and never where a file is that the
// command reads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "tools/text/system_error.hpp"

namespace racksim::tools {

/// Output that could not be written although its place was good: a full disk. Its text says which and why.
class OutputError : public SystemError {
 public:
  using SystemError::SystemError;
};

/// A file that is being written, as a draft beside its place: a new file under a name that no other has. What is no
/// regular file (a device, a pipe) has no draft and is written as it is.
class DraftFile {
 public:
  /// Makes the folders on the way. Throws InputError that names `command` and its `option` if the place is no good or
  /// that of an input (data_files.hpp), and OutputError if the system has no more room or descriptors.
  DraftFile(std::filesystem::path path, const std::string& command, const std::string& option);
  /// Removes a draft that was not kept.
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Where it is; empty if there is none.
  const std::filesystem::path& draft() const { return draft_; }

  /// The file is complete: gives it its name. Throws OutputError if not all of it could be written.
  void keep();

 private:
  std::filesystem::path path_, draft_;
  std::size_t noted_ = 0;  ///< where the draft is noted for `remove_drafts`
  std::ofstream stream_;
};

/// Removes all drafts of this process, which is about to end at once. A signal handler may call it.
void remove_drafts();

/// Makes a folder and those above it. Throws InputError that names `command` and its `option` if it cannot be made.
void make_folder(const std::filesystem::path& folder, const std::string& command, const std::string& option);

/// Throws what writing this file would throw, or a file into this folder, before work is spent on it; leaves nothing.
void check_output(const std::filesystem::path& path, const std::string& command, const std::string& option);
void check_output_folder(const std::filesystem::path& folder, const std::string& command, const std::string& option);

/// Writes a whole file by a draft. Throws InputError and OutputError.
void write_file(const std::filesystem::path& path, const std::string& text, const std::string& command,
                const std::string& option);

}  // namespace racksim::tools
