// Writing of whole files.
#pragma once

#include <filesystem>
#include <string>

namespace racksim::tools {

/// Writes a file beside its place and moves it there, so that nobody ever reads half of it. Folders on the way are
/// made. Throws InputError that names `command` and its `option` if the place cannot be written.
void write_file(const std::filesystem::path& path, const std::string& text, const std::string& command,
                const std::string& option);

}  // namespace racksim::tools
