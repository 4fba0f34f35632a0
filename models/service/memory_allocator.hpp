// Allocation of global memory: which addresses are free at each home (GAM §3, Malloc and Free).
//
// First fit by ascending address, in whole blocks, so that no two allocations share a block. Neighbours that are free
// become one again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/host/global_address.hpp"

namespace racksim::models {

/// What whoever allocates knows of the use that it will make.
struct AllocationHint {
  enum class Locality : std::uint8_t { any, local, remote };

  std::optional<NodeId> home;         ///< whose memory to take; none: the homes take turns, or as the protocol chooses
  bool shared = true;                 ///< whether several nodes will use it
  Locality locality = Locality::any;  ///< without `home`: where the protocol is to choose it, if it does
};

class MemoryAllocator {
 public:
  /// All that an address can name.
  static constexpr std::uint64_t kEverything = std::uint64_t{1} << GlobalAddress::kOffsetBits;

  /// Homes are the nodes from `first_home` to before `first_home + homes`, each with `bytes` of memory.
  MemoryAllocator(NodeId first_home, unsigned homes, std::uint64_t block_bytes, std::uint64_t bytes = kEverything);

  /// Throws std::invalid_argument for 0 bytes or a home that holds no memory, std::bad_alloc when it has no room.
  GlobalAddress allocate(std::uint64_t bytes, const AllocationHint& hint);
  /// Gives back what `allocate` gave. Throws std::invalid_argument for any other address.
  void free(GlobalAddress address);
  /// What `allocate` gave at an address. Throws as `free` does.
  std::uint64_t bytes_at(GlobalAddress address) const { return used_at(address)->second; }

  /// Calls `visit(GlobalAddress, bytes)` for what is allocated, in the order of addresses.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < homes_.size(); ++i) {
      for (const auto& [offset, bytes] : homes_[i].used) {
        visit(GlobalAddress::at(static_cast<NodeId>(first_home_ + i), offset), bytes);
      }
    }
  }

  /// Whether the address lies in what is allocated.
  bool holds(GlobalAddress address) const;
  /// What a home has left, in bytes. Throws std::invalid_argument if it holds no memory.
  std::uint64_t free_bytes(NodeId home) const;
  /// Allocated and not freed, in bytes.
  std::uint64_t allocated() const { return allocated_; }

 private:
  using Pieces = std::map<std::uint64_t, std::uint64_t>;  // offset to bytes
  struct Home {
    Pieces free, used;
    std::uint64_t left = 0;
  };

  std::size_t index_of(NodeId home) const;
  Pieces::const_iterator used_at(GlobalAddress address) const;

  NodeId first_home_;
  std::uint64_t block_bytes_;
  std::vector<Home> homes_;
  std::size_t turn_ = 0;
  std::uint64_t allocated_ = 0;
};

}  // namespace racksim::models
