// The tree: access, building and comparison.
#include "tools/json/json_document.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tools/json/input_error.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {

JsonValue::JsonValue() = default;
JsonValue::JsonValue(const JsonValue&) = default;
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue&) = default;
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::~JsonValue() = default;

JsonValue::JsonValue(bool value) : value_(value) {}
JsonValue::JsonValue(int value) : JsonValue(std::int64_t{value}) {}
JsonValue::JsonValue(unsigned value) : JsonValue(std::uint64_t{value}) {}
JsonValue::JsonValue(std::uint64_t value) : value_(value) {}
JsonValue::JsonValue(double value) : value_(value) {}
JsonValue::JsonValue(std::string value) : value_(std::move(value)) {}
JsonValue::JsonValue(std::string_view value) : value_(std::string(value)) {}
JsonValue::JsonValue(const char* value) : value_(std::string(value)) {}

JsonValue::JsonValue(std::int64_t value) {
  // One representation for each number: only negative ones are signed.
  if (value < 0) {
    value_ = value;
  } else {
    value_ = static_cast<std::uint64_t>(value);
  }
}

JsonValue JsonValue::array(std::initializer_list<JsonValue> elements) {
  JsonValue value;
  value.value_ = Array(elements);
  return value;
}

JsonValue JsonValue::object(std::initializer_list<Member> members) {
  JsonValue value;
  value.value_ = Object(members);
  return value;
}

std::optional<std::uint64_t> JsonValue::natural() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  // 1e3 and 500.0 are whole numbers (JSON Schema, "integer"); beyond 2^53 a real may not be what was written.
  constexpr double kExact = 9'007'199'254'740'992.0;
  const auto* real = std::get_if<double>(&value_);
  if (real && *real >= 0 && *real <= kExact && std::trunc(*real) == *real) return static_cast<std::uint64_t>(*real);
  return std::nullopt;
}

std::optional<double> JsonValue::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value + 0.0;  // no negative zero
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  return std::nullopt;
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto* object = members();
  if (!object) return nullptr;
  for (const auto& member : *object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue* JsonValue::find(std::string_view key) {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

JsonValue* JsonValue::find(std::size_t index) {
  auto* array = std::get_if<Array>(&value_);
  return array && index < array->size() ? &(*array)[index] : nullptr;
}

JsonValue& JsonValue::set(std::string_view key, JsonValue value) {
  if (is_null()) value_ = Object{};
  auto* object = std::get_if<Object>(&value_);
  if (!object) throw std::logic_error("a member can be set only in a JSON object");
  if (auto* present = find(key)) return *present = std::move(value);
  append({std::string(key), std::move(value)});
  return object->back().value;
}

void JsonValue::set(std::initializer_list<Member> members) {
  for (const auto& [key, value] : members) set(key, value);
}

void JsonValue::append(Member member) {
  std::get<Object>(value_).push_back(std::move(member));
}

JsonValue& JsonValue::set_dotted(std::string_view path, JsonValue value) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return set(path, std::move(value));
  const auto first = path.substr(0, dot);
  auto* group = find(first);
  if (!group) group = &set(first, object());
  return group->set_dotted(path.substr(dot + 1), std::move(value));
}

JsonValue& JsonValue::push(JsonValue value) {
  if (is_null()) value_ = Array{};
  auto* array = std::get_if<Array>(&value_);
  if (!array) throw std::logic_error("an element can be added only to a JSON array");
  array->push_back(std::move(value));
  return array->back();
}

bool JsonValue::erase(std::string_view key) {
  auto* object = std::get_if<Object>(&value_);
  return object && std::erase_if(*object, [&](const Member& member) { return member.key == key; }) > 0;
}

bool JsonValue::erase(std::size_t index) {
  auto* array = std::get_if<Array>(&value_);
  if (!array || index >= array->size()) return false;
  array->erase(array->begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

std::string JsonValue::description() const {
  if (is_null()) return "null";
  if (const auto* value = boolean()) return *value ? "true" : "false";
  if (const auto* value = string()) return "the string " + quote(*value);
  if (const auto* value = elements()) return value->empty() ? "an empty array" : "an array";
  if (is_object()) return "an object";
  return "the number " + to_canonical_json(*this);
}

namespace {

bool is_printable(const JsonValue& value) {
  const auto printable = [](const std::string& text) { return first_unprintable(text) == std::string::npos; };
  if (const auto* text = value.string()) return printable(*text);
  if (const auto* elements = value.elements()) return std::all_of(elements->begin(), elements->end(), is_printable);
  if (!value.is_object()) return true;
  return std::all_of(value.members()->begin(), value.members()->end(),
                     [&](const auto& member) { return printable(member.key) && is_printable(member.value); });
}

}  // namespace

// Places take longer to name than to look at: they are named on the way to a text that is refused.
void check_printable(const JsonValue& value, const JsonLocation& place) {
  if (is_printable(value)) return;
  const auto check = [](const std::string& text, const JsonLocation& here) {
    if (first_unprintable(text) != std::string::npos) here.refuse(unprintable_in_words(text), kPrintableText);
  };
  if (const auto* text = value.string()) check(*text, place);
  if (const auto* elements = value.elements()) {
    for (std::size_t i = 0; i < elements->size(); ++i) check_printable((*elements)[i], place.element(i));
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : *value.members()) {
    check(key, place.member(key));
    check_printable(member, place.member(key));
  }
}

bool JsonValue::operator==(const JsonValue& other) const {
  return value_ == other.value_;
}

}  // namespace racksim::tools
