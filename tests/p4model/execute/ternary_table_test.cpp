// Tables in TCAM against a list of entries that spells out what each match kind means.
#include "p4model/execute/ternary_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>

#include "p4model/language/header.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace ternary_table_test {

using namespace racksim::p4;
using namespace racksim::p4::testing;
using Catch::Contains;

namespace {

/// Whether a value of `bits` bits matches, from the definition of each form.
bool matches(const KeyMatch& match, unsigned bits, std::uint64_t value) {
  switch (match.form()) {
    case KeyMatch::Form::value:
      return value == match.value();
    case KeyMatch::Form::masked:
      return (value & match.extent()) == (match.value() & match.extent());
    case KeyMatch::Form::prefix:
      return value >> (bits - match.extent()) == match.value() >> (bits - match.extent());
    case KeyMatch::Form::range:
      return match.value() <= value && value <= match.extent();
    case KeyMatch::Form::any:
      return true;
  }
  return false;
}

/// Nodes of the binary trie over `bits` bits that lie wholly in [first, last] and whose parents do not.
std::uint64_t trie_nodes(std::uint64_t low, unsigned bits, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t high = low + mask_of(bits);
  if (high < first || last < low) return 0;
  if (first <= low && high <= last) return 1;
  return trie_nodes(low, bits - 1, first, last) +
         trie_nodes(low + (std::uint64_t{1} << (bits - 1)), bits - 1, first, last);
}

struct Listed {
  std::vector<KeyMatch> key;
  std::uint32_t priority, action;
  std::uint64_t data;
  bool same(const Listed& other, const std::vector<TernaryTable::Field>& fields) const {
    if (priority != other.priority) return false;
    // Two spellings of one match are one match: they agree on every value.
    for (std::size_t i = 0; i < key.size(); ++i) {
      for (std::uint64_t value = 0; value <= mask_of(fields[i].bits); ++value) {
        if (matches(key[i], fields[i].bits, value) != matches(other.key[i], fields[i].bits, value)) return false;
      }
    }
    return true;
  }
};

KeyMatch random_match(RandomNumbers& random, const TernaryTable::Field& field) {
  const std::uint64_t all = mask_of(field.bits), value = random.next() & all;
  if (field.kind == MatchKind::exact || random.below(4) == 0) return value;
  if (random.below(6) == 0) return KeyMatch::any();
  const std::uint64_t other = random.next() & all;
  const auto length = static_cast<unsigned>(random.below(field.bits + 1));
  switch (field.kind) {
    case MatchKind::lpm:
      return KeyMatch::prefix(value, length);
    case MatchKind::range:
      return KeyMatch::range(std::min(value, other), std::max(value, other));
    default:
      return random.below(3) == 0 ? KeyMatch::prefix(value, length) : KeyMatch::masked(value, other);
  }
}

}  // namespace

TEST_CASE("tables of every mixture of match kinds agree with a list through random changes and lookups") {
  RandomNumbers random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<TernaryTable::Field> fields;
    const bool prefixes = random.below(3) == 0;
    const auto count = 1 + random.below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      constexpr MatchKind kKinds[] = {MatchKind::exact, MatchKind::ternary, MatchKind::range};
      // All values of the keys together are listed up to 12 bits.
      fields.push_back({static_cast<unsigned>(1 + random.below(round % 2 == 0 ? 4 : 9)),
                        prefixes ? (i == 0 ? MatchKind::lpm : MatchKind::exact) : kKinds[random.below(3)]});
    }
    TernaryTable table("t", fields, 100'000, 1);
    std::vector<Listed> list;  // the one added first is first
    std::uint64_t rows = 0;
    for (int step = 0; step < 150; ++step) {
      Listed entry{{},
                   prefixes ? 0 : static_cast<std::uint32_t>(random.below(3)),
                   static_cast<std::uint32_t>(random.below(5)),
                   random.next()};
      for (const auto& field : fields) entry.key.push_back(random_match(random, field));
      const auto there =
          std::find_if(list.begin(), list.end(), [&](const Listed& other) { return other.same(entry, fields); });
      const std::vector<std::uint64_t> data{entry.data};
      switch (random.below(4)) {
        case 0:
        case 1:
          if (there != list.end()) {
            CHECK_THROWS_WITH(table.add(entry.key, entry.priority, entry.action, data), Contains("already there"));
          } else {
            table.add(entry.key, entry.priority, entry.action, data);
            list.push_back(entry);
          }
          break;
        case 2:
          REQUIRE(table.modify(entry.key, entry.priority, entry.action, data) == (there != list.end()));
          if (there != list.end()) *there = entry;
          break;
        default:
          REQUIRE(table.remove(entry.key, entry.priority) == (there != list.end()));
          if (there != list.end()) list.erase(there);
      }
      REQUIRE(table.size() == list.size());
      // Bitmaps are made after some searches.
      for (int look = 0; look < (step % 4 == 0 ? 20 : 1); ++look) {
        std::vector<std::uint64_t> values;
        for (const auto& field : fields) values.push_back(random.next() & mask_of(field.bits));
        const Listed* best = nullptr;
        for (const Listed& candidate : list) {
          bool hit = true;
          for (std::size_t i = 0; i < values.size(); ++i)
            hit = hit && matches(candidate.key[i], fields[i].bits, values[i]);
          if (!hit) continue;
          const auto length = [&](const Listed& entry_of) {
            const KeyMatch& match = entry_of.key[0];
            if (match.form() == KeyMatch::Form::any) return std::uint64_t{0};
            return match.form() == KeyMatch::Form::value ? std::uint64_t{fields[0].bits} : match.extent();
          };
          const bool better =
              best == nullptr || (prefixes ? length(candidate) > length(*best) : candidate.priority < best->priority);
          if (better) best = &candidate;
        }
        const auto found = table.find(values.data());
        REQUIRE((found != TernaryTable::kMiss) == (best != nullptr));
        if (best) {
          REQUIRE(table.action(found) == best->action);
          REQUIRE(table.data(found)[0] == best->data);
        }
      }
    }
    for (const Listed& entry : list) {
      std::uint64_t product = 1;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].kind != MatchKind::range) continue;
        const KeyMatch& match = entry.key[i];
        const bool any = match.form() == KeyMatch::Form::any, value = match.form() == KeyMatch::Form::value;
        product *= trie_nodes(0, fields[i].bits, any ? 0 : match.value(),
                              any     ? mask_of(fields[i].bits)
                              : value ? match.value()
                                      : match.extent());
      }
      rows += product;
    }
    REQUIRE(table.rows_used() == rows);
  }
}

TEST_CASE("a range takes as many rows as prefixes make it up, at most twice its bits less two") {
  for (std::uint64_t first = 0; first < 64; ++first) {
    for (std::uint64_t last = first; last < 64; ++last) {
      TernaryTable table("t", {{6, MatchKind::range}}, 64, 0);
      table.add(std::vector<KeyMatch>{KeyMatch::range(first, last)}, 0, 0, {});
      REQUIRE(table.rows_used() == trie_nodes(0, 6, first, last));
      REQUIRE(table.rows_used() <= 2 * 6 - 2);
    }
  }
  TernaryTable wide("t", {{64, MatchKind::range}}, 1000, 0);
  wide.add(std::vector<KeyMatch>{KeyMatch::any()}, 0, 0, {});
  CHECK(wide.rows_used() == 1);
  wide.add(std::vector<KeyMatch>{KeyMatch::range(1, ~std::uint64_t{0} - 1)}, 0, 0, {});
  CHECK(wide.rows_used() == 1 + 2 * 64 - 2);
}

TEST_CASE("rows that run out are refused with what is used and needed, and come back with a removal") {
  TernaryTable table("acl", {{8, MatchKind::range}}, 15, 0);
  const std::vector<KeyMatch> costly{KeyMatch::range(1, 254)}, cheap{KeyMatch::range(0, 127)}, one{7};
  table.add(costly, 0, 0, {});  // 14 rows
  table.add(cheap, 0, 0, {});
  CHECK_THROWS_WITH(table.add(one, 0, 0, {}), "table 'acl' is full: 15 of 15 rows are used, and the entry takes 1");
  CHECK(table.remove(cheap, 0));
  table.add(one, 0, 0, {});
  CHECK(table.size() == 2);
  TernaryTable small("acl", {{8, MatchKind::range}}, 3, 0);
  CHECK_THROWS_WITH(small.add(costly, 0, 0, {}),
                    "table 'acl' is full: 0 of 3 rows are used, and the entry takes more than 3");
}

TEST_CASE("a key that does not suit its fields is refused by table and field") {
  TernaryTable mixed("t", {{8, MatchKind::exact}, {8, MatchKind::ternary}, {8, MatchKind::range}}, 10, 0);
  const auto refusal = [&](TernaryTable& table, std::vector<KeyMatch> key, std::uint32_t priority = 0) {
    try {
      table.add(key, priority, 0, {});
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal(mixed, {1, 2}) == "table 't': a key has 3 values, not 2");
  CHECK(refusal(mixed, {256, 2, 3}) == "table 't': key field 0, exact of 8 bits, cannot hold 256");
  CHECK(refusal(mixed, {KeyMatch::any(), 2, 3}) == "table 't': key field 0, exact of 8 bits, must be given a value");
  CHECK(refusal(mixed, {1, KeyMatch::range(1, 2), 3}) == "table 't': key field 1, ternary of 8 bits, takes no range");
  CHECK(refusal(mixed, {1, KeyMatch::masked(1, 256), 3}) ==
        "table 't': key field 1, ternary of 8 bits, cannot hold 256");
  CHECK(refusal(mixed, {1, KeyMatch::prefix(1, 9), 3}) ==
        "table 't': key field 1, ternary of 8 bits, has no prefix of 9 bits");
  CHECK(refusal(mixed, {1, 2, KeyMatch::masked(1, 1)}) == "table 't': key field 2, range of 8 bits, takes no mask");
  CHECK(refusal(mixed, {1, 2, KeyMatch::range(5, 4)}) ==
        "table 't': key field 2, range of 8 bits, cannot be in the empty range from 5 to 4");
  CHECK(mixed.size() == 0);
  TernaryTable routes("r", {{32, MatchKind::lpm}}, 10, 0);
  CHECK(refusal(routes, {KeyMatch::masked(1, 1)}) == "table 'r': key field 0, lpm of 32 bits, takes no mask");
  CHECK(refusal(routes, {1}, 3) ==
        "table 'r': key field 0, lpm of 32 bits, decides by the longest prefix, not by priority 3");
}

}  // namespace ternary_table_test
