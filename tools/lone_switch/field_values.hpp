// Values of packet fields and registers as people write and read them: plain and hexadecimal numbers, MAC and IPv4
// addresses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A value of `bits` bits: a JSON number, or a string with a number ("12", "0x0c"), a MAC address where there are 48
/// bits, or an IPv4 address where there are 32. Throws InputError for anything else and for what is too wide.
std::uint64_t read_value(const JsonValue& value, unsigned bits, const JsonLocation& place);

/// A value of the named field: addresses where the headers of networks have them, large numbers in hexadecimal.
std::string value_text(std::string_view field, unsigned bits, std::uint64_t value);

/// What a register holds: of a pair "(lo, hi)".
std::string register_text(unsigned half_bits, bool pair, std::uint64_t value);

}  // namespace racksim::tools
