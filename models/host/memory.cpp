// Regions and pages. See memory.hpp.
#include "models/host/memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

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
  std::vector<std::byte> large;
  std::array<std::byte, p4::Content::kInlineBytes> small{};
  if (bytes > small.size()) large.resize(bytes);
  const std::span<std::byte> out{bytes > small.size() ? large.data() : small.data(), bytes};
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t offset = (address + done) % kPageBytes, part = std::min(bytes - done, kPageBytes - offset);
    const auto page = pages_.find((address + done) / kPageBytes);
    if (page != pages_.end()) std::memcpy(out.data() + done, page->second->data() + offset, part);
    done += part;
  }
  return p4::Content::of_bytes(out);
}

void Memory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t offset = (address + done) % kPageBytes;
    const std::size_t part = std::min(bytes.size() - done, kPageBytes - offset);
    auto& page = pages_[(address + done) / kPageBytes];
    if (!page) page = std::make_unique<Page>();
    std::memcpy(page->data() + offset, bytes.data() + done, part);
    done += part;
  }
}

void Memory::crash() {
  std::erase_if(regions_, [](const auto& entry) { return !entry.second.durable; });
  auto survivors = std::exchange(pages_, {});
  for (const auto& [key, region] : regions_) {
    for (auto page = survivors.lower_bound(region.begin / kPageBytes);
         page != survivors.end() && page->first <= (region.begin + (region.bytes - 1)) / kPageBytes; ++page) {
      const std::uint64_t first = page->first * kPageBytes;
      const std::uint64_t from = std::max(first, region.begin) - first;
      const std::uint64_t to = std::min<std::uint64_t>(kPageBytes, region.begin + (region.bytes - 1) - first + 1);
      write(first + from, std::span<const std::byte>(page->second->data() + from, to - from));
    }
  }
}

}  // namespace racksim::models
