// The entries of one exact-match table at run time: a direct array for keys of at most 12 bits, else open addressing.
// Copies of a table keep their entries together until one of them changes: pipes that are filled alike read the same
// memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
    if (direct_) return slots_[key[0]];
    for (auto at = hash_of(key) & last_slot_;; at = (at + 1) & last_slot_) {
      const auto entry = slots_[at];
      if (entry == kMiss || equal(record(entry), key)) return entry;
    }
  }
  /// The same for a table whose keys take one word: nearly all do.
  std::int32_t find(std::uint64_t key) const {
    if (direct_) return slots_[key];
    for (auto at = mix(0, key) & last_slot_;; at = (at + 1) & last_slot_) {
      const auto entry = slots_[at];
      if (entry == kMiss || *record(entry) == key) return entry;
    }
  }
  std::uint32_t action(std::int32_t entry) const { return static_cast<std::uint32_t>(record(entry)[words_]); }
  const std::uint64_t* data(std::int32_t entry) const { return record(entry) + words_ + 1; }

  /// Packs one value per key field. Throws std::runtime_error for a wrong count or a value that exceeds its field.
  Key pack(std::span<const std::uint64_t> values) const;
  /// Adds an entry. Throws std::runtime_error when the table is full or the key is there.
  void add(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data);
  /// Changes or removes an entry; false when there is none with this key.
  bool modify(const Key& key, std::uint32_t action, std::span<const std::uint64_t> data);
  bool remove(const Key& key);
  std::uint32_t size() const { return entries_->used; }

 private:
  struct Entries {
    std::size_t slot_of(std::uint64_t hash) const { return static_cast<std::size_t>(hash) & (slots.size() - 1); }
    std::size_t behind(std::size_t slot) const { return (slot + 1) & (slots.size() - 1); }

    std::vector<std::int32_t> slots;     // entries by key, or by its hash: at least twice as many as entries
    std::vector<std::uint64_t> records;  // of each entry side by side: key, action, data
    std::vector<std::int32_t> free;
    std::uint32_t used = 0;
  };

  static std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
  }
  template <class Words>
  std::uint64_t hash_of(const Words& key) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < words_; ++i) h = mix(h, key[i]);
    return h;
  }
  bool equal(const std::uint64_t* record, const Key& key) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if (record[i] != key[i]) return false;
    }
    return true;
  }
  const std::uint64_t* record(std::int32_t entry) const {
    return records_ + static_cast<std::size_t>(entry) * record_words_;
  }
  /// To be changed: this table's alone from now on. Whoever has changed them looks at them anew.
  Entries& own_entries();
  void look_at_entries();
  void store(Entries& all, std::int32_t entry, std::uint32_t action, std::span<const std::uint64_t> data) const;
  void grow(Entries& all);

  std::string name_;
  std::vector<KeyPart> parts_;
  std::size_t words_ = 0, record_words_ = 0;
  std::uint32_t max_entries_ = 0;
  bool direct_ = false;
  std::shared_ptr<Entries> entries_;
  /// Of the entries, at hand for lookups: whoever shares them changes none of this.
  const std::int32_t* slots_ = nullptr;
  std::size_t last_slot_ = 0;
  const std::uint64_t* records_ = nullptr;
};

}  // namespace racksim::p4
