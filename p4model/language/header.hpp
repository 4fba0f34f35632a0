// What a header looks like: the names and bit widths of its fields, declared next to a C++ struct of 64-bit members.
//
//   struct Ethernet {
//     std::uint64_t dst = 0, src = 0, ether_type = 0;
//     static constexpr HeaderLayout kLayout{"ethernet", {{"dst", 48}, {"src", 48}, {"ether_type", 16}}};
//   };
//
// The struct is what code reads and writes; the layout says how the same values look on the wire (network order, fields
// packed without padding) and how the switch's parser sees them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace racksim::p4 {

/// The largest value that fits in `bits` (1..64) bits.
constexpr std::uint64_t mask_of(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// What hardware can put in front of a mirror copy, in words of 64 bits: 32 bytes (docs/hardware.md 6.6).
inline constexpr std::size_t kMirrorWords = 4;

/// One field of a header: 1 to 64 bits.
struct HeaderField {
  std::string_view name;
  unsigned bits = 0;
};

/// Names and widths of a header's fields in wire order. Identity is the address: one layout per header type.
class HeaderLayout {
 public:
  static constexpr std::size_t kMaxFields = 24;

  /// Refuses (at compile time) widths outside 1..64, more than 24 fields and totals that are no whole bytes.
  constexpr HeaderLayout(std::string_view header_name, std::initializer_list<HeaderField> list) : name(header_name) {
    for (const auto& field : list) {
      if (count == kMaxFields || field.bits == 0 || field.bits > 64) throw std::logic_error("bad header field");
      fields[count++] = field;
      bits += field.bits;
    }
    if (bits % 8 != 0) throw std::logic_error("a header must be a whole number of bytes");
  }

  constexpr unsigned bytes() const { return bits / 8; }

  std::string_view name;
  std::array<HeaderField, kMaxFields> fields{};
  std::size_t count = 0;
  unsigned bits = 0;
};

/// A type usable as a packet header: a struct of `std::uint64_t` members with a layout that has one field per member.
template <class H>
concept Header = std::is_trivially_copyable_v<H> && std::is_standard_layout_v<H> && std::is_aggregate_v<H> && requires {
  requires std::is_same_v<decltype(H::kLayout), const HeaderLayout>;
} && sizeof(H) == sizeof(std::uint64_t) * H::kLayout.count;

}  // namespace racksim::p4
