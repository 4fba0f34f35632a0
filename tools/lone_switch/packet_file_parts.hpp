// Parts of packet files that need to know nothing of the rest (packet_file.hpp).
#pragma once

#include "models/switch/packet_generator.hpp"
#include "p4model/language/key_match.hpp"
#include "sim/kernel/time.hpp"
#include "tools/lone_switch/object_reader.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {

/// A length of time or a rate in the file's units.
template <class Parse>
auto with_unit(const JsonValue& value, const JsonLocation& place, const std::string& expected, Parse parse) {
  try {
    return parse(require_string(value, place, expected));
  } catch (const UnitError& error) {
    place.refuse(value.description(), error.what());
  }
}

/// An instant of the run, at most 1 s.
sim::Time read_time(const JsonValue& value, const JsonLocation& place);

/// What an entry asks of a key field of so many bits: a value, or an object, or "any".
p4::KeyMatch read_match(const JsonValue& value, unsigned bits, const JsonLocation& place);

/// What "trigger" of a generator may name.
const std::vector<std::string>& packet_triggers();

/// What fires an application of the packet generator, beside the times that it fires at.
void read_trigger(const ObjectReader& object, models::GeneratorApp& app);

}  // namespace racksim::tools
