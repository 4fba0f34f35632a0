// Rows and tables of a schema, and what a row looks like in memory: a slot.
//
//   | header of the engine | version, version before it | row |
//
// The lowest bit of the header's first byte says whether the row is there: so absence has a version as well, and whoever
// looks for a row in vain has read something that an insert changes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace racksim::app {

/// Rows that are alike. Keys of one part (a warehouse's, say) follow each other.
struct RowTable {
  std::string name;
  std::uint64_t keys = 0;           ///< the rows that there may be have keys below
  std::uint64_t row_bytes = 0;      ///< of each, 1 at least
  std::uint64_t keys_per_part = 0;  ///< a key's part is key / keys_per_part; 0: nobody writes it, each node has its own
};

/// A row that is there or not: the number of its table in the schema, and its primary key, which is one number.
struct Row {
  std::uint32_t table = 0;
  std::uint64_t key = 0;
  auto operator<=>(const Row&) const = default;
  /// One number for both.
  std::uint64_t packed() const { return std::uint64_t{table} << 56 | key; }
};

/// Which write a row is from, and which it has replaced: 16 bytes in front of the row. 0: what was there at first.
struct Versions {
  std::uint64_t version = 0;
  std::uint64_t before = 0;

  static constexpr std::size_t kBytes = 16;
  static Versions from(std::span<const std::byte> bytes) {
    Versions versions;
    std::memcpy(&versions.version, bytes.data(), 8);
    std::memcpy(&versions.before, bytes.data() + 8, 8);
    return versions;
  }
  void to(std::span<std::byte> bytes) const {
    std::memcpy(bytes.data(), &version, 8);
    std::memcpy(bytes.data() + 8, &before, 8);
  }
  bool operator==(const Versions&) const = default;
};

/// Slots are as long as this, so that none shares a word with another.
constexpr std::uint64_t slot_size(std::uint64_t row_bytes, std::uint64_t header_bytes) {
  return (header_bytes + Versions::kBytes + row_bytes + 7) / 8 * 8;
}

}  // namespace racksim::app
