// A file is a draft, then renamed. See write_file.hpp.
#include "tools/write_file.hpp"

#include <fstream>

#include "tools/input_error.hpp"

namespace racksim::tools {

void make_folder(const std::filesystem::path& folder, const std::string& command, const std::string& option) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(command, option, quote(folder.string()), "a folder that can be made");
}

void write_file(const std::filesystem::path& path, const std::string& text, const std::string& command,
                const std::string& option) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  const std::filesystem::path draft = path.string() + ".part";
  std::ofstream file(draft, std::ios::binary);
  file << text;
  file.close();
  if (file) std::filesystem::rename(draft, path, error);
  if (file && !error) return;
  std::filesystem::remove(draft, error);
  throw InputError(command, option, quote(path.string()), "a file that can be written");
}

}  // namespace racksim::tools
