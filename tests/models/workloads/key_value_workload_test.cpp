// The key-value workload against what its distributions promise (StarCache §4, §5.1, §5.3), on a store that answers
// after a fixed delay. Bounds are four standard deviations, or a chance of 1e-4 (chi_square.hpp).
#include "models/workloads/key_value_workload.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <stdexcept>

#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/workloads/driven_store.hpp"
#include "tests/sim/random/chi_square.hpp"

namespace key_value_workload_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using racksim::tests::chi_square;
using racksim::tests::chi_square_limit;

TEST_CASE("All clients together offer the rate, in equal parts, as a Poisson process") {
  auto options = few_keys();
  options.rate = 2'000'000;
  Driven t(options);
  t.run(20_ms);
  CHECK(std::abs(count_of(t.store.asked.size()) - 40'000) < 4 * std::sqrt(40'000.0));
  for (NodeId node = 0; node < 5; ++node) {
    CHECK(std::abs(count_of(t.asked_by(node)) - 8'000) < 4 * std::sqrt(8'000.0));
  }
  // Counts of a Poisson process in equal windows have their mean as variance.
  std::vector<double> windows(400);
  for (const auto& asked : t.store.asked) ++windows[static_cast<std::size_t>((asked.at - sim::Time{}) / 50'001_ns)];
  double sum = 0, squares = 0;
  for (const double n : windows) {
    sum += n;
    squares += n * n;
  }
  const double mean = sum / 400, variance = squares / 400 - mean * mean;
  CHECK(std::abs(variance / mean - 1) < 4 * std::sqrt(2.0 / 400));
}

TEST_CASE("The gaps of a session are exponential") {
  auto options = few_keys();
  options.threads = 1;
  options.rate = 500'000;
  Driven t(options, 1);
  t.run(100_ms);
  const double mean = 2'000'000;  // ps
  std::vector<double> gaps;
  sim::Time last;
  for (const auto& asked : t.store.asked) {
    gaps.push_back(static_cast<double>((asked.at - last).ps()));
    last = asked.at;
  }
  const double n = count_of(gaps.size());
  double sum = 0, squares = 0;
  std::vector<std::uint64_t> deciles(10);
  for (const double gap : gaps) {
    sum += gap;
    squares += (gap - mean) * (gap - mean);
    ++deciles[std::min<std::size_t>(9, static_cast<std::size_t>((1 - std::exp(-gap / mean)) * 10))];
  }
  CHECK(std::abs(sum / n - mean) < 4 * mean / std::sqrt(n));
  CHECK(std::abs(squares / n - mean * mean) < 4 * mean * mean * std::sqrt(8 / n));
  CHECK(chi_square(deciles, std::vector<double>(10, 0.1)) < chi_square_limit(9));
}

TEST_CASE("Keys are asked for by their Zipf popularity, the hottest key being 0") {
  auto options = few_keys();
  options.zipf = GENERATE(0.0, 0.99, 1.5);
  options.rate = 10'000'000;
  Driven t(options);
  t.run(10_ms);
  double total = 0;
  for (int rank = 1; rank <= 1000; ++rank) total += std::pow(rank, -options.zipf);
  constexpr std::size_t kHottest = 30;
  std::vector<std::uint64_t> observed(kHottest + 1);
  std::vector<double> probability(kHottest + 1);
  for (const std::uint64_t key : t.keys()) {
    REQUIRE(key < 1000);
    ++observed[std::min<std::size_t>(key, kHottest)];
  }
  double rest = 1;
  for (std::size_t i = 0; i < kHottest; ++i) {
    probability[i] = std::pow(count_of(i + 1), -options.zipf) / total;
    rest -= probability[i];
  }
  probability[kHottest] = rest;
  CHECK(chi_square(observed, probability) < chi_square_limit(kHottest));
}

TEST_CASE("The largest number of keys costs nothing and reaches far") {
  auto options = few_keys();
  options.keys = std::uint64_t{1} << 47;
  options.zipf = 0;
  options.preload = 3;
  Driven t(options);
  t.workload->warm_up();
  t.run(1_ms);
  const auto keys = t.keys();
  REQUIRE(keys.size() > 500);
  CHECK(*std::max_element(keys.begin(), keys.end()) < options.keys);
  CHECK(*std::max_element(keys.begin(), keys.end()) > options.keys / 10 * 9);
}

TEST_CASE("One key is asked for all the time") {
  auto options = few_keys();
  options.keys = 1;
  Driven t(options);
  t.workload->warm_up();
  t.run(1_ms);
  CHECK(t.store.preloaded == std::vector<std::uint64_t>{0});
  CHECK(t.store.asked.size() > 500);
  for (const std::uint64_t key : t.keys()) CHECK(key == 0);
}

TEST_CASE("The share of writes is the write ratio") {
  auto options = few_keys();
  options.write_ratio = GENERATE(0.0, 0.05, 0.5, 1.0);
  options.rate = 10'000'000;
  Driven t(options);
  t.run(4_ms);
  const double n = count_of(t.store.asked.size());
  const double writes = count_of(static_cast<std::size_t>(
      std::count_if(t.store.asked.begin(), t.store.asked.end(), [](const auto& asked) { return asked.write; })));
  const double deviation = std::sqrt(n * options.write_ratio * (1 - options.write_ratio));
  CHECK(std::abs(writes - n * options.write_ratio) <= 4 * deviation);
}

TEST_CASE("The store is told the sizes and the hottest keys, hottest first, before the run") {
  auto options = few_keys();
  options.key_bytes = 24;
  options.small_value = 32;
  options.large_value = 5664;
  options.small_share = 0.25;
  options.preload = 100;
  Driven t(options);
  t.workload->warm_up();
  CHECK(t.store.described == 1);
  CHECK(t.store.sizes.key_bytes == 24);
  CHECK(t.store.sizes.small_value_bytes == 32);
  CHECK(t.store.sizes.large_value_bytes == 5664);
  CHECK(t.store.sizes.small_share == 0.25);
  std::vector<std::uint64_t> hottest(100);
  for (std::size_t i = 0; i < hottest.size(); ++i) hottest[i] = i;
  CHECK(t.store.preloaded == hottest);
  CHECK(t.store.asked.empty());
}

TEST_CASE("No more keys are preloaded than there are") {
  auto options = few_keys();
  Driven t(options);
  t.workload->warm_up();
  CHECK(t.store.preloaded.size() == 1000);
}

TEST_CASE("A swap exchanges the hottest with the coldest keys and nothing else, and the next one swaps them back") {
  const KeyRanking ranking{10, 3, 10_s};
  const auto order = [&](std::uint64_t swaps) {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t rank = 1; rank <= 10; ++rank) keys.push_back(ranking.key_of(rank, swaps));
    return keys;
  };
  const std::vector<std::uint64_t> first{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(order(0) == first);
  CHECK(order(1) == std::vector<std::uint64_t>{9, 8, 7, 3, 4, 5, 6, 2, 1, 0});
  CHECK(order(2) == first);
  CHECK(order(7) == order(1));
  CHECK(ranking.swaps_by(at(0_s)) == 0);
  CHECK(ranking.swaps_by(at(10_s - 1_ps)) == 0);
  CHECK(ranking.swaps_by(at(10_s)) == 1);
  CHECK(ranking.swaps_by(at(59_s)) == 5);
  CHECK(KeyRanking{10, 3, {}}.swaps_by(at(100_s)) == 0);
}

TEST_CASE("All keys can change places, also when one stays in the middle") {
  const std::uint64_t keys = GENERATE(2, 7, 8, 100'001);
  const KeyRanking ranking{keys, keys / 2, 1_s};
  for (std::uint64_t rank = 1; rank <= keys; ++rank) {
    REQUIRE(ranking.key_of(rank, 1) == ranking.key_of(keys + 1 - rank, 0));
  }
}

TEST_CASE("Hot-in changes the keys of the operations and not their times, at each interval") {
  auto options = few_keys();
  options.write_ratio = 0.3;
  Driven still(options);
  still.run(5_ms);
  options.swap_interval = 1_ms;
  Driven hot_in(options);
  hot_in.run(5_ms);
  const auto expected = [](Told one) {
    const bool swapped = (one.at - sim::Time{}) / 1_ms % 2 == 1;
    if (swapped && (one.key < 3 || one.key >= 997)) one.key = 999 - one.key;
    return one;
  };
  auto before = told(still.store);
  REQUIRE(before.size() > 4'000);
  std::transform(before.begin(), before.end(), before.begin(), expected);
  CHECK(told(hot_in.store) == before);
}

TEST_CASE("Requests do not wait for answers: what is under way follows Little's law") {
  auto options = few_keys();
  Driven fast(options), slow(options);
  slow.store.delay = 100_us;
  fast.run(4_ms);
  slow.workload->start();
  double under_way = 0;
  for (int i = 1; i <= 40; ++i) {
    slow.run_until(i * 100_us);
    under_way += static_cast<double>(slow.store.pending_operations()) / 39 * (i > 1);
  }
  // 1 M/s times 100 us, from 39 disjoint windows whose counts have the variance of Poisson's.
  CHECK(std::abs(under_way - 100) < 4 * std::sqrt(100.0 / 39));
  CHECK(told(slow.store) == told(fast.store));
}

TEST_CASE("The same seed draws the same operations, another one others") {
  auto options = few_keys();
  options.write_ratio = 0.5;
  Driven first(options, 5, 7), again(options, 5, 7), other(options, 5, 8);
  for (Driven* t : {&first, &again, &other}) t->run(1_ms);
  CHECK(told(first.store) == told(again.store));
  CHECK(told(first.store) != told(other.store));
  CHECK(first.event_log.hash().hex() == again.event_log.hash().hex());
}

TEST_CASE("Sessions draw from streams of their own") {
  auto options = few_keys();
  options.keys = 1'000'000'000;
  options.zipf = 0;
  Driven t(options);
  t.run(1_ms);
  auto keys = t.keys();
  CHECK(std::set<std::uint64_t>(keys.begin(), keys.end()).size() == keys.size());
}

TEST_CASE("After a stop nothing begins, what is under way ends, and then nothing runs") {
  auto options = few_keys();
  Driven t(options);
  t.store.delay = 100_us;
  t.run(1_ms);
  CHECK(t.workload->running() == 10 + t.store.pending_operations());
  CHECK(t.store.pending_operations() > 50);
  const auto begun = t.store.asked.size();
  t.workload->stop();
  t.run_until(1_ms);
  CHECK(t.workload->running() == t.store.pending_operations());
  CHECK(t.store.pending_operations() > 50);
  t.run_until(1_ms + 100_us);
  CHECK(t.workload->running() == 0);
  CHECK(t.store.pending_operations() == 0);
  CHECK(t.store.asked.size() == begun);
  CHECK(t.calendar.pending() == 0);
}

TEST_CASE("A stop does not wait for an arrival that is far away") {
  auto options = few_keys();
  options.rate = 1;
  Driven t(options);
  t.run(1_us);
  CHECK(t.workload->running() == 10);
  t.workload->stop();
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);
  CHECK(t.calendar.now() == at(1_us));
}

TEST_CASE("Operations that have ended do not pile up, even if they are answered at once") {
  auto options = few_keys();
  Driven t(options);
  t.workload->start();
  for (int i = 1; i <= 10; ++i) {
    t.run_until(i * 100_us);
    CHECK(t.workload->running() == 10);
  }
  CHECK(t.store.asked.size() > 500);
}

TEST_CASE("Notices count operations that have been answered or given up, and may be asked for again") {
  auto options = few_keys();
  Driven t(options);
  t.store.delay = 30_us;
  int answered = 0, given_up = 0;
  t.store.distort = [&](const FakeStore::Asked& asked, Answer& answer) {
    answer.given = asked.operation % 2 == 0;
    ++(answer.given ? answered : given_up);
  };
  std::vector<int> noticed;
  t.workload->notify_after(40, [&] {
    noticed.push_back(answered + given_up);
    t.workload->notify_after(25, [&] { noticed.push_back(answered + given_up); });
  });
  t.run(1_ms);
  CHECK(noticed == std::vector<int>{40, 65});
  CHECK(given_up > 100);
  CHECK(answered > 100);
}

TEST_CASE("A notice may stop the workload") {
  const bool at_once = GENERATE(false, true);
  auto options = few_keys();
  Driven t(options);
  t.store.delay = at_once ? 0_us : 10_us;
  std::size_t begun = 0;
  t.workload->notify_after(100, [&] {
    t.workload->stop();
    begun = t.store.asked.size();
  });
  t.workload->start();
  t.calendar.run_until();
  CHECK(t.store.asked.size() == begun);
  CHECK(t.workload->running() == 0);
}

TEST_CASE("A client node that crashes begins nothing more and ends nothing; the others go on") {
  auto options = few_keys();
  Driven t(options);
  t.store.delay = 100_us;
  t.run(1_ms);
  const auto begun = t.asked_by(2);
  const auto ended = t.event_log.count(sim::Observed::operation_ended);
  const auto running = t.workload->running();
  t.rack.crash(2);
  CHECK(t.workload->running() < running - 2);
  t.rack.crash(6);  // no client
  t.run_until(1_ms + 99_us);
  CHECK(t.event_log.count(sim::Observed::operation_ended) > ended + 50);
  t.run_until(3_ms);
  CHECK(t.asked_by(2) == begun);
  CHECK(std::abs(count_of(t.asked_by(1)) - 600) < 4 * std::sqrt(600.0));
  t.workload->stop();
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);
}

TEST_CASE("A client node that comes back goes on asking, unless the workload has been stopped") {
  const auto options = few_keys();
  Driven t(options);
  t.run(1_ms);
  t.rack.crash(2);
  const auto before = t.asked_by(2);
  t.run_until(2_ms);
  REQUIRE(t.asked_by(2) == before);
  t.rack.restart(2);
  t.run_until(4_ms);
  const double expected = count_of(t.asked_by(1)) * 2 / 4;
  CHECK(std::abs(count_of(t.asked_by(2) - before) - expected) < 5 * std::sqrt(expected));
  t.stop_while_down(2);
  CHECK(t.workload->running() == 0);
}

TEST_CASE("A client's arrivals follow its clock") {
  auto options = few_keys();
  Driven t(options, 2);
  t.rack.server(1).clock().set_rate(2, 1);
  t.run(10_ms);
  CHECK(std::abs(count_of(t.asked_by(0)) - 5'000) < 4 * std::sqrt(5'000.0));
  CHECK(std::abs(count_of(t.asked_by(1)) - 10'000) < 4 * std::sqrt(10'000.0));
}

TEST_CASE("Options of the key-value workload that contradict each other are refused") {
  auto options = few_keys();
  options.swap_interval = 1_ms;
  options.keys = 5;
  CHECK_THROWS_WITH(
      Driven(options),
      "swap_keys: found 3, expected at most half of the 5 keys: the hottest ones change places with the coldest");
  options.keys = 6;
  CHECK_NOTHROW(Driven(options));
  options.keys = 5;
  options.swap_interval = {};
  CHECK_NOTHROW(Driven(options));
  CHECK_THROWS_WITH(Driven(options, 0),
                    "/rack/nodes: found a store without client nodes, expected a node that sends requests");
}

TEST_CASE("The key-value workload needs a key-value store") {
  TestRack t;
  struct Other final : Service {
    using Service::Service;
    std::uint64_t bytes_of(const sim::OperationView&) const override { return 0; }
  } service(t.calendar, t.event_log, t.metrics, 5, 2);
  FakeProtocol protocol(service);
  WorkloadContext context{t.rack, protocol};
  CHECK_THROWS_WITH(
      KeyValueOptions().build(context),
      "kind: found \"key-value\", which needs a key-value service, expected a workload for what the protocol "
      "offers");
}

TEST_CASE("Left alone, the key-value workload is the paper's, and a fuzzer's values fit each other") {
  // StarCache §5.1: 10 M keys, Zipf 0.99, 16 B keys, 12 % of 64 B and 88 % of 1024 B, no writes; static popularity.
  const auto found =
      std::find_if(workloads().begin(), workloads().end(), [](auto& e) { return e.name == "key-value"; });
  REQUIRE(found != workloads().end());
  CHECK(std::is_sorted(workloads().begin(), workloads().end(), [](auto& a, auto& b) { return a.name < b.name; }));
  KeyValueOptions options;
  CHECK(options.keys == 10'000'000);
  CHECK(options.zipf == 0.99);
  CHECK(options.write_ratio == 0);
  CHECK(options.key_bytes == 16);
  CHECK(options.small_value == 64);
  CHECK(options.large_value == 1024);
  CHECK(options.small_share == 0.12);
  CHECK(options.swap_interval == 0_s);
  CHECK(options.swap_keys == 256);
  sim::Parameters parameters;
  options.declare(parameters);
  for (const auto& parameter : parameters.all()) {
    if (parameter.name != "keys") continue;
    for (const auto& keys : parameter.varied) CHECK(std::get<std::uint64_t>(keys) / 2 >= options.swap_keys);
  }
}

}  // namespace key_value_workload_test
