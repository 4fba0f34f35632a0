// Text in columns.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tools/text/characters.hpp"

namespace racksim::tools {

/// Lines of as many cells each, in columns two spaces apart.
inline std::string in_columns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& cells : lines) {
    widths.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], characters_in(cells[i]));
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += cells[i] + std::string(widths[i] - characters_in(cells[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace racksim::tools
