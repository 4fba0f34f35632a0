// Places of pairs. See loaded_pairs.hpp.
#include "models/store/loaded_pairs.hpp"

#include <algorithm>

#include "models/store/pair.hpp"

namespace racksim::models {

namespace {

/// Pairs begin at words.
std::uint64_t in_words(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

}  // namespace

LoadedPairs::LoadedPairs(std::uint64_t keys, unsigned nodes, std::uint64_t line_bytes, const ItemSizes& sizes)
    : keys_(keys),
      nodes_(nodes),
      line_bytes_(line_bytes),
      sizes_(sizes),
      alike_(sizes.small_value_bytes == sizes.large_value_bytes || sizes.small_share <= 0 || sizes.small_share >= 1) {
  if (keys == 0) return;
  std::uint64_t end = 0;
  if (alike_) {
    bytes_per_pair_ = end_of(0, bytes_of(0));
    pairs_per_line_ = line_bytes / bytes_per_pair_;
    const std::uint64_t last = keys_of(0) - 1;
    end = (pairs_per_line_ > 0 ? last / pairs_per_line_ * line_bytes : last * bytes_per_pair_) + bytes_per_pair_;
  } else {
    begins_.resize(nodes);
    for (unsigned node = 0; node < nodes; ++node) {
      std::uint64_t at = 0;
      for (std::uint64_t i = 0; i < keys_of(node); ++i) {
        const std::uint64_t bytes = bytes_of(i * nodes + node), begin = place_behind(at, bytes);
        if (i % kStride == 0) begins_[node].push_back(begin);
        at = end_of(begin, bytes);
      }
      end = std::max(end, at);
    }
  }
  bytes_of_node_ = (end + line_bytes - 1) / line_bytes * line_bytes;
}

std::uint64_t LoadedPairs::bytes_of(std::uint64_t key) const {
  return PairShape{sizes_.key_bytes, sizes_.value_bytes(sim::Key{key})}.bytes();
}

std::uint64_t LoadedPairs::place_behind(std::uint64_t end, std::uint64_t bytes) const {
  const std::uint64_t left = line_bytes_ - end % line_bytes_;
  return bytes <= left ? end : end + left % line_bytes_;
}

std::uint64_t LoadedPairs::end_of(std::uint64_t begin, std::uint64_t bytes) const {
  const std::uint64_t end = begin + in_words(bytes);
  return bytes <= line_bytes_ ? end : (end + line_bytes_ - 1) / line_bytes_ * line_bytes_;
}

std::uint64_t LoadedPairs::offset_of(std::uint64_t key) const {
  const std::uint64_t index = key / nodes_;
  if (alike_) {
    if (pairs_per_line_ == 0) return index * bytes_per_pair_;
    return index / pairs_per_line_ * line_bytes_ + index % pairs_per_line_ * bytes_per_pair_;
  }
  std::uint64_t begin = begins_[node_of(key)][index / kStride];
  for (std::uint64_t i = index / kStride * kStride; i < index; ++i) {
    const std::uint64_t end = end_of(begin, bytes_of(i * nodes_ + node_of(key)));
    begin = place_behind(end, bytes_of((i + 1) * nodes_ + node_of(key)));
  }
  return begin;
}

std::optional<std::uint64_t> LoadedPairs::key_at(unsigned node, std::uint64_t offset) const {
  const std::uint64_t keys = keys_of(node);
  if (keys == 0) return std::nullopt;
  std::uint64_t index = 0;
  if (alike_) {
    index = pairs_per_line_ == 0 ? offset / bytes_per_pair_
                                 : offset / line_bytes_ * pairs_per_line_ +
                                       std::min(offset % line_bytes_ / bytes_per_pair_, pairs_per_line_ - 1);
    return std::min(index, keys - 1) * nodes_ + node;
  }
  const auto& begins = begins_[node];
  const auto behind = std::upper_bound(begins.begin(), begins.end(), offset);
  if (behind == begins.begin()) return std::nullopt;
  index = static_cast<std::uint64_t>(behind - begins.begin() - 1) * kStride;
  while (index + 1 < keys && offset_of((index + 1) * nodes_ + node) <= offset) ++index;
  return index * nodes_ + node;
}

}  // namespace racksim::models
