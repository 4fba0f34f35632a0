// How wide a text is where every character takes one column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace racksim::tools {

/// Characters of a text in UTF-8.
inline std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace racksim::tools
