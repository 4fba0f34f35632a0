// A bucket of a hash table in memory (GAM §6.2): ten entries of 12 bytes and the address of an overflow bucket, 128 bytes
// in all. An entry has 12 bits of its key's hash, 20 bits for the size of its pair, and where that lies.
//
// A bucket lies in memory as one sees it here. No pair and no overflow bucket lies at address 0, where the table begins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "models/host/global_address.hpp"

namespace racksim::models {

struct BucketEntry {
  static constexpr std::size_t kBytes = 12;
  static constexpr unsigned kTagBits = 12, kSizeBits = 20;
  static constexpr std::uint32_t kMostBytes = (1u << kSizeBits) - 1;

  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;  ///< of the pair; 0: no entry
  GlobalAddress pair;

  bool is_empty() const { return bytes == 0; }
  /// As it lies in memory.
  std::array<std::byte, kBytes> stored() const {
    std::array<std::byte, kBytes> stored;
    const std::uint32_t word = tag << kSizeBits | bytes;
    std::memcpy(stored.data(), &word, sizeof word);
    std::memcpy(stored.data() + sizeof word, &pair.value, sizeof pair.value);
    return stored;
  }
};

class Bucket {
 public:
  static constexpr std::size_t kBytes = 128;
  static constexpr unsigned kEntries = 10;
  static constexpr std::size_t kOverflow = kEntries * BucketEntry::kBytes;  ///< where its address lies

  static constexpr std::size_t offset_of(unsigned entry) { return entry * BucketEntry::kBytes; }

  BucketEntry entry(unsigned number) const {
    std::uint32_t word = 0;
    BucketEntry entry;
    std::memcpy(&word, bytes_.data() + offset_of(number), sizeof word);
    std::memcpy(&entry.pair.value, bytes_.data() + offset_of(number) + sizeof word, sizeof entry.pair.value);
    entry.tag = word >> BucketEntry::kSizeBits;
    entry.bytes = word & BucketEntry::kMostBytes;
    return entry;
  }
  void set(unsigned number, const BucketEntry& entry) {
    const auto stored = entry.stored();
    std::memcpy(bytes_.data() + offset_of(number), stored.data(), stored.size());
  }
  /// Address 0: there is none.
  GlobalAddress overflow() const {
    GlobalAddress next;
    std::memcpy(&next.value, bytes_.data() + kOverflow, sizeof next.value);
    return next;
  }
  void set_overflow(GlobalAddress next) { std::memcpy(bytes_.data() + kOverflow, &next.value, sizeof next.value); }

  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::array<std::byte, kBytes> bytes_{};
};

}  // namespace racksim::models
