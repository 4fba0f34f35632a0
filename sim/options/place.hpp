// Places in the sources, for errors about what two of them say.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace racksim::sim {

/// A line of a source, as a default argument where it is called. As std::source_location, which clang 14 does not have.
struct SourcePlace {
  const char* file = "";
  unsigned line = 0;

  static constexpr SourcePlace current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

/// The file with its folder, and the line: "options/place.hpp:14".
inline std::string place_of(const SourcePlace& where) {
  std::string_view file = where.file;
  const auto folder = file.find_last_of('/');
  if (folder != std::string_view::npos && folder > 0) {
    const auto above = file.find_last_of('/', folder - 1);
    if (above != std::string_view::npos) file.remove_prefix(above + 1);
  }
  return fmt::format("{}:{}", file, where.line);
}

}  // namespace racksim::sim
