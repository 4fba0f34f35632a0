// Each of the two answer oracles objects to its own kind of stray answer, and to nothing else.
#include "sim/oracles/answer_oracle.hpp"

#include <catch2/catch.hpp>
#include <utility>

namespace answer_oracle_test {

using namespace racksim::sim;

namespace {
struct Watched {
  EventLog event_log;
  Source session = event_log.add_source("node3/thread1");
  AnswerOracle returned_key{StrayAnswer::wrong_key, event_log};
  AnswerOracle answered_once{StrayAnswer::repeated, event_log};
  Watched() {
    event_log.attach(returned_key);
    event_log.attach(answered_once);
  }
};
}  // namespace

TEST_CASE("an operation that ends with another key's value is named with both keys") {
  Watched w;
  record_stray_answer(w.event_log, w.session, Time() + 7_ns, 12, StrayAnswer::wrong_key, 0x30, 0x31);
  CHECK(w.answered_once.violation_count() == 0);
  REQUIRE(w.returned_key.violation_count() == 1);
  const auto& violation = w.returned_key.violations()[0];
  CHECK(violation.oracle == "returned-key");
  CHECK(violation.at == Time() + 7_ns);
  CHECK(violation.what == "n3.t1 #12 asked for key 0x30 and ended with key 0x31");
  CHECK(violation.about.key == 0x30);
  CHECK(violation.about.operations == std::vector<OperationId>{12});
}

TEST_CASE("a request that is answered again is named with its session and the answered key") {
  Watched w;
  record_stray_answer(w.event_log, w.session, Time() + 7_ns, 0, StrayAnswer::repeated, 0, 0x31);
  CHECK(w.returned_key.violation_count() == 0);
  REQUIRE(w.answered_once.violation_count() == 1);
  const auto& violation = w.answered_once.violations()[0];
  CHECK(violation.oracle == "answered-once");
  CHECK(violation.at == Time() + 7_ns);
  CHECK(violation.what == "n3.t1 got another answer about key 0x31 to a request that was over");
  CHECK(violation.about.key == 0x31);
  CHECK(violation.about.operations.empty());
}

TEST_CASE("a second answer is no mistake after a fault or a second request, and what ended until then was judged") {
  const auto told = [](auto&& first) {
    Watched w;
    record_begun(w.event_log, w.session, Time(), 1, OperationKind::read, 5);
    record_ended(w.event_log, w.session, Time(), 1, OperationKind::read, 5, 9);
    first(w);
    record_begun(w.event_log, w.session, Time(), 2, OperationKind::read, 5);
    record_ended(w.event_log, w.session, Time(), 2, OperationKind::read, 5, 9);
    record_stray_answer(w.event_log, w.session, Time(), 0, StrayAnswer::repeated, 0, 0x31);
    record_stray_answer(w.event_log, w.session, Time(), 2, StrayAnswer::wrong_key, 5, 0x31);
    CHECK(w.returned_key.violation_count() == 1);
    CHECK(w.returned_key.judged() == 2);
    return std::pair(w.answered_once.violation_count(), w.answered_once.judged());
  };
  using Said = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(told([](Watched&) {}) == Said{1, 2});
  for (const Disturbance kind : {Disturbance::lost, Disturbance::late, Disturbance::machine_begin}) {
    CHECK(told([&](Watched& w) { record_disturbance(w.event_log, w.session, Time(), 0, kind); }) == Said{0, 1});
  }
  CHECK(told([](Watched& w) { record_disturbance(w.event_log, w.session, Time(), 0, Disturbance::healed); }) ==
        Said{1, 2});
  for (const SentAgain why : {SentAgain::timeout, SentAgain::refusal, SentAgain::wrong_answer}) {
    CHECK(told([&](Watched& w) { record_sent_again(w.event_log, w.session, Time(), 1, {why, 5, {}}); }) == Said{0, 1});
  }
}

TEST_CASE("operations that begin, end and are given up are no stray answers") {
  Watched w;
  record_begun(w.event_log, w.session, Time(), 1, OperationKind::read, 5);
  record_ended(w.event_log, w.session, Time(), 1, OperationKind::read, 5, 9);
  record_begun(w.event_log, w.session, Time(), 2, OperationKind::write, 5, 3);
  record_given_up(w.event_log, w.session, Time(), 2, OperationKind::write, 5, 3);
  CHECK(w.returned_key.violation_count() == 0);
  CHECK(w.answered_once.violation_count() == 0);
}

TEST_CASE("all stray answers are counted, the first ones kept") {
  Watched w;
  for (int i = 0; i < 100; ++i) record_stray_answer(w.event_log, w.session, Time(), 1, StrayAnswer::wrong_key, 1, 2);
  CHECK(w.returned_key.violation_count() == 100);
  CHECK(w.returned_key.violations().size() == Oracle::kKept);
}

}  // namespace answer_oracle_test
