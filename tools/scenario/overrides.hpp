// `--set path=value`: one value of a scenario replaced before it is bound.
#pragma once

#include <string>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A parsed `--set`. The path is dotted ("workload.read_ratio", "faults.0.kind"), or a JSON pointer where keys hold
/// dots themselves ("/expect/latency_ns.p99/max"). The value is read as JSON, or as a string if it is none.
struct Override {
  std::string text;     ///< as given, for errors
  std::string pointer;  ///< the path as a JSON pointer
  JsonValue value;
};

/// Throws InputError if `text` has no "=" or an empty path.
Override parse_override(const std::string& text);

/// Sets the value in the document, making objects on the way where there are none. Whether the scenario knows the path
/// is for the binding to say. Throws InputError if the path leads through a scalar or past the end of an array.
void apply_override(JsonValue& document, const Override& override_);

/// Removes the member or element that the override names; false if there is none.
bool erase_overridden(JsonValue& document, const Override& override_);

/// True if a value at `pointer` is, holds or lies in the one that the override set.
bool concerns(const Override& override_, const std::string& pointer);

/// The member of a configuration that a dotted path leads to; null if there is none.
const JsonValue* value_at_path(const JsonValue& configuration, const std::string& path);

/// A value as `--set` and a shell in single quotes take it: plain where that reads back as the same.
std::string override_text(const JsonValue& value);

}  // namespace racksim::tools
