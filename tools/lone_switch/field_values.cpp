// Reading and writing of values. See field_values.hpp.
#include "tools/lone_switch/field_values.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>

#include "p4model/language/header.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

std::optional<std::uint64_t> number_of(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `count` numbers below 256 with a separator between them, the first one on top.
std::optional<std::uint64_t> bytes_of(std::string_view text, char separator, int base, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    const auto end = text.find(separator);
    if ((end == std::string_view::npos) != (i == count - 1)) return std::nullopt;
    const auto byte = number_of(text.substr(0, end), base);
    if (!byte || *byte > 255) return std::nullopt;
    value = value << 8 | *byte;
    text.remove_prefix(i == count - 1 ? text.size() : end + 1);
  }
  return value;
}

std::optional<std::uint64_t> value_in(std::string_view text, unsigned bits) {
  if (text.starts_with("0x")) return number_of(text.substr(2), 16);
  if (bits == 48 && text.find(':') != std::string_view::npos) return bytes_of(text, ':', 16, 6);
  if (bits == 32 && text.find('.') != std::string_view::npos) return bytes_of(text, '.', 10, 4);
  return number_of(text, 10);
}

constexpr std::uint64_t kLargestDecimal = 9999;

std::string number_text(std::uint64_t value) {
  return value > kLargestDecimal ? fmt::format("{:#x}", value) : fmt::format("{}", value);
}

std::string match_text(std::string_view field, unsigned bits, const p4::KeyMatch& match) {
  using Form = p4::KeyMatch::Form;
  auto value = value_text(field, bits, match.value());
  switch (match.form()) {
    case Form::value:
      break;
    case Form::masked:
      return fmt::format("{} &&& {:#x}", value, match.extent());
    case Form::prefix:
      return fmt::format("{}/{}", value, match.extent());
    case Form::range:
      return fmt::format("{}..{}", value, value_text(field, bits, match.extent()));
    case Form::any:
      return "any";
  }
  return value;
}

}  // namespace

std::uint64_t read_value(const JsonValue& value, unsigned bits, const JsonLocation& place) {
  std::optional<std::uint64_t> number = value.natural();
  if (const auto* text = value.string()) number = value_in(*text, bits);
  const std::uint64_t most = p4::mask_of(bits);
  if (number && *number <= most) return *number;
  const char* address = bits == 48 ? ", or a MAC address" : bits == 32 ? ", or an IPv4 address" : "";
  place.refuse(value.description(), fmt::format("a value of {}, a number (or its text, \"0x...\" too) from 0 to {}{}",
                                                counted(bits, "bit"), most, address));
}

std::string value_text(std::string_view field, unsigned bits, std::uint64_t value) {
  if (bits == 48 && field.starts_with("ethernet.")) {
    std::string text;
    for (int shift = 40; shift >= 0; shift -= 8) {
      text += fmt::format("{}{:02x}", shift == 40 ? "" : ":", value >> shift & 0xff);
    }
    return text;
  }
  if (bits == 32 && field.starts_with("ipv4.")) {
    return fmt::format("{}.{}.{}.{}", value >> 24 & 0xff, value >> 16 & 0xff, value >> 8 & 0xff, value & 0xff);
  }
  if (field == "ethernet.ether_type") return fmt::format("{:#06x}", value);
  return number_text(value);
}

std::string listed(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string nanoseconds(sim::Duration length) {
  return fmt::format("{}.{:03} ns", length.ps() / 1000, length.ps() % 1000);
}

std::string nanoseconds(sim::Time at) {
  return nanoseconds(at - sim::Time{});
}

std::string call_text(const p4::Action& action, std::span<const std::uint64_t> data) {
  return data.empty() ? action.name : fmt::format("{}({})", action.name, listed(named_data(action, data)));
}

NamedValues named_data(const p4::Action& action, std::span<const std::uint64_t> data) {
  NamedValues values;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto& parameter = action.parameters[i];
    values.emplace_back(parameter.name, value_text(parameter.name, parameter.bits, data[i]));
  }
  return values;
}

NamedValues named_key(const p4::Program& program, const p4::Table& table, std::span<const p4::KeyMatch> key) {
  NamedValues values;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto& info = program.info(table.keys[i].field);
    values.emplace_back(info.name, match_text(info.name, info.bits, key[i]));
  }
  return values;
}

std::string register_text(unsigned half_bits, bool pair, std::uint64_t value) {
  if (!pair) return number_text(value);
  return fmt::format("({}, {})", number_text(value & p4::mask_of(half_bits)), number_text(value >> half_bits));
}

}  // namespace racksim::tools
