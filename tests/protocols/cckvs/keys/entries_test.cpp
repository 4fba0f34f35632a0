// Entries of a cache against a map, and caches that begin with the same keys.
#include <catch2/catch.hpp>
#include <map>

#include "protocols/cckvs/keys/cached_keys.hpp"
#include "sim/random/random.hpp"

namespace entries_test {

using namespace racksim;
using cckvs::Entries;

TEST_CASE("A cache's entries are those of a map, though it began with the map of another") {
  Entries image;
  for (std::uint64_t key = 0; key < 50; ++key) image[sim::Key{key * key}].value = sim::Value{key};
  for (std::uint64_t key = 0; key < 50; ++key) REQUIRE(image.all()[key].value == key);
  Entries entries = image;
  std::map<std::uint64_t, std::uint64_t> reference;
  for (std::uint64_t key = 0; key < 50; ++key) reference[key * key] = key;
  sim::RandomStream random(1, "entries");
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    const sim::Key key{random.below(100)};
    if (random.below(2) == 0) {
      const bool is_new = !reference.contains(key.number());
      cckvs::Entry& entry = entries[key];
      if (is_new) REQUIRE((entry.value == sim::kNeverWritten && entry.header == cckvs::Header{}));
      entry.value = sim::Value{i};
      entry.header.version = 7;
      reference[key.number()] = i;
    } else {
      entries.erase(key);
      reference.erase(key.number());
    }
    const cckvs::Entry* found = entries.find(key);
    REQUIRE((found != nullptr) == reference.contains(key.number()));
    REQUIRE(entries.size() == reference.size());
  }
  for (const auto& [key, value] : reference) CHECK(entries.find(sim::Key{key})->value == value);
  // The other one is as it was.
  CHECK(image.size() == 50);
  for (std::uint64_t key = 0; key < 50; ++key) CHECK(image.find(sim::Key{key * key})->value == key);
}

}  // namespace entries_test
