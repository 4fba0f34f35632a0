// Labels of who answers that are no labels: what a protocol's author is told.
#include "models/service/answer_labels.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace service_answer_labels_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::sim::literals;

namespace {

void declare(const std::vector<AnswerLabel>& labels) {
  sim::Metrics metrics;
  AnswerTally{metrics, metrics.counter("store.answers", "operations", ""), labels};
}

}  // namespace

TEST_CASE("An answer with a label that nobody has declared is a defect, measured or not") {
  const bool measuring = GENERATE(true, false);
  sim::Metrics metrics;
  AnswerTally tally(metrics, metrics.counter("store.answers", "operations", ""),
                    {{.name = "cache", .doc = "a cache answered"}, {.name = "shard", .doc = "a shard did"}});
  if (measuring) metrics.open_window(sim::Time{});
  CHECK_NOTHROW(tally.answered(1, 1_us));
  CHECK_THROWS_WITH(tally.answered(2, 1_us), "an answer bears label 2, but there are 2");
  CHECK(metrics.all().size() == 3);  // nobody asked for more than counts
}

TEST_CASE("Labels speak of labels that exist, and bear names that metrics can bear") {
  CHECK_THROWS_AS(declare({}), std::logic_error);
  CHECK_THROWS_WITH(declare({{.name = "shard", .doc = "a shard answered", .includes = {1}}}),
                    "the label 'shard' speaks of label 1, but there are 1");
  CHECK_THROWS_WITH(declare({{.name = "shard", .doc = "a shard answered", .share = true, .share_of = {0, 2}}}),
                    "the label 'shard' speaks of label 2, but there are 1");
  CHECK_THROWS_AS(declare({{.name = "Local Shard", .doc = "it answered", .latency = true}}), std::logic_error);
  CHECK_THROWS_AS(declare({{.name = "shard", .doc = "one answered", .rate = true},
                           {.name = "shard", .doc = "another answered", .rate = true}}),
                  std::logic_error);
}

}  // namespace service_answer_labels_test
