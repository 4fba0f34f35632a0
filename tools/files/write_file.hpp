// Writing of files and making of folders, as options ask for them. A file appears under its name when it is complete
// and not before, so that nobody ever reads half of it, whatever ends the program.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace racksim::tools {

/// Output that could not be written although its place was good: a full disk. Its text says which and why.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that is being written, as a draft beside its place. What is no regular file (a device, a pipe) has no draft
/// and is written as it is.
class DraftFile {
 public:
  /// Makes the folders on the way. Throws InputError that names `command` and its `option` if the place is no good.
  DraftFile(std::filesystem::path path, const std::string& command, const std::string& option);
  /// Removes a draft that was not kept.
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  std::ostream& stream() { return stream_; }

  /// The file is complete: gives it its name. Throws OutputError if not all of it could be written.
  void keep();

 private:
  std::filesystem::path path_, draft_;
  std::ofstream stream_;
};

/// Makes a folder and those above it. Throws InputError that names `command` and its `option` if it cannot be made.
void make_folder(const std::filesystem::path& folder, const std::string& command, const std::string& option);

/// Writes a whole file by a draft. Throws InputError and OutputError.
void write_file(const std::filesystem::path& path, const std::string& text, const std::string& command,
                const std::string& option);

}  // namespace racksim::tools
