// Slots, blocks and their words. See sparse_words.hpp.
#include "models/host/sparse_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace racksim::models {

namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::size_t kFewBytes = 64;  // that are written word by word
constexpr std::size_t kOverflow = 32;  // slots behind the homes
constexpr unsigned kFold = 27;         // half of the hash's bits: folding twice gives back what was folded
constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;

/// The factor that undoes a multiplication modulo 2^64, by Newton's iteration.
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;  // right in the lower 3 bits
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(kMultiplier * inverse_of(kMultiplier) == 1);

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

/// Where the page of this hash is, or would have to be.
std::size_t SparseWords::position_of(std::uint64_t hash) const {
  std::size_t position = home_of(hash);
  while (!slots_[position].is_empty() && slots_[position].tag >> kKindBits < hash) ++position;
  return position;
}

const SparseWords::Slot* SparseWords::find(std::uint64_t hash) const {
  if (used_ == 0) return nullptr;
  const Slot& slot = slots_[position_of(hash)];
  return !slot.is_empty() && slot.tag >> kKindBits == hash ? &slot : nullptr;
}

SparseWords::Page SparseWords::unpacked(const Slot* slot) {
  Page page{};
  if (slot != nullptr) visit_slot(*slot, [&](std::size_t index, std::uint64_t value) { page[index] = value; });
  return page;
}

void SparseWords::store(std::uint64_t hash, const Page& page) {
  std::size_t words = 0;
  for (const std::uint64_t word : page) words += word != 0;
  if (words == 0) {
    if (find(hash) != nullptr) erase(position_of(hash));
    return;
  }
  Slot& slot = slot_for(hash);
  if (words == 1) {
    free_block(slot);
    const auto only = std::find_if(page.begin(), page.end(), [](std::uint64_t word) { return word != 0; });
    slot = {hash << kKindBits | static_cast<std::uint64_t>(only - page.begin() + 1), *only};
    return;
  }
  if (slot.is_empty()) slot.tag = hash << kKindBits;
  const Block block = resized(slot, words);
  std::size_t at = 0;
  for (std::size_t i = 0; i < kPageWords; ++i) {
    if (page[i] == 0) continue;
    block.indices[at] = static_cast<std::uint16_t>(i);
    block.values[at++] = page[i];
  }
}

/// Gives a slot the block for so many words, of which it has those that it had if they are as many at least.
SparseWords::Block SparseWords::resized(Slot& slot, std::size_t words) {
  const std::size_t room = std::bit_ceil(words);
  if (!slot.is_block() || slot.block().room != room) {
    const std::size_t size = 1 + index_words(room) + room;
    Slot made{slot.tag | Slot::kBlock, std::bit_cast<std::uint64_t>(new std::uint64_t[size])};
    made.memory()[0] = std::uint64_t{room} << 32;
    const Block block = made.block();
    std::size_t at = 0;
    if (!slot.is_empty()) {
      visit_slot(slot, [&](std::size_t index, std::uint64_t value) {
        if (at == words) return;
        block.indices[at] = static_cast<std::uint16_t>(index);
        block.values[at++] = value;
      });
    }
    free_block(slot);
    slot = made;
    block_words_ += size;
  }
  slot.memory()[0] = std::uint64_t{room} << 32 | words;
  return slot.block();
}

/// A word that is not 0 and that the page, which has others, did not have.
void SparseWords::add_to(Slot& slot, std::size_t index, std::uint64_t value) {
  const std::size_t count = slot.is_block() ? slot.block().count : 1;
  const Block block = resized(slot, count + 1);
  std::size_t at = count;
  for (; at > 0 && block.indices[at - 1] > index; --at) {
    block.indices[at] = block.indices[at - 1];
    block.values[at] = block.values[at - 1];
  }
  block.indices[at] = static_cast<std::uint16_t>(index);
  block.values[at] = value;
}

/// A word of a block, if it has it, is 0 from now on.
void SparseWords::take_from(Slot& slot, std::size_t index) {
  const Block block = slot.block();
  const std::size_t at = block.position_of(index);
  if (!block.has_at(at, index)) return;
  std::copy(block.indices + at + 1, block.indices + block.count, block.indices + at);
  std::copy(block.values + at + 1, block.values + block.count, block.values + at);
  if (block.count > 2) {
    resized(slot, block.count - 1);
    return;
  }
  const Slot single{(slot.tag & ~Slot::kBlock) | (block.indices[0] + std::uint64_t{1}), block.values[0]};
  free_block(slot);
  slot = single;
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
  const std::size_t room = slot.block().room;
  block_words_ -= 1 + index_words(room) + room;
  delete[] slot.memory();
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
  if (address % kWordBytes == 0 && to.size() % kWordBytes == 0) {
    return visit(address, to.size(), [&](std::uint64_t at, std::uint64_t value) {
      std::memcpy(to.data() + (at - address), &value, sizeof value);
    });
  }
  for (std::size_t done = 0; done < to.size();) {
    const std::size_t offset = (address + done) % kPageBytes, part = std::min(to.size() - done, kPageBytes - offset);
    if (const Slot* slot = find(hash_of((address + done) / kPageBytes))) {
      const Page page = unpacked(slot);
      std::memcpy(to.data() + done, reinterpret_cast<const std::byte*>(page.data()) + offset, part);
    }
    done += part;
  }
}

void SparseWords::write(std::uint64_t address, std::span<const std::byte> bytes) {
  if (address % kWordBytes == 0 && bytes.size() % kWordBytes == 0 && bytes.size() <= kFewBytes) {
    for (std::size_t done = 0; done < bytes.size(); done += kWordBytes) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + done, sizeof value);
      set_word(address + done, value);
    }
    return;
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const std::uint64_t hash = hash_of((address + done) / kPageBytes);
    const std::size_t offset = (address + done) % kPageBytes, part = std::min(bytes.size() - done, kPageBytes - offset);
    Page page = unpacked(find(hash));
    std::memcpy(reinterpret_cast<std::byte*>(page.data()) + offset, bytes.data() + done, part);
    store(hash, page);
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
  const Slot* slot = find(hash_of(address / kPageBytes));
  if (slot == nullptr) return 0;
  if (!slot->is_block()) return slot->index() == index ? slot->value : 0;
  const Block block = slot->block();
  const std::size_t at = block.position_of(index);
  return block.has_at(at, index) ? block.values[at] : 0;
}

void SparseWords::set_word(std::uint64_t address, std::uint64_t value) {
  if (address % kWordBytes != 0) return write(address, std::as_bytes(std::span(&value, 1)));
  const std::size_t index = address % kPageBytes / kWordBytes;
  const std::uint64_t hash = hash_of(address / kPageBytes);
  Slot* slot = const_cast<Slot*>(find(hash));
  if (value == 0) {
    if (slot == nullptr) return;
    if (slot->is_block()) return take_from(*slot, index);
    if (slot->index() == index) erase(static_cast<std::size_t>(slot - slots_.data()));
    return;
  }
  if (slot == nullptr) {
    slot_for(hash) = {hash << kKindBits | (index + 1), value};
  } else if (!slot->is_block()) {
    if (slot->index() == index) {
      slot->value = value;
    } else {
      add_to(*slot, index, value);
    }
  } else {
    const Block block = slot->block();
    const std::size_t at = block.position_of(index);
    if (block.has_at(at, index)) {
      block.values[at] = value;
    } else {
      add_to(*slot, index, value);
    }
  }
}

}  // namespace racksim::models
