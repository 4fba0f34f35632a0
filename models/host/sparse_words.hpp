// Memory of which few words are not 0: a hash of pages of 2 KiB, each with its words that are not 0 and no others.
//
// A page is a 16-byte slot: with one word, the word lies in the slot; with more, the slot points to a block with the
// words' indices and the values in the same order. A word that becomes 0 gives its room back. Open addressing with
// linear probing, entries ordered by hash (Amble and Knuth, "Ordered hash tables", 1974, here with the hash itself as
// the order, so that a search for what is not there ends as soon as one for what is) and backward shift deletion. The
// hash is a bijection of the page's number: the slot holds the hash, and the number is computed from it.
//
// Pages are so large because lines are read and written whole: a line of 2 KB lies in two or three of them, and each
// is a cache miss. Memory: 20 to 30 bytes a page with one word, and half of that again for the moment of growing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace racksim::models {

/// 2^64 bytes, all 0 at first.
class SparseWords {
 public:
  static constexpr std::size_t kPageBytes = 2048, kPageWords = kPageBytes / sizeof(std::uint64_t);
  /// The words of a page, as they lie in memory.
  using Page = std::array<std::uint64_t, kPageWords>;

  SparseWords() = default;
  SparseWords(const SparseWords&) = delete;
  SparseWords& operator=(const SparseWords&) = delete;
  ~SparseWords() { clear(); }

  /// Copies the bytes from `address` on.
  void read(std::uint64_t address, std::span<std::byte> to) const;
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  /// The word that begins at `address`, aligned or not.
  std::uint64_t word(std::uint64_t address) const;
  void set_word(std::uint64_t address, std::uint64_t value);

  /// Calls `change(number, page)` for each page that is not 0, in no particular order, and keeps what it leaves there.
  template <class Change>
  void rewrite(Change&& change) {
    SparseWords before;
    before.swap(*this);
    for (const Slot& slot : before.slots_) {
      if (slot.is_empty()) continue;
      const std::uint64_t hash = slot.tag >> kKindBits, number = number_of(hash);
      Page page = unpacked(&slot);
      change(number, page);
      store(hash, page);
    }
  }
  /// Calls `visit(address, word)` for each aligned word that is not 0, in no particular order.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.is_empty()) continue;
      const std::uint64_t begin = number_of(slot.tag >> kKindBits) * kPageBytes;
      visit_slot(slot, [&](std::size_t index, std::uint64_t value) { visit(begin + index * sizeof value, value); });
    }
  }
  /// The same of `bytes` bytes from `address` on, both multiples of a word's, in the order of addresses.
  template <class Visit>
  void visit(std::uint64_t address, std::uint64_t bytes, const Visit& visit) const {
    for (const std::uint64_t end = address + bytes; address != end;) {
      const std::uint64_t begin = address / kPageBytes * kPageBytes;
      const std::uint64_t part = std::min(end - address, begin + kPageBytes - address);
      if (const Slot* slot = find(hash_of(address / kPageBytes))) {
        visit_slot(*slot, [&](std::size_t index, std::uint64_t value) {
          const std::uint64_t at = begin + index * sizeof value;
          if (at - address < part) visit(at, value);
        });
      }
      address += part;
    }
  }
  /// Asks the processor for what `visit` of so many bytes will look up.
  void prefetch(std::uint64_t address, std::uint64_t bytes) const {
    if (slots_.empty()) return;
    for (std::uint64_t page = address / kPageBytes; page <= (address + bytes - 1) / kPageBytes; ++page) {
      __builtin_prefetch(&slots_[home_of(hash_of(page))]);
    }
  }
  void clear();

  /// Pages with a word that is not 0.
  std::size_t pages() const { return used_; }
  /// Bytes that hold them.
  std::size_t room() const { return slots_.size() * sizeof(Slot) + block_words_ * sizeof(std::uint64_t); }

 private:
  static constexpr unsigned kKindBits = 11, kHashBits = 64 - kKindBits;
  static constexpr std::uint64_t kHashMask = (std::uint64_t{1} << kHashBits) - 1;

  /// Words of a page, by what a block has of them.
  struct Block {
    std::uint16_t* indices;
    std::uint64_t* values;
    std::size_t count, room;

    /// The first that is not before a word of this index.
    std::size_t position_of(std::size_t index) const {
      return static_cast<std::size_t>(std::lower_bound(indices, indices + count, index) - indices);
    }
    bool has_at(std::size_t position, std::size_t index) const {
      return position < count && indices[position] == index;
    }
  };
  struct Slot {
    /// The page's hash, and in the lower bits what `value` is: 0 for an empty slot, 1 + its index for the only word,
    /// kBlock for the address of a block.
    std::uint64_t tag = 0;
    std::uint64_t value = 0;

    static constexpr std::uint64_t kBlock = (std::uint64_t{1} << kKindBits) - 1;
    std::uint64_t kind() const { return tag & kBlock; }
    bool is_empty() const { return kind() == 0; }
    bool is_block() const { return kind() == kBlock; }
    std::size_t index() const { return static_cast<std::size_t>(kind() - 1); }
    /// Its memory: how many words it has and has room for, the indices, four to a word, and the values.
    std::uint64_t* memory() const { return std::bit_cast<std::uint64_t*>(value); }
    Block block() const {
      std::uint64_t* const from = memory();
      const std::size_t room = from[0] >> 32;
      return {.indices = reinterpret_cast<std::uint16_t*>(from + 1),
              .values = from + 1 + index_words(room),
              .count = from[0] & 0xffffffff,
              .room = room};
    }
  };

  static constexpr std::size_t index_words(std::size_t room) { return (room + 3) / 4; }
  static std::uint64_t hash_of(std::uint64_t number);
  static std::uint64_t number_of(std::uint64_t hash);
  template <class Visit>
  static void visit_slot(const Slot& slot, const Visit& visit) {
    if (!slot.is_block()) return visit(slot.index(), slot.value);
    const Block block = slot.block();
    for (std::size_t i = 0; i < block.count; ++i) visit(block.indices[i], block.values[i]);
  }
  static Page unpacked(const Slot* slot);
  std::size_t home_of(std::uint64_t hash) const {
    return static_cast<std::size_t>((hash >> (kHashBits - 32)) * capacity_ >> 32);
  }
  std::size_t position_of(std::uint64_t hash) const;
  const Slot* find(std::uint64_t hash) const;
  void store(std::uint64_t hash, const Page& page);
  Block resized(Slot& slot, std::size_t words);
  void add_to(Slot& slot, std::size_t index, std::uint64_t value);
  void take_from(Slot& slot, std::size_t index);
  Slot& slot_for(std::uint64_t hash);
  void erase(std::size_t position);
  void grow();
  void free_block(Slot& slot);
  void swap(SparseWords& other);

  std::vector<Slot> slots_;   // the last is always empty
  std::size_t capacity_ = 0;  // homes, fewer than 2^32; what overflows the last one lies behind
  std::size_t used_ = 0;
  std::size_t block_words_ = 0;
};

}  // namespace racksim::models
