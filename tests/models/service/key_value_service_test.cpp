// The recording face of the key-value service: histories, stray answers, and the split of throughput and latency by who
// answered (StarCache §5.1, §5.2; figures 9, 15 and 16).
#include "models/service/key_value_service.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/oracles/answer_oracle.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/torn_oracle.hpp"
#include "sim/record/history.hpp"
#include "tests/models/service/fake_store.hpp"

namespace key_value_service_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using sim::Observed;

namespace {

/// As of a store whose servers have caches (ccKVS).
enum : std::size_t { kCache, kLocal, kRemote };
std::vector<AnswerLabel> labels() {
  return {{.name = "cache", .doc = "a cache answered", .latency = true, .rate = true, .share = true},
          {.name = "shard", .doc = "a shard answered", .includes = {kRemote}, .latency = true, .rate = true},
          {.name = "remote", .doc = "the shard of another node answered", .share = true, .share_of = {kLocal}}};
}

struct Store : TestRack, sim::Observer {
  Store() {
    event_log.attach(*this);
    for (sim::Oracle* oracle : {static_cast<sim::Oracle*>(&data_value), static_cast<sim::Oracle*>(&progress),
                                static_cast<sim::Oracle*>(&returned_key), static_cast<sim::Oracle*>(&answered_once),
                                static_cast<sim::Oracle*>(&torn)}) {
      event_log.attach(*oracle);
    }
    store.delay = 1_us;
  }
  void observe(const sim::Observation& observation) override { record.push_back(observation); }
  void get(Session session, std::uint64_t key) { scope.spawn(noted(store.get(session, sim::Key{key}))); }
  void put(Session session, std::uint64_t key) { scope.spawn(noted(store.put(session, sim::Key{key}))); }
  sim::Task<void> noted(sim::Task<std::optional<sim::Value>> operation) { returned.push_back(co_await operation); }
  double gauge(std::string_view name) const { return *metrics.find(name)->number(); }
  const sim::Histogram& histogram(std::string_view name) const {
    return std::get<sim::Histogram>(metrics.find(name)->value);
  }

  std::vector<sim::Observation> record;
  std::vector<std::optional<std::uint64_t>> returned;  // by operations, as they ended
  sim::DataValueOracle data_value{event_log};
  sim::ProgressOracle progress{event_log};
  sim::AnswerOracle returned_key{sim::StrayAnswer::wrong_key, event_log};
  sim::AnswerOracle answered_once{sim::StrayAnswer::repeated, event_log};
  sim::TornOracle torn{event_log};
  FakeStore store{rack, 2, 3, labels()};
  sim::Scope scope{calendar};
};

}  // namespace

TEST_CASE("An operation is recorded as it begins and as it ends, with its session, key and value") {
  Store t;
  t.put({1, 2}, 77);
  t.calendar.run_until();
  t.get({0, 1}, 77);
  t.calendar.run_until();
  REQUIRE(t.record.size() == 4);
  const Observed kinds[] = {Observed::operation_begun, Observed::operation_ended, Observed::operation_begun,
                            Observed::operation_ended};
  const auto value = t.store.asked[0].value;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto view = sim::OperationView::of(t.record[i]);
    CHECK(t.record[i].what == kinds[i]);
    CHECK(t.record[i].at == at((i + 1) / 2 * 1_us));
    CHECK(t.event_log.name(t.record[i].source) == (i < 2 ? "node1/thread2" : "node0/thread1"));
    CHECK(t.event_log.operation(t.record[i].operation) == (i < 2 ? "n1.t2 #1" : "n0.t1 #1"));
    CHECK(view.kind == (i < 2 ? sim::OperationKind::write : sim::OperationKind::read));
    CHECK(view.key == 77);
    CHECK(view.value == (i == 2 ? 0u : value.number()));
  }
  CHECK(t.record[0].operation == t.record[1].operation);
  CHECK(t.record[2].operation == t.record[3].operation);
  CHECK(t.record[0].operation != t.record[2].operation);
  CHECK(t.record[0].operation == t.store.asked[0].operation);
  CHECK(t.store.pending_operations() == 0);
}

TEST_CASE("A session may have many operations under way, and each write has a value of its own that is not 0") {
  Store t;
  std::set<std::uint64_t> values, operations;
  for (int i = 0; i < 50; ++i) {
    for (NodeId node = 0; node < 2; ++node) {
      for (std::uint16_t thread = 0; thread < 3; ++thread) t.put({node, thread}, 5);
    }
  }
  CHECK(t.store.pending_operations() == 300);
  t.calendar.run_until();
  CHECK(t.store.pending_operations() == 0);
  for (const auto& asked : t.store.asked) {
    values.insert(asked.value);
    operations.insert(asked.operation);
    CHECK(asked.value < sim::kValueBound);
  }
  CHECK(values.size() == 300);
  CHECK(operations.size() == 300);
  CHECK_FALSE(values.contains(0));
  t.progress.finish(t.calendar.now());
  CHECK(t.progress.violation_count() == 0);
  CHECK(t.data_value.violation_count() == 0);
}

TEST_CASE("An operation without an answer is given up: counted, recorded, and pending no longer") {
  Store t;
  t.store.distort = [](const FakeStore::Asked&, Answer& answer) { answer = {}; };
  t.metrics.open_window(t.calendar.now());
  t.put({0, 0}, 9);
  t.get({1, 0}, 9);
  CHECK(t.store.pending_operations() == 2);
  t.calendar.run_until();
  CHECK(t.store.pending_operations() == 0);
  CHECK(t.counter("store.given_up") == 2);
  REQUIRE(t.record.size() == 4);
  for (const std::size_t i : {2u, 3u}) {
    CHECK(t.record[i].what == Observed::operation_given_up);
    CHECK(t.record[i].at == at(1_us));
    CHECK(t.record[i].operation == t.store.asked[i - 2].operation);
    CHECK(sim::OperationView::of(t.record[i]).key == 9);
    CHECK(sim::OperationView::of(t.record[i]).value == t.store.asked[i - 2].value);
  }
  // Neither throughput nor latency knows of it, and for progress it has ended.
  t.metrics.close_window(t.calendar.now());
  CHECK(t.store.measured_operations() == 0);
  CHECK(t.histogram("latency").count() == 0);
  t.progress.finish(t.calendar.now());
  CHECK(t.progress.violation_count() == 0);
  CHECK(t.returned_key.violation_count() == 0);
}

TEST_CASE("Operations return what was read and written, and nothing if they were given up") {
  Store t;
  t.get({0, 0}, 9);
  t.calendar.run_until();
  t.put({1, 0}, 9);
  t.calendar.run_until();
  t.get({0, 0}, 9);
  t.calendar.run_until();
  t.store.distort = [](const FakeStore::Asked&, Answer& answer) { answer.given = false; };
  t.get({0, 0}, 9);
  t.put({1, 0}, 9);
  t.calendar.run_until();
  const std::uint64_t written = t.store.asked[1].value;
  CHECK(t.returned == std::vector<std::optional<std::uint64_t>>{0, written, written, {}, {}});
  // Given up or not, the newest value is that of the last write.
  CHECK(t.store.newest_value({1, 0}) == t.store.asked.back().value);
  CHECK(t.store.newest_value({1, 0}) != written);
  CHECK(t.store.newest_value({0, 0}) == 0);
}

TEST_CASE("A given-up write that took effect may be read, and one that did not may not be missed") {
  Store t;
  t.store.distort = [](const FakeStore::Asked& asked, Answer& answer) { answer.given = !asked.write; };
  t.put({0, 0}, 9);  // the fake has stored it all the same
  t.calendar.run_until();
  t.get({1, 0}, 9);
  t.calendar.run_until();
  CHECK(t.data_value.violation_count() == 0);
  t.store.values[9] = 0;
  t.get({1, 0}, 9);  // it was seen, so it cannot be undone
  t.calendar.run_until();
  CHECK(t.data_value.violation_count() == 1);
}

TEST_CASE("An answer about another key is a stray one, by the name of the session that asked") {
  Store t;
  t.store.distort = [](const FakeStore::Asked&, Answer& answer) { answer.key = 0x31; };
  t.get({1, 1}, 0x30);
  t.calendar.run_until();
  REQUIRE(t.record.size() == 3);
  CHECK(t.record[1].what == Observed::stray_answer);
  const auto view = sim::StrayAnswerView::of(t.record[1]);
  CHECK(view.kind == sim::StrayAnswer::wrong_key);
  CHECK(view.key == 0x30);
  CHECK(view.answered == 0x31);
  CHECK(t.record[2].what == Observed::operation_ended);
  REQUIRE(t.returned_key.violation_count() == 1);
  CHECK_THAT(t.returned_key.violations()[0].what, Catch::Contains("n1.t1 #1 asked for key 0x30"));
  CHECK(t.answered_once.violation_count() == 0);
  CHECK(t.torn.violation_count() == 0);  // it is whole, if another
  CHECK(t.store.pending_operations() == 0);
}

TEST_CASE("An item is read whole: each way to tear it is told apart by its packets, not by the first") {
  Store t;
  t.store.describe_items({16, 64, 3000, 0});
  const auto thirds = [](Answer& answer, std::initializer_list<unsigned> numbers) {
    for (const unsigned number : numbers) answer.parts.add({answer.key, number, 1000, answer.value});
  };
  struct Case {
    std::function<void(Answer&)> pack;
    std::string what;
  };
  const Case cases[] = {
      {[&](Answer& a) {
         thirds(a, {0, 1, 2});
       },
       ""},
      {[&](Answer& a) {
         thirds(a, {2, 0, 0, 1, 2});
       },
       ""},  // in any order, and some of them twice
      {[&](Answer& a) {
         thirds(a, {0, 2});
       },
       "of which 2000 bytes came, too few"},
      {[&](Answer& a) {
         thirds(a, {0, 1, 1});
       },
       "of which 2000 bytes came, too few"},
      {[&](Answer&) {}, "of which 0 bytes came, too few"},
      {[&](Answer& a) {
         thirds(a, {0, 1});
         a.parts.add({a.key, 2, 1000, 99});
       },
       "with a part of another value, 99"},
      {[&](Answer& a) {
         a.parts.add({a.key, 2, 1000, 99});
         a.parts.add({a.key, 1, 1000, 99});
         a.parts.add({a.key, 0, 1000, 99});
       },
       "with a part of another value, 99"},
      {[&](Answer& a) {
         thirds(a, {0, 1});
         a.parts.add({0x31, 2, 1000, a.value});
       },
       "with a part of key 0x31"},
      {[&](Answer& a) {
         for (const unsigned number : {0u, 1u, 2u}) a.parts.add({0x31, number, 1000, a.value});
       },
       "with a part of key 0x31"},
  };
  t.put({0, 0}, 0x30);
  t.calendar.run_until();
  std::size_t torn = 0;
  for (const Case& c : cases) {
    t.store.pack = c.pack;
    t.get({1, 1}, 0x30);
    t.calendar.run_until();
    if (c.what.empty()) {
      CHECK(t.torn.violation_count() == torn);
      continue;
    }
    REQUIRE(t.torn.violation_count() == ++torn);
    const sim::Violation& violation = t.torn.violations().back();
    CHECK(violation.oracle == "torn");
    CHECK_THAT(violation.what, Catch::Contains("n1.t1 #") && Catch::EndsWith(" read item 0x30 " + c.what));
    CHECK(violation.about.key == 0x30);
    CHECK(violation.about.operations == std::vector<sim::OperationId>{t.store.asked.back().operation});
  }
  CHECK(torn == 7);
  CHECK(t.returned_key.violation_count() == 0);
  CHECK(t.answered_once.violation_count() == 0);
  CHECK(t.data_value.violation_count() == 0);
}

TEST_CASE("What answers a put is no item, and what is given up was not read") {
  Store t;
  t.store.pack = [](Answer&) {};
  t.put({0, 0}, 5);
  t.store.distort = [](const FakeStore::Asked& asked, Answer& answer) { answer.given = asked.write; };
  t.get({0, 0}, 5);
  t.calendar.run_until();
  CHECK(t.torn.violation_count() == 0);
}

TEST_CASE("A repeated answer is counted and recorded") {
  Store t;
  t.get({0, 2}, 8);
  t.calendar.run_until();
  t.store.repeated_answer({0, 2}, 8);
  CHECK(t.counter("store.repeated_answers") == 1);
  REQUIRE(t.record.size() == 3);
  CHECK(t.record[2].what == Observed::stray_answer);
  CHECK(sim::StrayAnswerView::of(t.record[2]).kind == sim::StrayAnswer::repeated);
  CHECK(sim::StrayAnswerView::of(t.record[2]).answered == 8);
  CHECK(t.answered_once.violation_count() == 1);
  CHECK(t.returned_key.violation_count() == 0);
}

TEST_CASE("Throughput and latency are split by who answered, over the measured time alone") {
  Store t;
  // Keys 0 to 4 are answered by the cache, 5 to 6 by the local shard, 7 to 9 by a remote one.
  t.store.distort = [](const FakeStore::Asked& asked, Answer& answer) {
    answer.label = asked.key < 5 ? kCache : asked.key < 7 ? kLocal : kRemote;
  };
  const auto ten = [&](sim::Duration cache_delay) {
    for (std::uint64_t key = 0; key < 10; ++key) {
      t.store.delay = key < 5 ? cache_delay : key < 7 ? 3_us : 4_us;
      t.get({0, 0}, key);
    }
    t.calendar.run_until();
  };
  ten(1_us);  // before the measurement: does not count
  t.metrics.open_window(t.calendar.now());
  const auto begin = t.calendar.now();
  ten(2_us);
  ten(2_us);
  t.calendar.run_until(begin + 10_us);
  t.metrics.close_window(t.calendar.now());
  ten(1_us);  // nor what ends after it
  CHECK(t.store.measured_operations() == 20);
  CHECK(t.gauge("store.cache_mops") == Approx(10 / 10.0));
  CHECK(t.gauge("store.cache_share") == Approx(10 / 20.0));
  CHECK(t.counter("store.answers_by_cache") == 4 * 5);  // whole run
  CHECK(t.histogram("latency.cache").count() == 10);
  CHECK(t.histogram("latency.cache").min() == 2_us);
  CHECK(t.histogram("latency.cache").max() == 2_us);
  // Remote shards are shards too; of what shards answered, theirs is a share of its own.
  CHECK(t.gauge("store.shard_mops") == Approx(10 / 10.0));
  CHECK(t.histogram("latency.shard").count() == 10);
  CHECK(t.histogram("latency.shard").min() == 3_us);
  CHECK(t.histogram("latency.shard").max() == 4_us);
  CHECK(t.counter("store.answers_by_remote") == 4 * 3);
  CHECK(t.gauge("store.remote_share") == Approx(6 / 10.0));
  CHECK(t.histogram("latency").count() == 20);
  CHECK(t.histogram("latency.read").count() == 20);
  CHECK(t.histogram("latency.write").count() == 0);
  for (const char* not_asked_for : {"latency.remote", "store.remote_mops", "store.shard_share"}) {
    CHECK(t.metrics.find(not_asked_for) == nullptr);
  }
}

TEST_CASE("A measurement in which nobody answered, of some length or of none, divides nothing by zero") {
  const sim::Duration length = GENERATE(0_us, 4_us);
  Store t;
  t.metrics.open_window(t.calendar.now());
  t.calendar.run_until(t.calendar.now() + length);
  t.metrics.close_window(t.calendar.now());
  for (const char* name : {"store.cache_mops", "store.cache_share", "store.remote_share", "store.loss"}) {
    CHECK(t.gauge(name) == 0);
  }
}

TEST_CASE("The share of small items holds over the keys, and each key's size is fixed") {
  const double share = GENERATE(0.0, 0.12, 0.5, 1.0);
  const ItemSizes sizes{16, 64, 1024, share};
  constexpr int kKeys = 100'000;
  int small = 0;
  for (std::uint64_t number = 0; number < kKeys; ++number) {
    const sim::Key key{number};
    const auto bytes = sizes.value_bytes(key);
    REQUIRE((bytes == 64 || bytes == 1024));
    REQUIRE(sizes.value_bytes(key) == bytes);
    small += bytes == 64 ? 1 : 0;
  }
  CHECK(std::abs(small - share * kKeys) <= 4 * std::sqrt(kKeys * share * (1 - share)));
  // A key that is small at some share is small at every larger one.
  const ItemSizes more{16, 64, 1024, share / 2};
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const sim::Key key{number};
    CHECK(more.value_bytes(key) >= sizes.value_bytes(key));
  }
}

TEST_CASE("Operations that die with their client's node count as given up, those of other nodes do not") {
  Store t;
  sim::Scope dying(t.calendar);
  dying.spawn(t.noted(t.store.put({1, 2}, 7)));
  dying.spawn(t.noted(t.store.get({1, 0}, 8)));
  t.get({0, 0}, 9);
  t.calendar.run_until(sim::Time{} + 500_ns);
  dying.cancel_all();
  CHECK(t.store.pending_operations() == 3);
  t.store.sessions_died(1);
  CHECK(t.store.pending_operations() == 1);
  CHECK(t.event_log.count(Observed::operation_given_up) == 2);
  t.store.sessions_died(1);  // once only
  CHECK(t.event_log.count(Observed::operation_given_up) == 2);
  t.calendar.run_until(sim::Time{} + 5_us);
  CHECK(t.store.pending_operations() == 0);
  t.progress.finish(t.calendar.now());
  CHECK(t.progress.violation_count() == 0);
}

}  // namespace key_value_service_test
