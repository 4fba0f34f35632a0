// Memory of which few words are not 0: a hash of pages of 256 bytes, each with its words that are not 0 and no others.
//
// A page is a 16-byte slot: with one word, the word lies in the slot; with more, the slot points to a block with a
// bitmap of the page's words and the values packed behind it. A word that becomes 0 gives its room back. Open
// addressing with linear probing, entries ordered by hash (Amble and Knuth, "Ordered hash tables", 1974, here with the
// hash itself as the order, so that a search for what is not there ends as soon as one for what is) and backward shift
// deletion. The hash is a bijection of the page's number: the slot holds the hash, and the number is computed from it.
//
// Memory: 20 to 30 bytes a page with one word, and half of that again for the moment of growing.
#pragma once

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
  static constexpr std::size_t kPageBytes = 256, kPageWords = kPageBytes / sizeof(std::uint64_t);
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
      const std::uint64_t number = number_of(slot.tag >> kKindBits);
      Page page = unpacked(&slot);
      change(number, page);
      store(number, page);
    }
  }
  /// Calls `visit(address, word)` for each aligned word that is not 0, in no particular order.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.is_empty()) continue;
      const std::uint64_t begin = number_of(slot.tag >> kKindBits) * kPageBytes;
      const Page page = unpacked(&slot);
      for (std::size_t i = 0; i < kPageWords; ++i) {
        if (page[i] != 0) visit(begin + i * sizeof(std::uint64_t), page[i]);
      }
    }
  }
  void clear();

  /// Pages with a word that is not 0.
  std::size_t pages() const { return used_; }
  /// Bytes that hold them.
  std::size_t room() const { return slots_.size() * sizeof(Slot) + block_words_ * sizeof(std::uint64_t); }

 private:
  static constexpr unsigned kKindBits = 8, kHashBits = 64 - kKindBits;
  static constexpr std::uint64_t kHashMask = (std::uint64_t{1} << kHashBits) - 1;

  struct Slot {
    /// The page's hash, and in the lower 8 bits what `value` is: 0 for an empty slot, 1 + its index for the only word,
    /// kBlock for the address of a block.
    std::uint64_t tag = 0;
    std::uint64_t value = 0;

    static constexpr std::uint64_t kBlock = 0xff;
    std::uint64_t kind() const { return tag & kBlock; }
    bool is_empty() const { return kind() == 0; }
    bool is_block() const { return kind() == kBlock; }
    std::size_t index() const { return static_cast<std::size_t>(kind() - 1); }
    /// A block: its bitmap and the number of words that there is room for, then the values in their order.
    std::uint64_t* block() const { return std::bit_cast<std::uint64_t*>(value); }
    std::uint32_t bitmap() const { return static_cast<std::uint32_t>(block()[0]); }
  };

  static std::uint64_t hash_of(std::uint64_t number);
  static std::uint64_t number_of(std::uint64_t hash);
  static Page unpacked(const Slot* slot);
  std::size_t home_of(std::uint64_t hash) const;
  std::size_t position_of(std::uint64_t hash) const;
  const Slot* find(std::uint64_t number) const;
  void store(std::uint64_t number, const Page& page);
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
