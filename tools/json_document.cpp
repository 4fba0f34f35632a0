// The tree: access, building and comparison.
#include "tools/json_document.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tools/input_error.hpp"

namespace racksim::tools {

std::optional<std::uint64_t> JsonValue::natural() const {
  const auto* value = std::get_if<std::uint64_t>(&value_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> JsonValue::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
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

std::string JsonValue::description() const {
  if (is_null()) return "null";
  if (const auto* value = boolean()) return *value ? "true" : "false";
  if (const auto* value = string()) return "the string " + quote(*value);
  if (const auto* value = elements()) return value->empty() ? "an empty array" : "an array";
  if (is_object()) return "an object";
  return "the number " + to_canonical_json(*this);
}

bool JsonValue::operator==(const JsonValue&) const = default;

}  // namespace racksim::tools
