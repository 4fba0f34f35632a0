// Quoting. See shell.hpp.
#include "tools/text/shell.hpp"

#include <algorithm>

namespace racksim::tools {
namespace {

/// What no shell takes for anything but itself, wherever it stands in an argument.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
}

void add_word(std::string& line, std::string_view word) {
  line += ' ';
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
    line += word;
    return;
  }
  line += '\'';
  for (const char c : word) {
    if (c == '\'') {
      line += R"('\'')";
    } else {
      line += c;
    }
  }
  line += '\'';
}

}  // namespace

std::string racksim_command(std::string_view command, std::string_view file, const std::vector<std::string>& options,
                            const std::vector<std::string>& overrides) {
  std::string line = "racksim";
  add_word(line, command);
  add_word(line, file.starts_with('-') ? "./" + std::string(file) : std::string(file));
  for (const std::string& option : options) add_word(line, option);
  for (const std::string& override_ : overrides) {
    add_word(line, "--set");
    add_word(line, override_);
  }
  return line;
}

}  // namespace racksim::tools
