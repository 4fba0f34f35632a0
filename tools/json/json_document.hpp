// JSON as a small tree of values, read with hard limits and written back so that numbers survive.
//
// Input is hostile until proven otherwise: depth, size and the number of values are bounded before memory is spent, and
// a key given twice is refused, because one of the two values would be silently ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace racksim::tools {

struct JsonLocation;

/// One JSON value. Objects keep the order of their members.
class JsonValue {
 public:
  struct Member;
  using Array = std::vector<JsonValue>;
  using Object = std::vector<Member>;

  JsonValue();
  JsonValue(bool value);
  JsonValue(int value);
  JsonValue(unsigned value);
  JsonValue(std::int64_t value);
  JsonValue(std::uint64_t value);
  JsonValue(double value);
  JsonValue(std::string value);
  JsonValue(std::string_view value);
  JsonValue(const char* value);
  static JsonValue array(std::initializer_list<JsonValue> elements = {});
  /// With these members, of different names.
  static JsonValue object(std::initializer_list<Member> members = {});
  // Not inline: Member is complete only below this class.
  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;
  ~JsonValue();

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  /// What the value is if it is that, else null (or nullopt).
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  std::optional<std::uint64_t> natural() const;  ///< an integer from 0 to 2^64-1, or a real up to 2^53 that is whole
  std::optional<double> number() const;          ///< any number, to the nearest double; zero has no sign
  const Array* elements() const { return std::get_if<Array>(&value_); }
  const Object* members() const { return std::get_if<Object>(&value_); }

  /// The member of that name, or null if there is none or this is no object.
  const JsonValue* find(std::string_view key) const;
  JsonValue* find(std::string_view key);
  /// The element at that index, or null if there is none or this is no array.
  JsonValue* find(std::size_t index);

  /// Adds or replaces a member and returns it. A null value becomes an object first; anything else is a logic error.
  JsonValue& set(std::string_view key, JsonValue value);
  /// The same with several.
  void set(std::initializer_list<Member> members);
  /// As `set`, through objects on the way: "cache.bytes" is member `bytes` of member `cache`.
  JsonValue& set_dotted(std::string_view path, JsonValue value);
  /// Removes the member of that name, or the element at that index; false if there is none.
  bool erase(std::string_view key);
  bool erase(std::size_t index);
  /// Adds an element. A null value becomes an array first; anything else is a logic error.
  JsonValue& push(JsonValue value);

  /// Adds a member that is known to be new; this must be an object.
  void append(Member member);

  /// For error lines: `the string "abc"`, `the number 3`, `an array`, `true`, `null`.
  std::string description() const;

  bool operator==(const JsonValue& other) const;

 private:
  friend class JsonWriter;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
  bool operator==(const Member& other) const { return key == other.key && value == other.value; }
};

/// An array of what `make` gives for each element of a range.
template <class Range, class Make = std::identity>
JsonValue array_of(const Range& range, const Make& make = {}) {
  auto array = JsonValue::array();
  for (const auto& element : range) array.push(make(element));
  return array;
}

/// What a document may be. The limit on values bounds the tree's memory, which is many times the text's.
struct JsonLimits {
  static constexpr std::size_t kDepth = 64;
  static constexpr std::size_t kBytes = 16U << 20U;
  static constexpr std::size_t kValues = 1'000'000;
};

/// Reads a document from text; `name` stands for the file in errors.
/// Throws InputError on syntax errors (with line and column), duplicate keys, and anything beyond JsonLimits.
JsonValue parse_json(std::string_view text, const std::string& name);

/// The bytes of a file or a pipe, which is read once. Throws InputError that expects `expected` if it is missing, unreadable
/// or has more than `most` bytes; of one that is too large nothing is read.
std::string read_whole(const std::string& path, std::size_t most, const std::string& expected);

/// Refuses a string or key, however deep in the value, that is no printable text (tools/text/printable.hpp): all that
/// comes from outside is, so that what is printed of it is what a terminal shows.
void check_printable(const JsonValue& value, const JsonLocation& place);

/// Reads a document from a file; reads nothing from one that is too large. Throws InputError as parse_json and
/// check_printable do, and if the file is missing or unreadable.
JsonValue read_json_file(const std::string& path);

/// Several lines with two spaces of indentation, ending in a newline. Reals are the shortest text that reads back as
/// the same double; an infinity or NaN, which JSON lacks, becomes null.
std::string to_json(const JsonValue& value);
/// The same, with arrays and objects that fit into 120 columns on one line each, but for the outermost.
std::string to_folded_json(const JsonValue& value);
/// One line without spaces and with members sorted by key: equal values give equal text whatever the order of members.
std::string to_canonical_json(const JsonValue& value);

}  // namespace racksim::tools
