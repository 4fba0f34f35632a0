// What lies in memory before the run, against a table that keys are put into one after the other.
#include "models/store/table_layout.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

#include "models/store/pair.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace table_layout_test {

using namespace racksim;
using namespace racksim::models;
using models::test::FakeMemory;

namespace {

struct Bench : models::test::TestRack {
  explicit Bench(std::uint64_t line_bytes = 512) : memory(rack, FakeMemory::shape_of(8, line_bytes)) {}

  /// In pieces of 64 bytes that begin at their multiples, as memories ask.
  static std::vector<std::byte> read(const TableLayout& layout, GlobalAddress at, std::size_t bytes) {
    std::vector<std::byte> found(bytes);
    for (std::size_t i = 0; i < bytes;) {
      const std::size_t here = std::min<std::size_t>(bytes - i, 64 - (at.value + i) % 64);
      layout.first_bytes({at.value + i}, std::span(found).subspan(i, here));
      i += here;
    }
    return found;
  }
  static Bucket bucket(const TableLayout& layout, GlobalAddress at) {
    const auto bytes = read(layout, at, Bucket::kBytes);
    Bucket found;
    std::copy(bytes.begin(), bytes.end(), found.bytes().begin());
    return found;
  }

  FakeMemory memory;
};

ItemSizes items(std::uint32_t small, std::uint32_t large, double share) {
  return {.key_bytes = 16, .small_value_bytes = small, .large_value_bytes = large, .small_share = share};
}

/// The keys that a walk over all chains finds, each with its pair's place.
std::map<std::uint64_t, std::pair<GlobalAddress, std::uint64_t>> walked(const TableLayout& layout) {
  std::map<std::uint64_t, std::pair<GlobalAddress, std::uint64_t>> found;
  for (std::uint64_t number = 0; number < layout.buckets(); ++number) {
    for (GlobalAddress at = layout.address_of(number);;) {
      const Bucket bucket = Bench::bucket(layout, at);
      bool ended = false;
      for (unsigned i = 0; i < Bucket::kEntries; ++i) {
        const BucketEntry entry = bucket.entry(i);
        ended = ended || entry.is_empty();
        REQUIRE(ended == entry.is_empty());  // loaded one behind the other
        if (entry.is_empty()) continue;
        const auto bytes = Bench::read(layout, entry.pair, entry.bytes);
        const StoredPair pair(bytes);
        const std::uint64_t key = pair.key();
        REQUIRE(entry.tag == hash_of(pair.key()).tag());
        REQUIRE(layout.bucket_of(hash_of(pair.key())) == number);
        REQUIRE(pair.has_key(pair.key(), 16));
        REQUIRE(pair.shape().bytes() == entry.bytes);
        REQUIRE(pair.value() == sim::kNeverWritten);
        REQUIRE(found.emplace(key, std::pair{entry.pair, entry.bytes}).second);
      }
      if (bucket.overflow() == GlobalAddress{}) break;
      at = bucket.overflow();
    }
  }
  return found;
}

}  // namespace

TEST_CASE("Every key that was loaded is found once by a walk over the chains, with its pair, and no other is") {
  for (const std::uint64_t line : {64, 512, 4096}) {
    for (const auto& sizes : {items(8, 8, 1), items(64, 1024, 0.5), items(128, 128, 0), items(8, 5000, 0.3)}) {
      for (const auto& [buckets, keys] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
               {1, 0}, {1, 1}, {1, 57}, {7, 40}, {40, 200}, {13, 400}}) {
        Bench t(line);
        const TableLayout layout(t.memory, buckets, keys, sizes);
        const auto found = walked(layout);
        REQUIRE(found.size() == keys);
        std::map<std::uint64_t, std::uint64_t> taken;
        for (const auto& [key, pair] : found) {
          REQUIRE(key < keys);
          REQUIRE(pair.second == PairShape{16, sizes.value_bytes(sim::Key{key})}.bytes());
          REQUIRE(layout.is_loaded_pair(pair.first));
          REQUIRE(layout.pair_of(key) == pair.first);
          taken.emplace(pair.first.value, pair.second);
          // One that fits a line lies in one.
          if (pair.second <= line) REQUIRE(pair.first.value / line == (pair.first.value + pair.second - 1) / line);
        }
        std::uint64_t end = 0;
        for (const auto& [begin, bytes] : taken) {
          REQUIRE(begin >= end);
          end = begin + bytes;
        }
      }
    }
  }
}

TEST_CASE("Pairs of two sizes lie one behind the other in the order of the keys of their node") {
  const ItemSizes sizes = items(24, 600, 0.4);
  const std::uint64_t line = 512, keys = 1000;
  const LoadedPairs pairs(keys, 4, line, sizes);
  for (unsigned node = 0; node < 4; ++node) {
    std::uint64_t end = 0;
    for (std::uint64_t key = node; key < keys; key += 4) {
      // The obvious way: the next word that the last pair leaves, in its line if the pair fits, else in the next one.
      const std::uint64_t bytes = 24 + sizes.value_bytes(sim::Key{key}), words = (bytes + 7) / 8 * 8;
      std::uint64_t begin = end;
      while (words <= line ? begin / line != (begin + words - 1) / line : begin % line != 0) begin += 8;
      end = begin + words;
      if (words > line) {
        while (end % line != 0) end += 8;
      }
      REQUIRE(pairs.offset_of(key) == begin);
      for (const std::uint64_t inside : {std::uint64_t{0}, bytes / 2, bytes - 1}) {
        REQUIRE(pairs.key_at(node, begin + inside) == key);
      }
    }
    REQUIRE(pairs.bytes_of_node() >= end);
  }
}

TEST_CASE("Buckets are spread over the memory nodes by the high bits of the hash, each node as many") {
  Bench t;
  const TableLayout layout(t.memory, 4000, 0, items(64, 64, 1));
  std::map<unsigned, std::uint64_t> of_node;
  for (std::uint64_t key = 0; key < 20'000; ++key) {
    const TableHash hash = hash_of(sim::Key{key});
    const unsigned node = layout.address_of(layout.bucket_of(hash)).home();
    REQUIRE(node == hash.bits >> 62);
    ++of_node[node];
  }
  for (const auto& [node, keys] : of_node) {
    CHECK(keys > 4700);  // 5000 and 61 (one sigma), each
    CHECK(keys < 5300);
  }
}

TEST_CASE("Of half full buckets as many overflow as a Poisson distribution of mean 5 has above 10") {
  Bench t;
  const TableLayout layout(t.memory, 100'000, 500'000, items(8, 8, 1));
  // P(more than 10) = .01370: 1370 buckets, one sigma 37.
  CHECK(layout.loaded_overflows() > 1370 - 5 * 37);
  CHECK(layout.loaded_overflows() < 1370 + 5 * 37);
}

}  // namespace table_layout_test
