// The one-line form of input errors.
#include "tools/json/input_error.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::tools {
namespace {

/// One printable line of at most about `limit` bytes: a file may hold anything, a terminal should not obey it.
std::string one_line(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char c : text) {
    if (line.size() >= limit) return line + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

std::string message(const std::string& file, const std::string& pointer, const std::string& found,
                    const std::string& expected, const std::string& nearest) {
  std::string text = fmt::format("{}: {}: found {}, expected {}", one_line(file, 300),
                                 pointer.empty() ? "/" : one_line(pointer, 300), found, expected);
  if (!nearest.empty()) text += fmt::format(" (did you mean {}?)", quote(nearest));
  return text;
}

}  // namespace

InputError::InputError(std::string file, std::string pointer, std::string found, std::string expected,
                       std::string nearest)
    : std::runtime_error(message(file, pointer, one_line(found, 400), one_line(expected, 400), nearest)),
      file_(std::move(file)),
      pointer_(std::move(pointer)),
      found_(std::move(found)),
      expected_(std::move(expected)),
      nearest_(std::move(nearest)) {}

JsonLocation JsonLocation::member(std::string_view key) const {
  return {file, pointer + "/" + pointer_token(key)};
}

JsonLocation JsonLocation::element(std::size_t index) const {
  return {file, pointer + "/" + std::to_string(index)};
}

void JsonLocation::refuse(std::string found, std::string expected, std::string nearest) const {
  throw InputError(file, pointer, std::move(found), std::move(expected), std::move(nearest));
}

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

std::string quote(std::string_view text) {
  return "\"" + one_line(text, 60) + "\"";
}

}  // namespace racksim::tools
