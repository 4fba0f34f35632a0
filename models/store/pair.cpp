// Bytes of pairs. See pair.hpp.
#include "models/store/pair.hpp"

#include <algorithm>
#include <cstring>

#include "sim/record/history.hpp"

namespace racksim::models {

void write_value(std::span<std::byte> into, sim::Value value) {
  const std::uint64_t number = value.number();
  for (std::size_t at = 0; at < into.size(); at += sizeof number) {
    std::memcpy(into.data() + at, &number, std::min(sizeof number, into.size() - at));
  }
}

void write_pair_head(std::span<std::byte> into, const PairShape& shape, sim::Key key) {
  const std::uint64_t number = key.number();
  std::memcpy(into.data(), &shape.key_bytes, sizeof shape.key_bytes);
  std::memcpy(into.data() + sizeof shape.key_bytes, &shape.value_bytes, sizeof shape.value_bytes);
  std::memcpy(into.data() + PairShape::kHeaderBytes, &number, std::min<std::size_t>(sizeof number, shape.key_bytes));
}

void write_pair(std::span<std::byte> into, const PairShape& shape, sim::Key key, sim::Value value) {
  std::fill(into.begin(), into.end(), std::byte{});
  write_pair_head(into, shape, key);
  write_value(into.subspan(shape.value_offset()), value);
}

StoredPair::StoredPair(std::span<const std::byte> bytes) : bytes_(bytes) {
  std::memcpy(&shape_.key_bytes, bytes.data(), sizeof shape_.key_bytes);
  std::memcpy(&shape_.value_bytes, bytes.data() + sizeof shape_.key_bytes, sizeof shape_.value_bytes);
}

sim::Key StoredPair::key() const {
  std::uint64_t number = 0;
  const std::size_t there = std::min<std::size_t>(shape_.key_bytes, bytes_.size() - PairShape::kHeaderBytes);
  std::memcpy(&number, bytes_.data() + PairShape::kHeaderBytes, std::min(sizeof number, there));
  return sim::Key{number};
}

bool StoredPair::has_key(sim::Key key, std::uint32_t key_bytes) const {
  if (shape_.key_bytes != key_bytes || this->key() != key) return false;
  const auto rest = bytes_.subspan(PairShape::kHeaderBytes, key_bytes);
  return std::all_of(rest.begin() + std::min<std::ptrdiff_t>(sizeof(std::uint64_t), key_bytes), rest.end(),
                     [](std::byte byte) { return byte == std::byte{}; });
}

sim::Value StoredPair::value() const {
  std::uint64_t number = 0;
  if (bytes_.size() < shape_.value_offset() + sizeof number) return sim::kNeverWritten;
  std::memcpy(&number, bytes_.data() + shape_.value_offset(), sizeof number);
  return sim::Value{number};
}

ItemParts StoredPair::parts() const {
  ItemParts parts;
  if (bytes_.size() < shape_.value_offset()) return parts;
  const auto value = bytes_.subspan(shape_.value_offset());
  // As many parts as can be told apart; each is of the first write in it that is not the first of all.
  const std::size_t words = (value.size() + 7) / 8, per_part = (words + ItemParts::kMost - 1) / ItemParts::kMost * 8;
  unsigned number = 0;
  for (std::size_t begin = 0; begin < value.size(); begin += per_part) {
    const std::size_t end = std::min(begin + per_part, value.size());
    std::uint64_t found = this->value().number();
    for (std::size_t at = begin; at < end; at += 8) {
      std::uint64_t word = this->value().number();
      std::memcpy(&word, value.data() + at, std::min<std::size_t>(8, end - at));
      if (word != this->value().number()) found = word;
    }
    parts.add({key(), number++, static_cast<std::uint32_t>(end - begin), sim::Value{found}});
  }
  return parts;
}

}  // namespace racksim::models
