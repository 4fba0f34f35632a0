// Values in comma-separated text.
#pragma once

#include <string>

namespace racksim::tools {

/// A text as one field: in quotes where it would be taken for more, or for a remark.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n#") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace racksim::tools
