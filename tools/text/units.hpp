// Sizes, lengths of time and data rates as people write them, converted exactly.
//
// "0.1us" is 100,000 ps: decimal fractions are scaled as integers, and what is not a whole picosecond, byte or bit per
// second is refused instead of rounded.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/kernel/time.hpp"

namespace racksim::tools {

/// A text is no such quantity. `what()` says what was expected, to follow the word "expected" in an error line.
class UnitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes from "64B", "4KiB", "1.5GiB", "8GB"; KB, MB, GB, TB are powers of 1000, KiB to TiB powers of 1024.
/// Throws UnitError if the text is anything else or the value reaches 2^63.
std::uint64_t parse_size(std::string_view text);
/// A length of time from "250ps", "3ns", "1.5us", "10ms", "1s". Throws UnitError as above.
sim::Duration parse_length(std::string_view text);
/// Bits per second from "9600bps", "100Gbps" (units bps, Kbps, Mbps, Gbps, Tbps). Throws UnitError as above.
std::uint64_t parse_rate(std::string_view text);

/// The shortest exact text with a whole number and a unit, such that parsing gives the value back.
std::string format_size(std::uint64_t bytes);
std::string format_length(sim::Duration length);
std::string format_rate(std::uint64_t bits_per_second);

/// The texts that the parsers accept, as regular expressions for the JSON Schema.
std::string size_pattern();
std::string length_pattern();
std::string rate_pattern();

}  // namespace racksim::tools
