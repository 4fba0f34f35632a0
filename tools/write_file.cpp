// A draft, then a rename. See write_file.hpp.
#include "tools/write_file.hpp"

#include <fstream>

#include "tools/input_error.hpp"

namespace racksim::tools {

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
