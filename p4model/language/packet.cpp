// Packet memory, wire sizes, and the conversion between header words and bytes.
#include "p4model/language/packet.hpp"

#include <fmt/core.h>

#include "sim/kernel/sanitizer.hpp"

namespace racksim::p4 {

void Packet::throw_full(const HeaderLayout& layout) {
  throw PacketError(fmt::format("no room for header '{}' in a packet: at most {} headers and {} fields", layout.name,
                                kMaxHeaders, kMaxWords));
}

void Packet::pop() {
  if (header_count_ == 0) throw PacketError("a packet without headers has none to pop");
  used_bytes_ = offsets_[--header_count_];
  header_bytes_ = static_cast<std::uint16_t>(header_bytes_ - layouts_[header_count_]->bytes());
}

void Packet::truncate_headers(std::size_t keep) {
  while (header_count_ > keep) pop();
}

void Packet::truncate(std::uint32_t bytes) {
  if (header_bytes() + payload_bytes <= bytes) return;
  while (header_bytes() > bytes) pop();
  payload_bytes = bytes - header_bytes();
  content = {};
}

std::vector<std::uint8_t> Packet::byte_image() const {
  std::vector<std::uint8_t> bytes(header_bytes() + payload_bytes);
  std::size_t bit = 0;
  for (std::size_t i = 0; i < header_count_; ++i) {
    for (std::size_t f = 0; f < layouts_[i]->count; ++f) {
      const auto value = word(i, f);
      for (auto left = layouts_[i]->fields[f].bits; left-- > 0; ++bit) {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | ((value >> left & 1) << (7 - bit % 8)));
      }
    }
  }
  return bytes;
}

std::span<const std::uint8_t> Packet::parse_header(const HeaderLayout& layout, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < layout.bytes()) {
    throw PacketError(
        fmt::format("header '{}' takes {} bytes, only {} are left", layout.name, layout.bytes(), bytes.size()));
  }
  std::array<std::uint64_t, HeaderLayout::kMaxFields> words{};
  std::size_t bit = 0;
  for (std::size_t f = 0; f < layout.count; ++f) {
    for (unsigned i = 0; i < layout.fields[f].bits; ++i, ++bit) {
      words[f] = words[f] << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
    }
  }
  push_words(layout, words.data());
  return bytes.subspan(layout.bytes());
}

void Packet::throw_missing(const HeaderLayout& layout) {
  throw PacketError(fmt::format("the packet has no header '{}'", layout.name));
}

PacketPool::~PacketPool() {
  for (auto* packet : on_heap_) delete packet;
}

void PacketPool::allocate() {
  if (sim::kUnderAddressSanitizer) {
    free_ = *on_heap_.insert(new Packet).first;
    free_->pool_ = this;
    return;
  }
  auto& chunk = chunks_.emplace_back(new Packet[kPacketsPerChunk]);
  for (std::size_t i = kPacketsPerChunk; i-- > 0;) {
    chunk[i].pool_ = this;
    chunk[i].next_free_ = std::exchange(free_, &chunk[i]);
  }
}

void PacketPool::free_from_heap(Packet* packet) {
  on_heap_.erase(packet);
  delete packet;
}

}  // namespace racksim::p4
