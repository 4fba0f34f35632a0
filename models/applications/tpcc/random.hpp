// TPC-C's non-uniform random numbers and last names (standard §2.1.6, §4.3.2.3).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/random/random.hpp"

namespace racksim::app::tpcc {

/// NURand(A, x, y) of the standard, with its constant C.
std::uint64_t nurand(sim::RandomStream& random, std::uint64_t a, std::uint64_t c, std::uint64_t x, std::uint64_t y);

// The constants C, chosen once. That of last names differs from the one of the first contents by 85: from 65 to 119, and
// neither 96 nor 112 (standard §2.1.6.1).
inline constexpr std::uint64_t kNamesAtFirst = 123, kNamesInRuns = 208, kCustomersInRuns = 259, kItemsInRuns = 7911;

/// An item, from 0, of so many: the multiplier of the standard's bits (8191) whatever their number.
std::uint64_t draw_item(sim::RandomStream& random, std::uint64_t items);
/// A customer of a district, from 0.
std::uint64_t draw_customer(sim::RandomStream& random, std::uint64_t customers);
/// A last name's number, of those that somebody has.
std::uint64_t draw_name(sim::RandomStream& random, std::uint64_t names);

/// A last name: the syllables of its number's three digits, and zeros behind.
std::array<char, 16> last_name(std::uint64_t number);

/// Who has which last name, the same in every district. The first 1,000 customers have one each, the others draw theirs.
class Names {
 public:
  Names(std::uint64_t customers, std::uint64_t names);

  std::uint64_t of(std::uint64_t customer) const { return name_of_[customer]; }
  std::array<char, 16> first_name(std::uint64_t customer) const { return first_names_[customer]; }
  /// The customers of a name, by their first names.
  const std::vector<std::uint32_t>& customers(std::uint64_t name) const { return customers_[name]; }
  /// Of all names, the most customers of one.
  std::uint64_t most() const { return most_; }

 private:
  std::vector<std::uint32_t> name_of_;
  std::vector<std::array<char, 16>> first_names_;
  std::vector<std::vector<std::uint32_t>> customers_;
  std::uint64_t most_ = 0;
};

}  // namespace racksim::app::tpcc
