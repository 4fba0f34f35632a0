// Exact conversion of quantities with units.
#include "tools/text/units.hpp"

#include <fmt/core.h>

#include <limits>
#include <span>

namespace racksim::tools {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kThousand = 1'000;
constexpr Unit kSizes[] = {
    {"B", 1},
    {"KB", kThousand},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", 1ULL << 10},
    {"MiB", 1ULL << 20},
    {"GiB", 1ULL << 30},
    {"TiB", 1ULL << 40},
};
constexpr Unit kLengths[] = {
    {"ps", 1}, {"ns", kThousand}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000},
};
constexpr Unit kRates[] = {
    {"bps", 1}, {"Kbps", kThousand}, {"Mbps", 1'000'000}, {"Gbps", 1'000'000'000}, {"Tbps", 1'000'000'000'000},
};

/// What a kind of quantity is called in errors.
struct Quantity {
  std::span<const Unit> units;
  std::string_view example;
  std::string_view whole;
};

constexpr Quantity kSize{kSizes, "a size such as \"4KiB\"", "a whole number of bytes"};
constexpr Quantity kLength{kLengths, "a length of time such as \"10ms\"", "a whole number of picoseconds"};
constexpr Quantity kRate{kRates, "a data rate such as \"100Gbps\"", "a whole number of bits per second"};

std::string unit_names(const Quantity& quantity, std::string_view separator) {
  std::string names;
  for (const auto& unit : quantity.units) {
    if (!names.empty()) names += separator;
    names += unit.name;
  }
  return names;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::uint64_t parse(std::string_view text, const Quantity& quantity) {
  const auto no_quantity = [&] {
    return UnitError(fmt::format("{} (units: {})", quantity.example, unit_names(quantity, " ")));
  };
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto too_large = [&] {
    return UnitError(fmt::format("{} below 2^63 {}", quantity.example, quantity.units.front().name));
  };

  std::size_t at = 0;
  std::uint64_t mantissa = 0;
  const auto take_digit = [&](char c) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (mantissa > (kLargest - digit) / 10) throw too_large();
    mantissa = mantissa * 10 + digit;
  };
  while (at < text.size() && is_digit(text[at])) take_digit(text[at++]);
  if (at == 0) throw no_quantity();
  std::uint64_t divisor = 1;
  if (at < text.size() && text[at] == '.') {
    const auto first = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == first) throw no_quantity();
    auto fraction = text.substr(first, at - first);
    while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    // With 19 decimals no unit leaves a whole number.
    for (const char c : fraction) {
      if (divisor > kLargest / 10) throw UnitError(fmt::format("{}, {}", quantity.example, quantity.whole));
      take_digit(c);
      divisor *= 10;
    }
  }

  const auto name = text.substr(at);
  for (const auto& unit : quantity.units) {
    if (unit.name != name) continue;
    __extension__ using Wide = unsigned __int128;
    const auto scaled = static_cast<Wide>(mantissa) * unit.factor;
    if (scaled % divisor != 0) throw UnitError(fmt::format("{}, {}", quantity.example, quantity.whole));
    if (scaled / divisor > kLargest) throw too_large();
    return static_cast<std::uint64_t>(scaled / divisor);
  }
  throw no_quantity();
}

std::string format(std::uint64_t value, const Quantity& quantity) {
  std::string best;
  for (const auto& unit : quantity.units) {
    if (value % unit.factor != 0) continue;
    auto text = fmt::format("{}{}", value / unit.factor, unit.name);
    // Zero is written in the smallest unit; of equally short texts the larger unit is easier to read.
    if (best.empty() || (value != 0 && text.size() <= best.size())) best = std::move(text);
  }
  return best;
}

std::string pattern(const Quantity& quantity) {
  return fmt::format("^[0-9]+(\\.[0-9]+)?({})$", unit_names(quantity, "|"));
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  return parse(text, kSize);
}
sim::Duration parse_length(std::string_view text) {
  return sim::Duration::from_ps(static_cast<std::int64_t>(parse(text, kLength)));
}
std::uint64_t parse_rate(std::string_view text) {
  return parse(text, kRate);
}

std::string format_size(std::uint64_t bytes) {
  return format(bytes, kSize);
}
std::string format_length(sim::Duration length) {
  if (length < sim::Duration{}) return "-" + format_length(-length);
  return format(static_cast<std::uint64_t>(length.ps()), kLength);
}
std::string format_rate(std::uint64_t bits_per_second) {
  return format(bits_per_second, kRate);
}

std::string size_pattern() {
  return pattern(kSize);
}
std::string length_pattern() {
  return pattern(kLength);
}
std::string rate_pattern() {
  return pattern(kRate);
}

}  // namespace racksim::tools
