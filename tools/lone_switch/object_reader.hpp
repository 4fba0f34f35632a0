// Reading of JSON objects member by member, where what is unknown, absent or out of range is refused by its place.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {

/// The elements at `place`, or an InputError.
inline const JsonValue::Array& require_array(const JsonValue& value, const JsonLocation& place) {
  if (const auto* elements = value.elements()) return *elements;
  place.refuse(value.description(), "an array");
}

/// The members of an object, each asked for once; what was not asked for is unknown.
class ObjectReader {
 public:
  ObjectReader(const JsonValue& value, JsonLocation place, std::vector<std::string> known)
      : members_(require_object(value, place)), place_(std::move(place)) {
    for (const auto& member : members_) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      place_.member(member.key).refuse(quote(member.key), one_of(known), nearest_name(member.key, known));
    }
  }
  const JsonLocation& place() const { return place_; }
  const JsonValue* optional(std::string_view key) const {
    for (const auto& member : members_) {
      if (member.key == key) return &member.value;
    }
    return nullptr;
  }
  const JsonValue& required(std::string_view key) const {
    if (const auto* value = optional(key)) return *value;
    place_.refuse("an object without it", fmt::format("a member {}", quote(key)));
  }
  /// A whole number from `least` to `most`, or `otherwise` when it is not given.
  std::uint64_t number(std::string_view key, std::uint64_t least, std::uint64_t most,
                       std::optional<std::uint64_t> otherwise = std::nullopt) const {
    const JsonValue* value = optional(key);
    if (!value && otherwise) return *otherwise;
    const JsonValue& given = value ? *value : required(key);
    const auto number = given.natural();
    if (number && least <= *number && *number <= most) return *number;
    place_.member(key).refuse(given.description(), fmt::format("a whole number from {} to {}", least, most));
  }
  std::string text(std::string_view key, const std::string& expected) const {
    return require_string(required(key), place_.member(key), expected);
  }

  /// The elements of an array that may be given, with their places.
  template <class Read>
  void each(std::string_view key, Read read) const {
    const auto* value = optional(key);
    if (!value) return;
    const JsonLocation place = place_.member(key);
    const auto& elements = require_array(*value, place);
    for (std::size_t i = 0; i < elements.size(); ++i) read(elements[i], place.element(i));
  }

  /// The index among `names` of the name that a member gives.
  std::size_t choice(std::string_view key, const std::string& expected, const std::vector<std::string>& names) const {
    const auto name = text(key, expected);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) place_.member(key).refuse(quote(name), one_of(names), nearest_name(name, names));
    return static_cast<std::size_t>(found - names.begin());
  }

 private:
  const JsonValue::Object& members_;
  JsonLocation place_;
};

}  // namespace racksim::tools
