// Writing the files that commands leave behind.
#pragma once

#include <filesystem>
#include <string>

namespace racksim::tools {

/// Makes the folder that an option `--out` names, with those above it. Throws InputError if it cannot be made.
void make_folder(const std::filesystem::path& folder);

/// Writes a file so that a reader never sees half of it. Throws InputError if it cannot be written.
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace racksim::tools
