// The states that an exploration has met, each numbered, in the order in which it met them.
//
// Encodings lie one after the other in blocks of memory; a table of numbers, open addressing with linear probing, finds
// them. States are compared byte by byte, so nothing rests on a hash.
//
// Memory: the encoding and about 26 bytes a state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace racksim::sim {

class StateStore {
 public:
  StateStore() : table_(1024, kNone) {}

  /// The number of the state, and whether it is new. At most 2^32 - 2 states of at most 64 KiB.
  std::pair<std::uint32_t, bool> add(std::string_view encoding);
  std::string_view state(std::uint32_t number) const {
    const Extent& extent = extents_[number];
    return {blocks_[extent.block].get() + extent.offset, extent.size};
  }
  std::size_t size() const { return extents_.size(); }
  std::uint64_t bytes() const {
    return blocks_.size() * kBlock + extents_.capacity() * sizeof(Extent) + table_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  struct Extent {
    std::uint32_t block, offset;
    std::uint32_t size, hash;
  };

  void grow();

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = kBlock;  // of the last block
  std::vector<Extent> extents_;
  std::vector<std::uint32_t> table_;
};

}  // namespace racksim::sim
