// Values of packet fields and registers as people write and read them: plain and hexadecimal numbers, MAC and IPv4
// addresses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "p4model/language/program.hpp"
#include "sim/kernel/time.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// Names and values, in the order of a declaration.
using NamedValues = std::vector<std::pair<std::string, std::string>>;
/// "port 1, queue 2".
std::string listed(const NamedValues& values);

/// A value of `bits` bits: a JSON number, or a string with a number ("12", "0x0c"), a MAC address where there are 48
/// bits, or an IPv4 address where there are 32. Throws InputError for anything else and for what is too wide.
std::uint64_t read_value(const JsonValue& value, unsigned bits, const JsonLocation& place);

/// A value of the named field: addresses where the headers of networks have them, large numbers in hexadecimal.
std::string value_text(std::string_view field, unsigned bits, std::uint64_t value);

/// Of each parameter of an action its name and its value.
NamedValues named_data(const p4::Action& action, std::span<const std::uint64_t> data);

/// "to_port(port 1)".
std::string call_text(const p4::Action& action, std::span<const std::uint64_t> data);

/// Of each key field of a table its name and what an entry asks of it.
NamedValues named_key(const p4::Program& program, const p4::Table& table, std::span<const p4::KeyMatch> key);

/// "1000.000 ns".
std::string nanoseconds(sim::Duration length);
std::string nanoseconds(sim::Time at);

/// What a register holds: of a pair "(lo, hi)".
std::string register_text(unsigned half_bits, bool pair, std::uint64_t value);

}  // namespace racksim::tools
