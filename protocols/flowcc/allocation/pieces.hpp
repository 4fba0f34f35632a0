// The pieces of global memory that are in use, of all threads of the rack, with their sizes.
//
// A real library finds the size of what it frees in a header before it, or the application says it; here it is looked
// up, which takes no message. That pieces never overlap is checked here, apart from the threads that carve them.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <stdexcept>

#include "models/host/global_address.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

class Pieces {
 public:
  explicit Pieces(std::uint64_t block_bytes) : block_bytes_(block_bytes) {}

  /// A thread has carved one. Breaks an invariant if it overlaps another, or lies in more blocks than it has to.
  void use(models::GlobalAddress first, std::uint64_t bytes) {
    const std::uint64_t in_block = first.value & (block_bytes_ - 1);
    RACKSIM_INVARIANT(in_block == 0 || in_block + bytes <= block_bytes_,
                      "a piece lies in no more blocks than its size needs");
    [[maybe_unused]] const auto [piece, is_new] = used_.emplace(first.value, bytes);
    RACKSIM_INVARIANT(is_new, "two pieces do not begin at one address");
    RACKSIM_INVARIANT(piece == used_.begin() || std::prev(piece)->first + std::prev(piece)->second <= first.value,
                      "a piece does not overlap the one before it");
    RACKSIM_INVARIANT(std::next(piece) == used_.end() || first.value + bytes <= std::next(piece)->first,
                      "a piece does not overlap the one behind it");
    bytes_ += bytes;
  }
  /// Somebody frees one; returns its size. Throws std::invalid_argument for what is no piece in use: what was freed
  /// already, never allocated, or reserved before the run, or does not begin there.
  std::uint64_t free(models::GlobalAddress first) {
    const auto piece = used_.find(first.value);
    if (piece == used_.end()) {
      throw std::invalid_argument(fmt::format("address {:#x} is no allocation's", first.value));
    }
    const std::uint64_t bytes = piece->second;
    used_.erase(piece);
    bytes_ -= bytes;
    return bytes;
  }

  /// Of one that begins here and is in use; else 0.
  std::uint64_t size_of(models::GlobalAddress first) const {
    const auto piece = used_.find(first.value);
    return piece == used_.end() ? 0 : piece->second;
  }
  /// Calls `visit(GlobalAddress first, std::uint64_t bytes)` for each that is in use.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const auto& [first, bytes] : used_) visit(models::GlobalAddress{first}, bytes);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t block_bytes_;
  std::map<std::uint64_t, std::uint64_t> used_;  // address to size
  std::uint64_t bytes_ = 0;
};

}  // namespace racksim::flowcc
