// Regions, and what is left of them after a crash. See memory.hpp.
#include "models/host/memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

namespace racksim::models {

std::uint32_t Memory::add(Region region) {
  if (region.bytes == 0 || region.begin + (region.bytes - 1) < region.begin) {
    throw std::invalid_argument(
        fmt::format("a region of {} bytes from {:#x} on cannot be registered", region.bytes, region.begin));
  }
  region.key = next_key_++;
  return regions_.emplace(region.key, region).first->first;
}

const Memory::Region* Memory::find(std::uint32_t key) const {
  const auto found = regions_.find(key);
  return found == regions_.end() ? nullptr : &found->second;
}

Memory::Verdict Memory::check(Access access, std::uint64_t address, std::uint32_t key, std::uint32_t bytes) const {
  if (access == Access::atomic && address % sizeof(std::uint64_t) != 0) return Verdict::misaligned;
  if (bytes == 0) return Verdict::allowed;
  const Region* region = find(key);
  if (region == nullptr || address < region->begin || address - region->begin > region->bytes ||
      region->bytes - (address - region->begin) < bytes) {
    return Verdict::refused;
  }
  const Rights& rights = region->rights;
  const bool allowed = access == Access::atomic ? rights.atomic : access == Access::read ? rights.read : rights.write;
  return allowed ? Verdict::allowed : Verdict::refused;
}

p4::Content Memory::read(std::uint64_t address, std::size_t bytes) const {
  return p4::Content::filled(bytes, [&](std::span<std::byte> room) { words_.read(address, room); });
}

void Memory::crash() {
  std::erase_if(regions_, [](const auto& entry) { return !entry.second.durable; });
  if (regions_.empty()) return words_.clear();
  words_.rewrite([this](std::uint64_t number, SparseWords::Page& page) {
    const SparseWords::Page before = std::exchange(page, {});
    const std::uint64_t first = number * SparseWords::kPageBytes, last = first + (SparseWords::kPageBytes - 1);
    for (const auto& [key, region] : regions_) {
      const std::uint64_t from = std::max(first, region.begin);
      const std::uint64_t to = std::min(last, region.begin + (region.bytes - 1));  // inclusive
      if (from > to) continue;
      std::memcpy(reinterpret_cast<std::byte*>(page.data()) + (from - first),
                  reinterpret_cast<const std::byte*>(before.data()) + (from - first), to - from + 1);
    }
  });
}

}  // namespace racksim::models
