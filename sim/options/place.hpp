// Places in the sources, for errors about what two of them say.
#pragma once

#include <fmt/core.h>

#include <source_location>
#include <string>
#include <string_view>

namespace racksim::sim {

/// The file with its folder, and the line: "options/place.hpp:14".
inline std::string place_of(const std::source_location& where) {
  std::string_view file = where.file_name();
  const auto folder = file.find_last_of('/');
  if (folder != std::string_view::npos && folder > 0) {
    const auto above = file.find_last_of('/', folder - 1);
    if (above != std::string_view::npos) file.remove_prefix(above + 1);
  }
  return fmt::format("{}:{}", file, where.line());
}

}  // namespace racksim::sim
