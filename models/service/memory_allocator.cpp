#include "models/service/memory_allocator.hpp"

#include <fmt/core.h>

#include <iterator>
#include <new>
#include <stdexcept>

#include "models/service/free_extents.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::models {

MemoryAllocator::MemoryAllocator(NodeId first_home, unsigned homes, std::uint64_t block_bytes, std::uint64_t bytes)
    : first_home_(first_home), block_bytes_(block_bytes), homes_(homes) {
  for (Home& home : homes_) {
    home.free.emplace(0, bytes);
    home.left = bytes;
  }
}

std::size_t MemoryAllocator::index_of(NodeId home) const {
  const std::size_t index = static_cast<std::size_t>(home) - first_home_;
  if (index >= homes_.size()) throw std::invalid_argument(fmt::format("node {} holds no memory", home));
  return index;
}

std::uint64_t MemoryAllocator::free_bytes(NodeId home) const {
  return homes_[index_of(home)].left;
}

bool MemoryAllocator::holds(GlobalAddress address) const {
  const std::size_t index = static_cast<std::size_t>(address.home()) - first_home_;
  if (index >= homes_.size()) return false;
  const auto after = homes_[index].used.upper_bound(address.offset());
  if (after == homes_[index].used.begin()) return false;
  const auto& [offset, bytes] = *std::prev(after);
  return address.offset() - offset < bytes;
}

GlobalAddress MemoryAllocator::allocate(std::uint64_t bytes, const AllocationHint& hint) {
  if (bytes == 0) throw std::invalid_argument("an allocation of 0 bytes");
  const std::size_t index = hint.home ? index_of(*hint.home) : turn_++ % homes_.size();
  const std::uint64_t size = (bytes + block_bytes_ - 1) / block_bytes_ * block_bytes_;
  Home& home = homes_[index];
  const auto offset = size < bytes ? std::nullopt : take_first_fit(home.free, size);
  if (!offset) throw std::bad_alloc();
  const auto used = home.used.emplace(*offset, size).first;
  RACKSIM_INVARIANT((used == home.used.begin() || std::prev(used)->first + std::prev(used)->second <= *offset) &&
                        (std::next(used) == home.used.end() || *offset + size <= std::next(used)->first),
                    "allocations do not overlap");
  allocated_ += size;
  home.left -= size;
  return GlobalAddress::at(static_cast<NodeId>(first_home_ + index), *offset);
}

MemoryAllocator::Pieces::const_iterator MemoryAllocator::used_at(GlobalAddress address) const {
  const std::size_t index = static_cast<std::size_t>(address.home()) - first_home_;
  if (index < homes_.size()) {
    const auto used = homes_[index].used.find(address.offset());
    if (used != homes_[index].used.end()) return used;
  }
  throw std::invalid_argument(fmt::format("address {:#x} is no allocation's", address.value));
}

void MemoryAllocator::free(GlobalAddress address) {
  const auto used = used_at(address);
  Home& home = homes_[static_cast<std::size_t>(address.home()) - first_home_];
  allocated_ -= used->second;
  home.left += used->second;
  give_back(home.free, used->first, used->second);
  home.used.erase(used);
}

}  // namespace racksim::models
