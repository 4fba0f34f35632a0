// See output_files.hpp.
#include "tools/output_files.hpp"

#include <fstream>

#include "tools/input_error.hpp"

namespace racksim::tools {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("racksim", "--out", quote(folder.string()), "a folder that can be made");
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  // Written beside its place and moved there.
  const std::filesystem::path draft = path.string() + ".part";
  std::ofstream file(draft, std::ios::binary);
  file << text;
  if (!file.flush()) throw InputError("racksim", "--out", quote(path.string()), "a folder that can be written");
  file.close();
  std::filesystem::rename(draft, path);
}

}  // namespace racksim::tools
