// Blocks of long values, and their free lists. See content.hpp.
#include "p4model/language/content.hpp"

#include <fmt/core.h>

#include <bit>
#include <new>
#include <stdexcept>

#include "sim/kernel/sanitizer.hpp"

namespace racksim::p4 {

// The bytes follow it.
struct Content::Block {
  std::uint32_t references;
  std::uint32_t size_class;  // it has room for 2^size_class bytes
  Block* next_free;
};

namespace {

constexpr std::size_t kSizeClasses = 21;  // up to 1 MB; longer ones are not kept

// A thread's blocks that nobody uses. Under AddressSanitizer none are kept, so that a use after the last reference is
// seen.
template <class Block>
struct FreeLists {
  FreeLists() = default;
  FreeLists(const FreeLists&) = delete;
  FreeLists& operator=(const FreeLists&) = delete;
  ~FreeLists() {
    for (Block* list : lists) {
      while (list) ::operator delete(std::exchange(list, list->next_free));
    }
  }
  std::array<Block*, kSizeClasses> lists{};
};

template <class Block>
thread_local FreeLists<Block> free_blocks;

}  // namespace

const std::byte* Content::in_block() const {
  return reinterpret_cast<const std::byte*>(block_ + 1);
}

std::byte* Content::allocate(std::size_t bytes) {
  if (bytes > std::uint32_t{0} - 1u) throw std::length_error(fmt::format("a message of {} bytes is too long", bytes));
  const auto size_class = static_cast<std::uint32_t>(std::bit_width(bytes - 1));
  if (size_class < kSizeClasses && free_blocks<Block>.lists[size_class] != nullptr) {
    Block*& list = free_blocks<Block>.lists[size_class];
    block_ = std::exchange(list, list->next_free);
    block_->references = 1;
    return reinterpret_cast<std::byte*>(block_ + 1);
  }
  block_ = ::new (::operator new(sizeof(Block) + (std::size_t{1} << size_class))) Block{1, size_class, nullptr};
  return reinterpret_cast<std::byte*>(block_ + 1);
}

void Content::share() const {
  ++block_->references;
}

void Content::release() {
  if (--block_->references > 0) return;
  if (sim::kUnderAddressSanitizer || block_->size_class >= kSizeClasses) return ::operator delete(block_);
  Block*& list = free_blocks<Block>.lists[block_->size_class];
  block_->next_free = std::exchange(list, block_);
}

void Content::throw_mismatch(std::size_t wanted) const {
  throw std::logic_error(fmt::format("a message of {} bytes{} was read as another of {} bytes", bytes_,
                                     type_ ? " and a type of its own" : "", wanted));
}

}  // namespace racksim::p4
