// Addresses and first contents of a hash table. See table_layout.hpp.
#include "models/store/table_layout.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/store/pair.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

// The finalizer of MurmurHash3 (Appleby, public domain), a bijection of 64 bits that mixes all of them.
TableHash hash_of(sim::Key key) {
  std::uint64_t h = key.number() + 0x9e37'79b9'7f4a'7c15;  // so that 0 is not its own hash
  h = (h ^ h >> 33) * 0xff51'afd7'ed55'8ccd;
  h = (h ^ h >> 33) * 0xc4ce'b9fe'1a85'ec53;
  return {h ^ h >> 33};
}

TableLayout::TableLayout(MemoryService& memory, std::uint64_t buckets, std::uint64_t keys, const ItemSizes& sizes)
    : line_bytes_(memory.shape().block_bytes),
      buckets_(buckets),
      first_node_(memory.shape().roles.first_memory_node),
      nodes_(memory.shape().roles.memory_nodes),
      sizes_(sizes),
      loaded_(keys, nodes_, line_bytes_, sizes),
      overflows_(nodes_) {
  buckets_per_node_ = (buckets + nodes_ - 1) / nodes_;
  load(keys);
  const auto reserve = [&](std::uint64_t bytes) {
    Area area;
    for (unsigned node = 0; bytes > 0 && node < nodes_; ++node) {
      area.push_back(memory.reserve((bytes + line_bytes_ - 1) / line_bytes_ * line_bytes_,
                                    {.home = static_cast<NodeId>(first_node_ + node)}));
    }
    return area;
  };
  table_ = reserve(buckets_per_node_ * Bucket::kBytes);
  overflow_ = reserve(overflows_per_node_ * Bucket::kBytes);
  pairs_ = reserve(loaded_.bytes_of_node());
}

/// Sorts by counting.
void TableLayout::load(std::uint64_t keys) {
  if (keys == 0) return;
  begins_.assign(buckets_ + 1, 0);
  for (std::uint64_t key = 0; key < keys; ++key) ++begins_[bucket_of(hash_of(sim::Key{key})) + 1];
  std::vector<std::uint64_t> of_node(nodes_);
  for (std::uint64_t bucket = 0; bucket < buckets_; ++bucket) {
    const std::uint64_t here = begins_[bucket + 1];
    if (here > Bucket::kEntries) {
      const std::uint64_t node = bucket / buckets_per_node_;
      overflows_[node].push_back({bucket, of_node[node]});
      of_node[node] += (here - 1) / Bucket::kEntries;
    }
    begins_[bucket + 1] += begins_[bucket];
  }
  overflows_per_node_ = *std::max_element(of_node.begin(), of_node.end());
  for (const std::uint64_t overflows : of_node) overflow_buckets_ += overflows;
  keys_.resize(keys);
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint64_t key = 0; key < keys; ++key) {
    keys_[next[bucket_of(hash_of(sim::Key{key}))]++] = static_cast<std::uint32_t>(key);
  }
}

std::uint64_t TableLayout::bucket_of(TableHash hash) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(hash.bits) * buckets_ >> 64);
}

GlobalAddress TableLayout::address_of(std::uint64_t bucket) const {
  return {table_[bucket / buckets_per_node_].value + bucket % buckets_per_node_ * Bucket::kBytes};
}

GlobalAddress TableLayout::pair_of(std::uint64_t key) const {
  return {pairs_[loaded_.node_of(key)].value + loaded_.offset_of(key)};
}

GlobalAddress TableLayout::overflow_of(std::uint64_t bucket, std::uint64_t place) const {
  const std::uint64_t node = bucket / buckets_per_node_;
  const auto found = std::lower_bound(overflows_[node].begin(), overflows_[node].end(), bucket,
                                      [](const Overflow& one, std::uint64_t wanted) { return one.bucket < wanted; });
  return {overflow_[node].value + (found->first + place - 1) * Bucket::kBytes};
}

Bucket TableLayout::loaded_bucket(std::uint64_t bucket, std::uint64_t place) const {
  Bucket loaded;
  if (begins_.empty()) return loaded;
  const std::uint64_t begin = begins_[bucket] + place * Bucket::kEntries, end = begins_[bucket + 1];
  for (std::uint64_t i = begin; i < std::min<std::uint64_t>(end, begin + Bucket::kEntries); ++i) {
    const std::uint64_t key = keys_[i];
    loaded.set(static_cast<unsigned>(i - begin), {.tag = hash_of(sim::Key{key}).tag(),
                                                  .bytes = static_cast<std::uint32_t>(loaded_.bytes_of(key)),
                                                  .pair = pair_of(key)});
  }
  if (begin + Bucket::kEntries < end) loaded.set_overflow(overflow_of(bucket, place + 1));
  return loaded;
}

bool TableLayout::lies_in(GlobalAddress address, const Area& area, std::uint64_t bytes) const {
  const unsigned node = node_index(address);
  return node < area.size() && address.value >= area[node].value && address.value - area[node].value < bytes;
}

bool TableLayout::holds(sim::Key block) const {
  const GlobalAddress address{block.number() * line_bytes_};
  return lies_in(address, table_, buckets_per_node_ * Bucket::kBytes) ||
         lies_in(address, overflow_, overflows_per_node_ * Bucket::kBytes) || is_loaded_pair(address);
}

TableLayout::Piece TableLayout::piece_at(GlobalAddress address) const {
  const unsigned node = node_index(address);
  Piece piece;
  const auto in_bucket = [&](std::uint64_t offset, const Bucket& bucket) {
    piece.inside = offset % Bucket::kBytes;
    piece.bytes = Bucket::kBytes;
    std::copy(bucket.bytes().begin(), bucket.bytes().end(), piece.content.begin());
  };
  if (lies_in(address, table_, buckets_per_node_ * Bucket::kBytes)) {
    const std::uint64_t offset = address.value - table_[node].value;
    const std::uint64_t bucket = node * buckets_per_node_ + offset / Bucket::kBytes;
    in_bucket(offset, bucket < buckets_ ? loaded_bucket(bucket, 0) : Bucket{});
  } else if (lies_in(address, overflow_, overflows_per_node_ * Bucket::kBytes)) {
    const std::uint64_t offset = address.value - overflow_[node].value, number = offset / Bucket::kBytes;
    const auto& overflows = overflows_[node];
    const auto behind = std::upper_bound(overflows.begin(), overflows.end(), number,
                                         [](std::uint64_t one, const Overflow& other) { return one < other.first; });
    Bucket bucket;
    if (behind != overflows.begin()) bucket = loaded_bucket((behind - 1)->bucket, number - (behind - 1)->first + 1);
    in_bucket(offset, bucket);
  } else if (is_loaded_pair(address)) {
    const std::uint64_t offset = address.value - pairs_[node].value;
    if (const auto key = loaded_.key_at(node, offset)) {
      const PairShape shape{sizes_.key_bytes, sizes_.value_bytes(sim::Key{*key})};
      piece.inside = offset - loaded_.offset_of(*key);
      piece.bytes = shape.bytes();
      // Behind the key's number all is 0.
      write_pair_head(piece.content, shape, sim::Key{*key});
    }
  }
  return piece;
}

void TableLayout::first_bytes(GlobalAddress address, std::span<std::byte> into) const {
  for (std::size_t at = 0; at < into.size();) {
    const Piece piece = piece_at({address.value + at});
    if (piece.inside >= piece.bytes) {  // a gap, whose length nobody has asked for
      into[at++] = std::byte{};
      continue;
    }
    const std::size_t here = std::min(piece.bytes - piece.inside, into.size() - at);
    for (std::size_t i = 0; i < here; ++i) {
      const std::size_t inside = piece.inside + i;
      into[at + i] = inside < piece.content.size() ? piece.content[inside] : std::byte{};
    }
    at += here;
  }
}

std::uint64_t TableLayout::lines(std::uint64_t buckets, std::uint64_t keys, std::uint64_t line_bytes,
                                 const ItemSizes& sizes) {
  const double share = sizes.small_share;
  const double value = share * sizes.small_value_bytes + (1 - share) * sizes.large_value_bytes;
  const double pair = std::max(1.0, PairShape::kHeaderBytes + sizes.key_bytes + value);
  const auto line = static_cast<double>(line_bytes);
  const double of_pair =
      pair > line ? pair / line + 1 : 1 / static_cast<double>(static_cast<std::uint64_t>(line / pair));
  return static_cast<std::uint64_t>(static_cast<double>(buckets) * Bucket::kBytes / line +
                                    static_cast<double>(keys) * of_pair) +
         2;
}

}  // namespace racksim::models
