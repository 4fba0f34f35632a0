// What TPC-C's terminals ask for: which warehouse, which items, which customers, and how often.
#include "models/applications/tpcc/inputs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/applications/tpcc/mix.hpp"
#include "models/applications/tpcc/random.hpp"
#include "models/applications/tpcc/tpcc.hpp"

namespace tpcc_inputs_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::app::tpcc;

namespace {

/// The probability of each value of (a | b), a from 0 to A and b from x to y, by counting.
std::vector<double> exact(std::uint64_t bits, std::uint64_t x, std::uint64_t y) {
  std::vector<double> p(y - x + 1);
  for (std::uint64_t b = x; b <= y; ++b) {
    // a | b runs over all numbers between b and b with all the bits of A, each by as many a as b's own bits leave open.
    const std::uint64_t open = bits & ~b;
    const double of_each = std::ldexp(1.0, -__builtin_popcountll(open)) / static_cast<double>(y - x + 1);
    std::uint64_t subset = open;
    while (true) {
      p[(b | subset) % p.size()] += of_each;
      if (subset == 0) break;
      subset = (subset - 1) & open;
    }
  }
  std::sort(p.rbegin(), p.rend());
  return p;
}

}  // namespace

TEST_CASE("Non-uniform numbers are as skewed as counting says: the hottest item .19 %, the first percent 30 %") {
  const std::vector<double> p = exact(8191, 1, 100'000);
  double top = 0;
  for (std::size_t i = 0; i < 1000; ++i) top += p[i];
  CHECK(p[0] == Approx(0.0019).epsilon(0.05));
  CHECK(top == Approx(0.30).epsilon(0.05));

  constexpr std::uint64_t kDraws = 1'000'000;
  sim::RandomStream random(1, "items");
  std::vector<std::uint64_t> counts(100'000);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[draw_item(random, 100'000)];
  std::sort(counts.rbegin(), counts.rend());
  const double hottest = static_cast<double>(counts[0]) / kDraws;
  double drawn_top = 0;
  for (std::size_t i = 0; i < 1000; ++i) drawn_top += static_cast<double>(counts[i]) / kDraws;
  // The hottest of several that are alike: a few sigma above.
  CHECK(hottest == Approx(p[0]).margin(5 * std::sqrt(p[0] / kDraws)));
  CHECK(drawn_top == Approx(top).epsilon(0.02));
}

TEST_CASE("Last names are three syllables, and every name that is asked for has a customer") {
  const auto text = [](std::uint64_t number) { return std::string(last_name(number).data()); };
  CHECK(text(371) == "PRICALLYOUGHT");  // the standard's examples, §4.3.2.3
  CHECK(text(40) == "BARPRESBAR");
  CHECK(text(0) == "BARBARBAR");
  CHECK(text(999).size() == 12);
  for (const std::uint64_t customers : {10, 300, 3000}) {
    const Names names(customers, std::min<std::uint64_t>(customers, 1000));
    std::set<std::uint32_t> all;
    for (std::uint64_t name = 0; name < std::min<std::uint64_t>(customers, 1000); ++name) {
      REQUIRE_FALSE(names.customers(name).empty());
      for (std::size_t i = 0; i < names.customers(name).size(); ++i) {
        const std::uint32_t customer = names.customers(name)[i];
        CHECK(names.of(customer) == name);
        all.insert(customer);
        if (i > 0) CHECK(names.first_name(names.customers(name)[i - 1]) <= names.first_name(customer));
      }
    }
    CHECK(all.size() == customers);
  }
}

TEST_CASE("Mixes have their shares") {
  const auto shares = [](Mix mix) {
    std::array<double, kKinds> counts{};
    sim::RandomStream random(1, "mix");
    for (int i = 0; i < 100'000; ++i) counts[static_cast<std::size_t>(draw_kind(mix, random))] += 0.001;
    return counts;  // percent
  };
  const auto close = [](const std::array<double, kKinds>& found, std::array<double, kKinds> percent) {
    for (std::size_t i = 0; i < kKinds; ++i) {
      CHECK(found[i] == Approx(percent[i]).margin(4 * std::sqrt(percent[i] * (100 - percent[i]) / 100'000)));
    }
  };
  close(shares(Mix::standard), {45, 43, 4, 4, 4});
  close(shares(Mix::orders_and_payments), {100 * 45 / 88.0, 100 * 43 / 88.0, 0, 0, 0});
  close(shares(Mix::updates), {100 / 3.0, 100 / 3.0, 0, 100 / 3.0, 0});
  close(shares(Mix::reads), {0, 0, 50, 0, 50});
  close(shares(Mix::all), {20, 20, 20, 20, 20});
  close(shares(Mix::delivery), {0, 0, 0, 100, 0});
}

TEST_CASE(
    "Lines and payments are remote as often as the distribution says, items of an order differ, some come again") {
  const Scale scale = Scale::of(8, 10, 10);
  sim::RandomStream random(1, "inputs");
  const auto by = [&](double remote, double locality) {
    return Drawing{.scale = scale,
                   .remote_line = remote,
                   .remote_payment = remote,
                   .by_name = 0.6,
                   .rollback = 0,
                   .locality = locality};
  };
  for (const double remote : {0.0, 0.25, 1.0}) {
    double lines = 0, foreign = 0, payments = 0;
    for (int i = 0; i < 4000; ++i) {
      const NewOrderInput order = draw_new_order(by(remote, 0), 3, {}, random);
      std::set<std::uint64_t> items;
      for (std::uint64_t k = 0; k < order.count; ++k) {
        items.insert(order.lines[k].item);
        ++lines;
        if (order.lines[k].supplier != 3) ++foreign;
      }
      CHECK(items.size() == order.count);
      CHECK(order.district / kDistricts == 3);
      const PaymentInput payment = draw_payment(by(remote, 0), 3, random);
      if (payment.customer.district / kDistricts != 3) ++payments;
      if (payment.customer.district / kDistricts == 3) CHECK(payment.customer.district == payment.district);
    }
    const double sigma = std::sqrt(remote * (1 - remote) / lines);
    CHECK(foreign / lines == Approx(remote).margin(4 * sigma));
    CHECK(payments / 4000 == Approx(remote).margin(4 * std::sqrt(remote * (1 - remote) / 4000)));
  }
  const std::vector<Ware> last{{1, 3}, {2, 3},  {3, 4},  {4, 3},  {5, 3},  {6, 3},  {7, 3}, {8, 3},
                               {9, 3}, {10, 3}, {11, 3}, {12, 3}, {13, 3}, {14, 3}, {15, 3}};
  const NewOrderInput again = draw_new_order(by(0, 1), 3, last, random);
  for (std::uint64_t k = 0; k < again.count; ++k) CHECK((again.lines[k].item >= 1 && again.lines[k].item <= 15));
}

TEST_CASE("A terminal's warehouse is its own, one of its share of its node's, or any") {
  Tpcc tpcc;
  sim::RandomStream random(1, "home");
  const auto homes = [&](unsigned node, unsigned thread, unsigned nodes, unsigned threads) {
    std::set<std::uint64_t> found;
    for (int i = 0; i < 1000; ++i) {
      found.insert(tpcc.draw_home({.node = node, .thread = thread, .nodes = nodes, .threads = threads}, random));
    }
    return found;
  };
  using Set = std::set<std::uint64_t>;
  tpcc.warehouses = 32;
  tpcc.home = Tpcc::Home::own;
  CHECK(homes(0, 0, 8, 4) == Set{0});
  CHECK(homes(7, 3, 8, 4) == Set{31});
  CHECK(homes(1, 1, 8, 2) == Set{6});  // fewer terminals than warehouses: one of its node's, 4 to 7
  tpcc.warehouses = 64;
  tpcc.home = Tpcc::Home::node;
  CHECK(homes(1, 1, 4, 4) == Set{17, 21, 25, 29});  // of 16 to 31 every fourth
  tpcc.warehouses = 4;
  CHECK(homes(2, 0, 4, 4) == Set{2});
  CHECK(homes(2, 3, 4, 4) == Set{2});
  tpcc.home = Tpcc::Home::any;
  CHECK(homes(2, 3, 4, 4) == Set{0, 1, 2, 3});
}

TEST_CASE("Where the whole transaction may be another warehouse's, its lines and customers are of that one") {
  Tpcc tpcc;
  tpcc.distribution_of = Tpcc::Of::transaction;
  CHECK_THROWS_WITH(tpcc.check(), Catch::Contains("distribution"));
  tpcc.distribution = 0.5;
  CHECK_NOTHROW(tpcc.check());
}

}  // namespace tpcc_inputs_test
