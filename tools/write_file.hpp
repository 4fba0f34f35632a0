// Writing of whole files and making of folders, as options ask for them.
#pragma once

#include <filesystem>
#include <string>

namespace racksim::tools {

/// Makes a folder and those above it. Throws InputError that names `command` and its `option` if it cannot be made.
void make_folder(const std::filesystem::path& folder, const std::string& command, const std::string& option);

/// Writes a file beside its place and moves it there, so that nobody ever reads half of it. Folders on the way are
/// made. Throws InputError that names `command` and its `option` if the place cannot be written.
void write_file(const std::filesystem::path& path, const std::string& text, const std::string& command,
                const std::string& option);

}  // namespace racksim::tools
