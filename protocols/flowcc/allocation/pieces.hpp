// The pieces of global memory that are in use, of all threads of the rack, with their sizes.
//
// A real library finds the size of what it frees in a header before it, or the application says it; here it is looked
// up, which takes no message. That pieces never overlap is checked here, apart from the threads that carve them.
#pragma once

#include <cstdint>
#include <map>

#include "models/host/global_address.hpp"

namespace racksim::flowcc {

class Pieces {
 public:
  explicit Pieces(std::uint64_t block_bytes) : block_bytes_(block_bytes) {}

  /// A thread has carved one. Breaks an invariant if it overlaps another, or lies in more blocks than it has to.
  void use(models::GlobalAddress first, std::uint64_t bytes);
  /// Somebody frees one; returns its size. Throws std::invalid_argument for what is no piece in use: what was freed
  /// already, never allocated, or reserved before the run, or does not begin there.
  std::uint64_t free(models::GlobalAddress first);

  /// Of one that begins here and is in use; else 0.
  std::uint64_t size_of(models::GlobalAddress first) const {
    const auto piece = used_.find(first.value);
    return piece == used_.end() ? 0 : piece->second;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t block_bytes_;
  std::map<std::uint64_t, std::uint64_t> used_;  // address to size
  std::uint64_t bytes_ = 0;
};

}  // namespace racksim::flowcc
