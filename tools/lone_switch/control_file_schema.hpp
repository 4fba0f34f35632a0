// The JSON Schema of what the control plane does in a packet file, and of what is expected: what control_file.cpp and
// expectations.cpp read for any program. They refer to `#/$defs` of packet files (packet_file_schema.cpp).
#pragma once

#include <initializer_list>

#include "tools/json/json_schema.hpp"

namespace racksim::tools {

/// `#/$defs/NAME`.
inline JsonValue ref(const char* name) {
  return definition_schema(name);
}
/// Of an object with these members.
inline JsonValue needs(std::initializer_list<const char*> names) {
  auto schema = JsonValue::object();
  require_members(schema, names);
  return schema;
}

JsonValue idle_timeouts_schema();
JsonValue control_schema();
/// What is expected of a packet, and in the end.
JsonValue packet_expectation_schema();
JsonValue final_expectation_schema();
/// `#/$defs/match`: what an entry asks of a key field.
JsonValue match_schema();

}  // namespace racksim::tools
