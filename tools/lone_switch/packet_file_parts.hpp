// Parts of packet files that need to know nothing of the rest (packet_file.hpp).
#pragma once

#include "models/switch/packet_generator.hpp"
#include "p4model/language/key_match.hpp"
#include "tools/lone_switch/object_reader.hpp"

namespace racksim::tools {

/// What an entry asks of a key field of so many bits: a value, or an object, or "any".
p4::KeyMatch read_match(const JsonValue& value, unsigned bits, const JsonLocation& place);

/// What fires an application of the packet generator, beside the times that it fires at.
void read_trigger(const ObjectReader& object, models::GeneratorApp& app);

}  // namespace racksim::tools
