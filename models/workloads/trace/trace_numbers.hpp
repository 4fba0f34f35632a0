// Numbers in the text of a trace, read exactly.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace racksim::models {

/// A whole number in decimal digits; nothing if it is anything else, or 2^64 and more.
inline std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

/// The number of a key that is written as numbers are, without zeros in front: others are texts.
inline std::optional<std::uint64_t> key_number(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return whole_number(text);
}

__extension__ using Picoseconds = unsigned __int128;

/// An instant in units of so many picoseconds (a power of ten), with a fraction down to one; nothing if it is anything
/// else.
inline std::optional<Picoseconds> instant(std::string_view text, std::uint64_t unit_ps) {
  const std::size_t dot = text.find('.');
  const auto whole = whole_number(text.substr(0, dot));
  if (!whole) return std::nullopt;
  Picoseconds at = static_cast<Picoseconds>(*whole) * unit_ps;
  if (dot == std::string_view::npos) return at;
  const std::string_view fraction = text.substr(dot + 1);
  if (fraction.empty()) return std::nullopt;
  for (const char digit : fraction) {
    if (digit < '0' || digit > '9') return std::nullopt;
    unit_ps /= 10;
    if (unit_ps == 0 && digit != '0') return std::nullopt;
    at += static_cast<Picoseconds>(digit - '0') * unit_ps;
  }
  return at;
}

/// The last instant of a trace: sim::Time's.
inline constexpr std::uint64_t kLastInstant = std::numeric_limits<std::int64_t>::max();

}  // namespace racksim::models
