// Carving chunks. See heap.hpp.
#include "models/store/heap.hpp"

#include <algorithm>
#include <bit>

namespace racksim::models {

std::uint64_t Heap::size_of(std::uint64_t bytes) {
  return std::max(std::bit_ceil(bytes), kLeastPiece);
}

sim::Task<GlobalAddress> Heap::allocate(std::uint64_t bytes) {
  const std::uint64_t size = size_of(bytes);
  std::vector<GlobalAddress>& pieces = free_[size];
  if (pieces.empty()) {
    const std::uint64_t lines = std::max(size, memory_.shape().block_bytes);
    if (left_ < lines) {
      const std::uint64_t chunk = std::max(lines, kLeastChunk);
      AllocationHint hint;
      if (memory_.shape().roles.holds_memory(session_.node)) hint.home = session_.node;
      next_ = co_await memory_.allocate(session_, chunk, hint);
      left_ = chunk;
    }
    // Backwards, so that what lies first is used first.
    for (std::uint64_t at = lines; at > 0; at -= size) pieces.push_back({next_.value + at - size});
    next_.value += lines;
    left_ -= lines;
  }
  const GlobalAddress piece = pieces.back();
  pieces.pop_back();
  co_return piece;
}

void Heap::free(GlobalAddress piece, std::uint64_t bytes) {
  free_[size_of(bytes)].push_back(piece);
}

void Heap::adopt(GlobalAddress memory, std::uint64_t bytes) {
  const std::uint64_t size = std::bit_floor(bytes);
  if (size >= kLeastPiece) free_[size].push_back(memory);
}

void Heap::forget() {
  free_.clear();
  left_ = 0;
}

}  // namespace racksim::models
