// The sizes of the pieces that threads carve out of chunks (Concordia §6, "Global memory allocation": "in a
// fine-grained way"). The paper names no classes; these keep a piece from lying in more blocks than it has to, since
// every block of it is a coherence event of its own.
#pragma once

#include <cstdint>

#include "models/service/memory_service.hpp"

namespace racksim::flowcc {

/// Up to a block a class is the largest size of which as many fit into a block, so that no piece crosses a block's end.
/// Above it a piece is whole blocks.
class SizeClasses {
 public:
  /// A chunk is a multiple of a block.
  SizeClasses(std::uint64_t block_bytes, std::uint64_t chunk_bytes) : block_(block_bytes), chunk_(chunk_bytes) {}

  std::uint64_t block_bytes() const { return block_; }

  /// The size of the piece that holds so many bytes: 1 to what an address can name.
  std::uint64_t piece_of(std::uint64_t bytes) const {
    if (bytes > block_) return rounded(bytes, block_);
    return block_ / (block_ / rounded(bytes, kWord)) / kWord * kWord;
  }
  /// How much a thread asks a home agent for when it has no room for a piece: a chunk, or as many in a row as it takes.
  std::uint64_t chunks_for(std::uint64_t piece) const { return rounded(piece, chunk_); }

 private:
  static constexpr std::uint64_t kWord = models::MemoryService::kWordBytes;
  static constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  std::uint64_t block_, chunk_;
};

}  // namespace racksim::flowcc
