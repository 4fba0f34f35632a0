// Reading JSON: nlohmann's SAX parser feeds our tree, so that a hostile document is refused before it costs memory.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_set>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

/// Where reading stands after all that has been read, in words.
std::string line_and_column(std::string_view read) {
  const auto line = std::count(read.begin(), read.end(), '\n') + 1;
  return fmt::format("line {}, column {}", line, read.size() - (line > 1 ? read.rfind('\n') + 1 : 0) + 1);
}

/// Builds the tree from the parser's callbacks. Errors leave as exceptions; callbacks therefore always return true.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  JsonValue take() { return std::move(root_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { throw std::logic_error("JSON text holds no binary values"); }
  bool start_object(std::size_t) override { return open(JsonValue::object()); }
  bool start_array(std::size_t) override { return open(JsonValue::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    auto& object = open_.back();
    object.key = value;
    if (!object.keys.insert(value).second) {
      here().refuse("the key " + quote(value) + " twice", "each key at most once in an object");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The library's text reads "[id] parse error at line L, column C: syntax error while ... - found; expected ...".
    std::string found = error.what();
    if (const auto bracket = found.find("] "); bracket != std::string::npos) found.erase(0, bracket + 2);
    if (const auto dash = found.find(" - "); dash != std::string::npos) found.erase(0, dash + 3);
    std::string expected = "well-formed JSON";
    if (const auto semicolon = found.rfind("; expected "); semicolon != std::string::npos) {
      expected = found.substr(semicolon + std::strlen("; expected "));
      found.erase(semicolon);
    }
    if (const auto last = found.find("; last read: "); last != std::string::npos) found.erase(last);
    const auto read = text_.substr(0, position > 0 ? std::min(position - 1, text_.size()) : 0);
    here().refuse(fmt::format("{} at {}", found, line_and_column(read)), expected);
  }

 private:
  /// An array or object whose end has not been read yet.
  struct Open {
    JsonValue value;
    std::string key;                       ///< the member being read, in an object
    std::unordered_set<std::string> keys;  ///< all keys so far, in an object
  };

  /// Where the parser stands: inside the innermost open member or element.
  JsonLocation here() const {
    JsonLocation place{name_, ""};
    for (const auto& open : open_) {
      if (const auto* elements = open.value.elements()) {
        place = place.element(elements->size());
      } else if (!open.keys.empty()) {
        place = place.member(open.key);
      }
    }
    return place;
  }

  void count_value() {
    if (++values_ > JsonLimits::kValues) {
      JsonLocation{name_, ""}.refuse(fmt::format("more than {} values", JsonLimits::kValues), "a smaller document");
    }
  }

  bool add(JsonValue value) {
    count_value();
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push(std::move(value));
    } else {
      append_member(std::move(value));
    }
    return true;
  }

  bool open(JsonValue value) {
    count_value();
    if (open_.size() == JsonLimits::kDepth) {
      JsonLocation{name_, ""}.refuse(fmt::format("more than {} nested arrays and objects", JsonLimits::kDepth),
                                     fmt::format("a depth of at most {}", JsonLimits::kDepth));
    }
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    --values_;  // `add` counts it again
    auto value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  /// Without JsonValue::set's search: `key` has checked that the member is new.
  void append_member(JsonValue value) {
    auto& object = open_.back();
    object.value.append({object.key, std::move(value)});
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<Open> open_;
  std::size_t values_ = 0;
  JsonValue root_;
};

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& name) {
  if (text.size() > JsonLimits::kBytes) {
    JsonLocation{name, ""}.refuse(fmt::format("{} bytes", text.size()),
                                  fmt::format("at most {} bytes", JsonLimits::kBytes));
  }
  // The library takes it for the end of the text.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    JsonLocation{name, ""}.refuse("a NUL byte at " + line_and_column(text.substr(0, nul)), "well-formed JSON");
  }
  TreeBuilder builder(text, name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string read_whole(const std::string& path, std::size_t most, const std::string& expected) {
  const JsonLocation place{path, ""};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) place.refuse("no such file", expected);
  if (error) place.refuse(error.message(), expected);
  if (std::filesystem::is_directory(status)) place.refuse("a directory", expected);
  const auto too_large = fmt::format("at most {} bytes", most);
  if (std::filesystem::is_regular_file(status)) {
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > most) place.refuse(fmt::format("{} bytes", size), too_large);
  }

  std::ifstream file(path, std::ios::binary);
  if (!file && is_exhaustion(errno)) throw SystemError(fmt::format("{}: {}", path, std::strerror(errno)));
  if (!file) place.refuse(std::strerror(errno), expected);
  // A pipe has no size: read at most one byte more than is allowed.
  std::string text;
  char buffer[65536];
  while (text.size() <= most && file) {
    file.read(buffer, sizeof buffer);
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) place.refuse("a read error", expected);
  if (text.size() > most) place.refuse(fmt::format("more than {} bytes", most), too_large);
  return text;
}

JsonValue read_json_file(const std::string& path) {
  auto document = parse_json(read_whole(path, JsonLimits::kBytes, "a readable JSON file"), path);
  check_printable(document, {path, ""});
  return document;
}

}  // namespace racksim::tools
