// SHA-256 (FIPS 180-4), as `sha256sum` prints it: which bytes a file held.
#pragma once

#include <string>
#include <string_view>

namespace racksim::tools {

/// In 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);
/// Of a file's content, in bounded memory; empty if it cannot be read, or only once, as a pipe.
std::string sha256_of_file(const std::string& file);

}  // namespace racksim::tools
