// Writing JSON.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// Writes one value: over several lines in members' order, with what fits folded into a line, or canonically in one line.
class JsonWriter {
 public:
  enum class Style { lines, folded, one_line, canonical };

  explicit JsonWriter(Style style) : style_(style) {}

  std::string take() { return std::move(out_); }

  void write(const JsonValue& value) {
    std::visit([this](const auto& content) { put(content); }, value.value_);
  }

 private:
  void put(std::monostate) { out_ += "null"; }
  void put(bool value) { out_ += value ? "true" : "false"; }
  void put(std::int64_t value) { out_ += std::to_string(value); }
  void put(std::uint64_t value) { out_ += std::to_string(value); }

  void put(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
      return;
    }
    const auto text = fmt::format("{}", value);
    out_ += text;
    // A real stays a real when it is read back.
    if (text.find_first_of(".e") == std::string::npos) out_ += ".0";
  }

  void put(const std::string& value) {
    out_ += '"';
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (byte < 0x20) {
        out_ += fmt::format("\\u{:04x}", byte);
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  static constexpr std::size_t kColumns = 120;

  /// Writes what fits into the rest of the line, with a comma behind it, into it.
  template <class Container>
  bool folded(const Container& container) {
    if (style_ != Style::folded || indentation_ == 0) return false;
    JsonWriter line(Style::one_line);
    line.put(container);
    const auto column = out_.size() - (out_.rfind('\n') + 1);
    if (column + line.out_.size() + 1 > kColumns) return false;
    out_ += line.out_;
    return true;
  }

  void put(const JsonValue::Array& array) {
    if (folded(array)) return;
    surround('[', ']', array, [this](const JsonValue& element) { write(element); });
  }

  void put(const JsonValue::Object& object) {
    if (folded(object)) return;
    std::vector<const JsonValue::Member*> members;
    for (const auto& member : object) members.push_back(&member);
    if (style_ == Style::canonical)
      std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->key < b->key; });
    surround('{', '}', members, [this](const JsonValue::Member* member) {
      put(member->key);
      out_ += style_ == Style::canonical ? ":" : ": ";
      write(member->value);
    });
  }

  template <class Items, class PutItem>
  void surround(char opening, char closing, const Items& items, PutItem put_item) {
    out_ += opening;
    indentation_ += 2;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += style_ == Style::one_line ? ", " : ",";
      first = false;
      new_line();
      put_item(item);
    }
    indentation_ -= 2;
    if (!first) new_line();
    out_ += closing;
  }

  void new_line() {
    if (style_ == Style::lines || style_ == Style::folded) out_.append(1, '\n').append(indentation_, ' ');
  }

  Style style_;
  std::size_t indentation_ = 0;
  std::string out_;
};

std::string to_json(const JsonValue& value) {
  JsonWriter writer(JsonWriter::Style::lines);
  writer.write(value);
  return writer.take() + "\n";
}

std::string to_folded_json(const JsonValue& value) {
  JsonWriter writer(JsonWriter::Style::folded);
  writer.write(value);
  return writer.take() + "\n";
}

std::string to_canonical_json(const JsonValue& value) {
  JsonWriter writer(JsonWriter::Style::canonical);
  writer.write(value);
  return writer.take();
}

}  // namespace racksim::tools
