// The labels of the client-server application: what its runs report of who answered (StarCache §5.2).
#include "protocols/store/answer_labels.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "protocols/store/messages.hpp"

namespace store_answer_labels_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::sim::literals;

namespace {

struct Tally {
  void answered(Served by, int operations, sim::Duration took) {
    for (int i = 0; i < operations; ++i) {
      ++answers.value;
      tally.answered(static_cast<std::size_t>(by), took);
    }
  }
  template <class Kind>
  const Kind& metric(const std::string& name) const {
    return std::get<Kind>(metrics.find(name)->value);
  }
  double gauge(const std::string& name) const { return *metrics.find(name)->number(); }

  sim::Metrics metrics;
  sim::Counter& answers = metrics.counter("store.answers", "operations", "");
  models::AnswerTally tally{metrics, answers, answer_labels()};
};

}  // namespace

TEST_CASE("the application reports servers, the switch and its overflow, and nothing else") {
  Tally t;
  std::set<std::string> names;
  for (const auto& [name, metric] : t.metrics.all()) names.insert(name);
  CHECK(names == std::set<std::string>{"latency.server", "latency.switch", "store.answers", "store.answers_by_overflow",
                                       "store.answers_by_server", "store.answers_by_switch", "store.overflow_share",
                                       "store.server_mops", "store.switch_mops", "store.switch_share"});
}

TEST_CASE(
    "overflow is answered by servers, and is the share of requests for cached keys that the switch left to them") {
  Tally t;
  t.answered(Served::by_switch, 4, 1_us);
  t.metrics.open_window({});
  t.answered(Served::by_switch, 10, 2_us);
  t.answered(Served::overflow, 4, 3_us);
  t.answered(Served::by_server, 6, 5_us);
  t.metrics.close_window(sim::Time() + 10_us);
  CHECK(t.metric<sim::Counter>("store.answers_by_switch").value == 14);
  CHECK(t.gauge("store.switch_mops") == Approx(1));
  CHECK(t.gauge("store.server_mops") == Approx(1));
  CHECK(t.gauge("store.switch_share") == Approx(0.5));
  CHECK(t.gauge("store.overflow_share") == Approx(4 / 14.0));
  CHECK(t.metric<sim::Histogram>("latency.switch").count() == 10);
  CHECK(t.metric<sim::Histogram>("latency.switch").max() == 2_us);
  CHECK(t.metric<sim::Histogram>("latency.server").count() == 10);
  CHECK(t.metric<sim::Histogram>("latency.server").min() == 3_us);
  CHECK(t.metric<sim::Histogram>("latency.server").max() == 5_us);
}

}  // namespace store_answer_labels_test
