// The oracle of torn items objects to answers whose parts make no item, says why, and to nothing else.
#include "sim/oracles/torn_oracle.hpp"

#include <catch2/catch.hpp>
#include <utility>

namespace torn_oracle_test {

using namespace racksim::sim;

TEST_CASE("an answer whose parts make no item is named with its operation and what is wrong with it") {
  EventLog event_log;
  const Source session = event_log.add_source("node3/thread1");
  TornOracle torn{event_log};
  event_log.attach(torn);
  record_stray_answer(event_log, session, Time() + 5_ns, 10, StrayAnswer::wrong_key, 0x30, 0x31);
  record_stray_answer(event_log, session, Time() + 6_ns, 11, StrayAnswer::repeated, 0, 0x31);
  record_begun(event_log, session, Time() + 6_ns, 12, OperationKind::read, 0x30);
  CHECK(torn.violation_count() == 0);
  const std::pair<StrayAnswer, const char*> flaws[] = {
      {StrayAnswer::foreign_part, "n3.t1 #12 read item 0x30 with a part of key 0x1f"},
      {StrayAnswer::mixed_parts, "n3.t1 #12 read item 0x30 with a part of another value, 31"},
      {StrayAnswer::missing_part, "n3.t1 #12 read item 0x30 of which 31 bytes came, too few"}};
  for (const auto& [flaw, what] : flaws) {
    record_stray_answer(event_log, session, Time() + 7_ns, 12, flaw, 0x30, 31);
    const Violation& violation = torn.violations().back();
    CHECK(violation.oracle == "torn");
    CHECK(violation.at == Time() + 7_ns);
    CHECK(violation.what == what);
    CHECK(violation.about.key == 0x30);
    CHECK(violation.about.operations == std::vector<OperationId>{12});
  }
  CHECK(torn.violation_count() == 3);
}

}  // namespace torn_oracle_test
