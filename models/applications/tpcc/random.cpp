// Non-uniform random numbers and last names. See random.hpp.
#include "models/applications/tpcc/random.hpp"

#include <algorithm>
#include <string_view>

namespace racksim::app::tpcc {

std::uint64_t nurand(sim::RandomStream& random, std::uint64_t a, std::uint64_t c, std::uint64_t x, std::uint64_t y) {
  const std::uint64_t range = y - x + 1;
  const std::uint64_t bits = random.below(a + 1);
  return ((bits | (x + random.below(range))) + c) % range + x;
}

std::uint64_t draw_item(sim::RandomStream& random, std::uint64_t items) {
  return nurand(random, 8191, kItemsInRuns, 1, items) - 1;
}
std::uint64_t draw_customer(sim::RandomStream& random, std::uint64_t customers) {
  return nurand(random, 1023, kCustomersInRuns, 1, customers) - 1;
}
std::uint64_t draw_name(sim::RandomStream& random, std::uint64_t names) {
  return nurand(random, 255, kNamesInRuns, 0, names - 1);
}

std::array<char, 16> last_name(std::uint64_t number) {
  static constexpr std::array<std::string_view, 10> kSyllables{"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                               "ESE", "ANTI",  "CALLY", "ATION", "EING"};
  std::array<char, 16> name{};
  std::size_t end = 0;
  for (const std::uint64_t digit : {number / 100 % 10, number / 10 % 10, number % 10}) {
    const std::string_view syllable = kSyllables[digit];
    std::copy(syllable.begin(), syllable.end(), name.begin() + static_cast<std::ptrdiff_t>(end));
    end += syllable.size();
  }
  return name;
}

Names::Names(std::uint64_t customers, std::uint64_t names) : customers_(names) {
  sim::RandomStream random(0, "tpcc/names");
  for (std::uint64_t customer = 0; customer < customers; ++customer) {
    const std::uint64_t name = customer < names ? customer : nurand(random, 255, kNamesAtFirst, 0, names - 1);
    name_of_.push_back(static_cast<std::uint32_t>(name));
    auto& first_name = first_names_.emplace_back();
    for (char& letter : first_name) letter = static_cast<char>('a' + random.below(26));
    customers_[name].push_back(static_cast<std::uint32_t>(customer));
  }
  for (auto& of_name : customers_) {
    std::sort(of_name.begin(), of_name.end(),
              [this](std::uint32_t a, std::uint32_t b) { return first_names_[a] < first_names_[b]; });
    most_ = std::max<std::uint64_t>(most_, of_name.size());
  }
}

}  // namespace racksim::app::tpcc
