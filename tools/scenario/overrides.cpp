// Applying `--set path=value`.
#include "tools/scenario/overrides.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The keys of a JSON pointer.
std::vector<std::string> keys_of(const std::string& pointer) {
  auto tokens = split(pointer.substr(1), '/');
  for (auto& token : tokens) {
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
      key += escape ? (token[++i] == '0' ? '~' : '/') : token[i];
    }
    token = std::move(key);
  }
  return tokens;
}

JsonValue parse_value(const std::string& text) {
  try {
    return parse_json(text, "--set");
  } catch (const InputError&) {
    return text;
  }
}

/// The index that `key` is, or nothing.
std::optional<std::size_t> index_of(const std::string& key) {
  std::size_t index = 0;
  const auto* end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, index);
  return error == std::errc{} && stop == end ? std::optional(index) : std::nullopt;
}

/// The element that `key` names, where the index after the last one adds an element.
JsonValue& element(JsonValue& array, const std::string& key, const JsonLocation& place) {
  const auto index = index_of(key);
  const auto size = array.elements()->size();
  if (!index || *index > size) {
    place.refuse("the index " + quote(key), "a whole number from 0 to " + std::to_string(size));
  }
  return *index == size ? array.push({}) : *array.find(*index);
}

}  // namespace

Override parse_override(const std::string& text) {
  const auto equals = text.find('=');
  const JsonLocation place{"--set " + text, ""};
  check_printable(text, place);
  if (equals == std::string::npos || equals == 0)
    place.refuse(equals == 0 ? "no path before the \"=\"" : "no \"=\"", "path=value, such as workload.kind=micro");
  const auto path = text.substr(0, equals);
  Override result{text, "", parse_value(text.substr(equals + 1))};
  if (path.front() == '/') {
    result.pointer = path;
  } else {
    for (const auto& key : split(path, '.')) result.pointer += "/" + pointer_token(key);
  }
  check_printable(result.value, {place.file, result.pointer});
  for (const auto& key : keys_of(result.pointer)) {
    if (key.empty()) place.refuse("an empty name in the path", "names with one dot between them");
  }
  return result;
}

void apply_override(JsonValue& document, const Override& override_) {
  const auto keys = keys_of(override_.pointer);
  if (keys.size() >= JsonLimits::kDepth) {
    JsonLocation{"--set " + override_.text, ""}.refuse("a path of " + std::to_string(keys.size()) + " names",
                                                       "a path of fewer than " + std::to_string(JsonLimits::kDepth));
  }
  JsonLocation place{"--set " + override_.text, ""};
  auto* value = &document;
  for (const auto& key : keys) {
    if (value->is_array()) {
      value = &element(*value, key, place);
    } else if (value->is_object() || value->is_null()) {
      auto* member = value->find(key);
      value = member ? member : &value->set(key, {});
    } else {
      place.refuse(value->description(), "an object with a member " + quote(key));
    }
    place = place.member(key);
  }
  *value = override_.value;
}

bool erase_overridden(JsonValue& document, const Override& override_) {
  const auto keys = keys_of(override_.pointer);
  auto* value = &document;
  for (std::size_t i = 0; i + 1 < keys.size() && value; ++i) {
    const auto index = value->is_array() ? index_of(keys[i]) : std::nullopt;
    value = index ? value->find(*index) : value->find(keys[i]);
  }
  if (!value) return false;
  const auto index = value->is_array() ? index_of(keys.back()) : std::nullopt;
  return index ? value->erase(*index) : value->erase(keys.back());
}

bool concerns(const Override& override_, const std::string& pointer) {
  const auto& a = override_.pointer;
  const auto contains = [](const std::string& outer, const std::string& inner) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
  };
  return contains(a, pointer) || (!pointer.empty() && contains(pointer, a));
}

const JsonValue* value_at_path(const JsonValue& configuration, const std::string& path) {
  const JsonValue* value = &configuration;
  for (std::size_t begin = 0; value && begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    value = value->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return value;
}

std::string override_text(const JsonValue& value) {
  const auto* text = value.string();
  const auto safe = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  };
  const bool plain = text && !text->empty() && std::all_of(text->begin(), text->end(), safe) &&
                     std::isalpha(static_cast<unsigned char>(text->back())) && *text != "true" && *text != "false" &&
                     *text != "null";
  return plain ? *text : to_canonical_json(value);
}

}  // namespace racksim::tools
