// The one-line form of input errors.
#include "tools/json/input_error.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

std::string message(const std::string& file, const std::string& pointer, const std::string& found,
                    const std::string& expected, const std::string& nearest) {
  std::string text = fmt::format("{}: {}: found {}, expected {}", printable(file, 300),
                                 pointer.empty() ? "/" : printable(pointer, 300), found, expected);
  if (!nearest.empty()) text += fmt::format(" (did you mean {}?)", quote(nearest));
  return text;
}

}  // namespace

InputError::InputError(std::string file, std::string pointer, std::string found, std::string expected,
                       std::string nearest)
    : std::runtime_error(message(file, pointer, printable(found, 400), printable(expected, 400), nearest)),
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
  return "\"" + printable(text, 60) + "\"";
}

}  // namespace racksim::tools
