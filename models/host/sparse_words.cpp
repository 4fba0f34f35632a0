// Slots, blocks and their words. See sparse_words.hpp.
#include "models/host/sparse_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace racksim::models {

namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::size_t kOverflow = 32;  // slots behind the homes
constexpr unsigned kFold = 28;         // half of the hash's bits: folding twice gives back what was folded
constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;

/// The factor that undoes a multiplication modulo 2^64, by Newton's iteration.
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;  // right in the lower 3 bits
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(kMultiplier * inverse_of(kMultiplier) == 1);

/// Of a block: values that there is room for.
std::size_t room_of(const std::uint64_t* block) {
  return static_cast<std::size_t>(block[0] >> 32);
}

/// How many of the words before this one are in a block.
std::size_t rank_in(std::uint32_t bitmap, std::size_t index) {
  return static_cast<std::size_t>(std::popcount(bitmap & ((std::uint32_t{1} << index) - 1)));
}

}  // namespace

std::uint64_t SparseWords::hash_of(std::uint64_t number) {
  for (int round = 0; round < 2; ++round) {
    number ^= number >> kFold;
    number = number * kMultiplier & kHashMask;
  }
  return number ^ number >> kFold;
}

std::uint64_t SparseWords::number_of(std::uint64_t hash) {
  hash ^= hash >> kFold;
  for (int round = 0; round < 2; ++round) {
    hash = hash * inverse_of(kMultiplier) & kHashMask;
    hash ^= hash >> kFold;
  }
  return hash;
}

std::size_t SparseWords::home_of(std::uint64_t hash) const {
  return static_cast<std::size_t>((hash >> (kHashBits - 32)) * capacity_ >> 32);
}

/// Where the page of this hash is, or would have to be.
std::size_t SparseWords::position_of(std::uint64_t hash) const {
  std::size_t position = home_of(hash);
  while (!slots_[position].is_empty() && slots_[position].tag >> kKindBits < hash) ++position;
  return position;
}

const SparseWords::Slot* SparseWords::find(std::uint64_t number) const {
  if (used_ == 0) return nullptr;
  const std::uint64_t hash = hash_of(number);
  const Slot& slot = slots_[position_of(hash)];
  return !slot.is_empty() && slot.tag >> kKindBits == hash ? &slot : nullptr;
}

SparseWords::Page SparseWords::unpacked(const Slot* slot) {
  Page page{};
  if (slot == nullptr) return page;
  if (!slot->is_block()) {
    page[slot->index()] = slot->value;
    return page;
  }
  const std::uint64_t* value = slot->block() + 1;
  for (std::uint32_t left = slot->bitmap(); left != 0; left &= left - 1) {
    page[static_cast<std::size_t>(std::countr_zero(left))] = *value++;
  }
  return page;
}

void SparseWords::store(std::uint64_t number, const Page& page) {
  std::uint32_t bitmap = 0;
  for (std::size_t i = 0; i < kPageWords; ++i) bitmap |= std::uint32_t{page[i] != 0} << i;
  const std::uint64_t hash = hash_of(number);
  const auto words = static_cast<std::size_t>(std::popcount(bitmap));
  if (words == 0) {
    if (find(number) != nullptr) erase(position_of(hash));
    return;
  }
  Slot& slot = slot_for(hash);
  if (words == 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(bitmap));
    free_block(slot);
    slot = {hash << kKindBits | (index + 1), page[index]};
    return;
  }
  const std::size_t room = std::bit_ceil(words);
  if (!slot.is_block() || room_of(slot.block()) != room) {
    free_block(slot);
    slot = {hash << kKindBits | Slot::kBlock, std::bit_cast<std::uint64_t>(new std::uint64_t[room + 1])};
    block_words_ += room + 1;
  }
  std::uint64_t* value = slot.block();
  *value++ = std::uint64_t{room} << 32 | bitmap;
  for (const std::uint64_t word : page) {
    if (word != 0) *value++ = word;
  }
}

/// The slot of this hash, with what it has, or made empty in its place.
SparseWords::Slot& SparseWords::slot_for(std::uint64_t hash) {
  while (true) {
    if (!slots_.empty()) {
      const std::size_t position = position_of(hash);
      if (!slots_[position].is_empty() && slots_[position].tag >> kKindBits == hash) return slots_[position];
      std::size_t end = position;
      while (!slots_[end].is_empty()) ++end;
      if (used_ < capacity_ / 5 * 4 && end + 1 < slots_.size()) {
        for (std::size_t i = end; i > position; --i) slots_[i] = slots_[i - 1];
        slots_[position] = {};
        ++used_;
        return slots_[position];
      }
    }
    grow();
  }
}

void SparseWords::erase(std::size_t position) {
  free_block(slots_[position]);
  for (; !slots_[position + 1].is_empty() && home_of(slots_[position + 1].tag >> kKindBits) <= position; ++position) {
    slots_[position] = slots_[position + 1];
  }
  slots_[position] = {};
  --used_;
}

// In the order of their hashes, each at its home or behind the one before.
void SparseWords::grow() {
  const std::vector<Slot> before = std::exchange(slots_, {});
  capacity_ = std::max<std::size_t>(20, capacity_ / 2 * 3);
  slots_.resize(capacity_ + kOverflow);
  std::size_t free = 0;
  for (const Slot& slot : before) {
    if (slot.is_empty()) continue;
    free = std::max(free, home_of(slot.tag >> kKindBits));
    if (free + 1 >= slots_.size()) slots_.resize(free + kOverflow);
    slots_[free++] = slot;
  }
}

void SparseWords::free_block(Slot& slot) {
  if (!slot.is_block()) return;
  block_words_ -= room_of(slot.block()) + 1;
  delete[] slot.block();
}

void SparseWords::clear() {
  for (Slot& slot : slots_) free_block(slot);
  slots_.clear();
  slots_.shrink_to_fit();
  capacity_ = used_ = 0;
}

void SparseWords::swap(SparseWords& other) {
  slots_.swap(other.slots_);
  std::swap(capacity_, other.capacity_);
  std::swap(used_, other.used_);
  std::swap(block_words_, other.block_words_);
}

void SparseWords::read(std::uint64_t address, std::span<std::byte> to) const {
  std::fill(to.begin(), to.end(), std::byte{});
  for (std::size_t done = 0; done < to.size();) {
    const std::size_t offset = (address + done) % kPageBytes, part = std::min(to.size() - done, kPageBytes - offset);
    if (const Slot* slot = find((address + done) / kPageBytes)) {
      const Page page = unpacked(slot);
      std::memcpy(to.data() + done, reinterpret_cast<const std::byte*>(page.data()) + offset, part);
    }
    done += part;
  }
}

void SparseWords::write(std::uint64_t address, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const std::uint64_t number = (address + done) / kPageBytes;
    const std::size_t offset = (address + done) % kPageBytes, part = std::min(bytes.size() - done, kPageBytes - offset);
    Page page = unpacked(find(number));
    std::memcpy(reinterpret_cast<std::byte*>(page.data()) + offset, bytes.data() + done, part);
    store(number, page);
    done += part;
  }
}

std::uint64_t SparseWords::word(std::uint64_t address) const {
  if (address % kWordBytes != 0) {
    std::uint64_t value = 0;
    read(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  const std::size_t index = address % kPageBytes / kWordBytes;
  const Slot* slot = find(address / kPageBytes);
  if (slot == nullptr) return 0;
  if (!slot->is_block()) return slot->index() == index ? slot->value : 0;
  if ((slot->bitmap() >> index & 1) == 0) return 0;
  return slot->block()[1 + rank_in(slot->bitmap(), index)];
}

void SparseWords::set_word(std::uint64_t address, std::uint64_t value) {
  if (address % kWordBytes != 0) return write(address, std::as_bytes(std::span(&value, 1)));
  const std::size_t index = address % kPageBytes / kWordBytes;
  const std::uint64_t number = address / kPageBytes;
  Page page{};
  if (const Slot* slot = find(number)) {
    if (value != 0 && slot->is_block() && (slot->bitmap() >> index & 1) != 0) {
      slot->block()[1 + rank_in(slot->bitmap(), index)] = value;
      return;
    }
    page = unpacked(slot);
  }
  page[index] = value;
  store(number, page);
}

}  // namespace racksim::models
