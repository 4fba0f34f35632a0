// SHA-256 (FIPS 180-4), as `sha256sum` prints it: which bytes a file held.
#pragma once

#include <string>
#include <string_view>

namespace racksim::tools {

/// In 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace racksim::tools
