// Where the pairs lie that a table is loaded with before the run: dealt out to the memory nodes key by key, and at each in
// the order of the keys, one behind the other. None lies over the end of a line unless it is longer than one; such a one
// has lines for itself. Nothing is stored of them: a pair's place is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/service/key_value_service.hpp"

namespace racksim::models {

/// Memory: none if all values are of one size, else a byte a key.
class LoadedPairs {
 public:
  /// Keys below `keys`, on so many nodes.
  LoadedPairs(std::uint64_t keys, unsigned nodes, std::uint64_t line_bytes, const ItemSizes& sizes);

  unsigned node_of(std::uint64_t key) const { return static_cast<unsigned>(key % nodes_); }
  /// In its node's area.
  std::uint64_t offset_of(std::uint64_t key) const;
  /// What every node needs for its pairs, in whole lines; 0 for no keys.
  std::uint64_t bytes_of_node() const { return bytes_of_node_; }
  /// The last pair of a node that begins at an offset or before it; nothing if none does.
  std::optional<std::uint64_t> key_at(unsigned node, std::uint64_t offset) const;
  std::uint64_t bytes_of(std::uint64_t key) const;

 private:
  static constexpr std::uint64_t kStride = 8;

  /// Where a pair of so many bytes begins that comes behind `end`.
  std::uint64_t place_behind(std::uint64_t end, std::uint64_t bytes) const;
  std::uint64_t end_of(std::uint64_t begin, std::uint64_t bytes) const;
  std::uint64_t keys_of(unsigned node) const { return keys_ > node ? (keys_ - node + nodes_ - 1) / nodes_ : 0; }

  std::uint64_t keys_;
  unsigned nodes_;
  std::uint64_t line_bytes_;
  ItemSizes sizes_;
  std::uint64_t bytes_of_node_ = 0;
  bool alike_;
  // Of pairs that are all alike:
  std::uint64_t pairs_per_line_ = 0, bytes_per_pair_ = 0;  // the first is 0 if a pair needs lines for itself
  // Of others: by node, where every kStride-th begins.
  std::vector<std::vector<std::uint64_t>> begins_;
};

}  // namespace racksim::models
