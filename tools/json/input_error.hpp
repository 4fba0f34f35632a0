// What a person gave is wrong: one line that says where, what was found, what was expected, and the nearest valid name.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace racksim::tools {

/// Bad input. `what()` is the one line `file: /pointer: found X, expected Y (did you mean "Z"?)`; the command exits 2.
class InputError : public std::runtime_error {
 public:
  /// `pointer` is a JSON pointer (RFC 6901; the whole document is shown as "/"). `nearest` may be empty. What is
  /// not printable is shown escaped and long texts are cut, so that the message stays one readable line.
  InputError(std::string file, std::string pointer, std::string found, std::string expected, std::string nearest = {});

  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }
  const std::string& nearest() const { return nearest_; }

 private:
  std::string file_, pointer_, found_, expected_, nearest_;
};

/// Where a value stands: its file and the JSON pointer to it.
struct JsonLocation {
  std::string file;
  std::string pointer;

  JsonLocation member(std::string_view key) const;
  JsonLocation element(std::size_t index) const;
  [[noreturn]] void refuse(std::string found, std::string expected, std::string nearest = {}) const;
};

/// `key` as one token of a JSON pointer: "~" becomes "~0" and "/" becomes "~1".
std::string pointer_token(std::string_view key);

/// `text` in double quotes, with what is not printable escaped, cut after about 60 bytes.
std::string quote(std::string_view text);

}  // namespace racksim::tools
