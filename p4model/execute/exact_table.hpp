// The entries of one exact-match table at run time: a direct array for keys of at most 12 bits, else open addressing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace racksim::p4 {

class ExactTable {
 public:
  static constexpr std::size_t kMaxKeyWords = 8;
  static constexpr std::int32_t kMiss = -1;
  /// Key fields packed into 64-bit words, each field within one word.
  using Key = std::array<std::uint64_t, kMaxKeyWords>;
  struct KeyPart {
    std::uint8_t word = 0, shift = 0;
    std::uint64_t mask = 0;
  };

  /// `bits` of each key field; throws std::runtime_error when they do not fit in 8 words.
  ExactTable(std::string name, const std::vector<unsigned>& bits, std::uint32_t max_entries, std::size_t data_words);

  const std::vector<KeyPart>& parts() const { return parts_; }
  std::size_t words() const { return words_; }

  /// The entry with this key, or kMiss. Words beyond `words()` are not looked at.
  std::int32_t find(const Key& key) const {
    if (!direct_.empty()) return direct_[key[0]];
    for (auto at = slot_of(key);; at = (at + 1) & slot_mask_) {
      const auto entry = slots_[at];
      if (entry == kMiss || equal(static_cast<std::size_t>(entry), key)) return entry;
    }
  }
  /// The same for a table whose keys take one word: nearly all do.
  std::int32_t find(std::uint64_t key) const {
    if (!direct_.empty()) return direct_[key];
    for (auto at = static_cast<std::size_t>(mix(0, key)) & slot_mask_;; at = (at + 1) & slot_mask_) {
      const auto entry = slots_[at];
      if (entry == kMiss || keys_[static_cast<std::size_t>(entry)] == key) return entry;
    }
  }
  std::uint32_t action(std::int32_t entry) const { return actions_[static_cast<std::size_t>(entry)]; }
  const std::uint64_t* data(std::int32_t entry) const {
    return data_.data() + static_cast<std::size_t>(entry) * data_words_;
  }

  /// Packs one value per key field. Throws std::runtime_error for a wrong count or a value that exceeds its field.
  Key pack(std::span<const std::uint64_t> values) const;
  /// Adds an entry. Throws std::runtime_error when the table is full or the key is there.
  void add(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data);
  /// Changes or removes an entry; false when there is none with this key.
  bool modify(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data);
  bool remove(const Key& key);
  std::uint32_t size() const { return used_; }

 private:
  static std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
  }
  std::size_t slot_of(const Key& key) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < words_; ++i) h = mix(h, key[i]);
    return static_cast<std::size_t>(h) & slot_mask_;
  }
  bool equal(std::size_t entry, const Key& key) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if (keys_[entry * words_ + i] != key[i]) return false;
    }
    return true;
  }
  void store(std::size_t entry, std::uint32_t action, std::span<const std::uint64_t> data);
  std::size_t slot_holding(std::int32_t entry, const Key& key) const;

  std::string name_;
  std::vector<KeyPart> parts_;
  std::size_t words_ = 0, data_words_ = 0, slot_mask_ = 0;
  std::uint32_t max_entries_ = 0, used_ = 0;
  std::vector<std::int32_t> direct_, slots_, free_;
  std::vector<std::uint64_t> keys_, data_;
  std::vector<std::uint32_t> actions_;
};

}  // namespace racksim::p4
