// A pair of a hash table in memory (GAM §6.2): a header of 8 bytes with both lengths, the key, the value.
//
// A key's bytes are its number, little-endian, and zeros. A value's bytes are the number of the write that gave it, again
// and again: what is put together of two writes shows it. A pair that nobody has put has zeros there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/service/item_parts.hpp"
#include "sim/record/ids.hpp"

namespace racksim::models {

struct PairShape {
  static constexpr std::size_t kHeaderBytes = 8;
  /// A value is at least as long as the number of its write.
  static constexpr std::uint32_t kLeastValue = 8;

  std::uint32_t key_bytes = 0, value_bytes = 0;
  std::uint64_t bytes() const { return kHeaderBytes + key_bytes + value_bytes; }
  std::size_t value_offset() const { return kHeaderBytes + key_bytes; }
};

/// Fills in header and number of the key of a pair, which has room for them.
void write_pair_head(std::span<std::byte> into, const PairShape& shape, sim::Key key);
/// Fills in a whole pair, `shape.bytes()` long.
void write_pair(std::span<std::byte> into, const PairShape& shape, sim::Key key, sim::Value value);
/// Fills in a value.
void write_value(std::span<std::byte> into, sim::Value value);

/// A pair as it was found in memory, of which at least header and key were read.
class StoredPair {
 public:
  explicit StoredPair(std::span<const std::byte> bytes);
  const PairShape& shape() const { return shape_; }
  /// Whether the whole key is this one, of so many bytes.
  bool has_key(sim::Key key, std::uint32_t key_bytes) const;
  sim::Key key() const;
  /// The number of the write that gave the value, by its first bytes.
  sim::Value value() const;
  /// What it is made of, as far as it was read: for whoever judges that it is of one write.
  ItemParts parts() const;

 private:
  std::span<const std::byte> bytes_;
  PairShape shape_;
};

}  // namespace racksim::models
