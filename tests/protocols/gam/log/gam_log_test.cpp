// What a log keeps (protocols/gam/log/log.hpp): of each line what recovery can ask for.
#include <catch2/catch.hpp>
#include <vector>

#include "protocols/gam/log/log.hpp"

namespace gam_log_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint64_t kLineBytes = 64;

struct Written {
  std::uint64_t number;

  template <class Visit>
  void for_each(Visit&& visit) const {
    visit(std::uint16_t{0}, sim::Value(number));
  }
};

LogEntry dlog(std::uint32_t counter, std::uint64_t value) {
  return LogEntry::dlog(Written{value}, counter);
}
LogEntry olog(std::uint32_t counter, NodeId owner) {
  LogEntry entry;
  entry.type = LogEntry::Type::olog;
  entry.counter = counter;
  entry.owner = owner;
  return entry;
}

}  // namespace

TEST_CASE("What is being written is no entry yet, and a crash takes it") {
  Log log({}, kLineBytes);
  const sim::Key line(5);
  log.append(sim::Time{}, line, dlog(0, 1));
  CHECK_FALSE(log.is_written());
  CHECK(log.newest(line) == nullptr);
  log.commit();
  REQUIRE(log.newest(line) != nullptr);
  log.append(sim::Time{} + 1_us, line, dlog(0, 2));
  log.crash(sim::Time{} + 1_us);
  CHECK(log.is_written());
  CHECK(log.newest(line)->data.value(0) == sim::Value(1));
}

TEST_CASE("An entry waits for those before it") {
  models::NvramOptions options;
  options.latency = 100_ns;
  options.bandwidth = 8'000'000'000;  // a byte a nanosecond
  Log log(options, kLineBytes);
  CHECK(log.append(sim::Time{}, sim::Key(1), dlog(0, 1)) == sim::Time{} + 188_ns);  // 64 and a header of 24
  CHECK(log.append(sim::Time{}, sim::Key(2), olog(1, 3)) == sim::Time{} + 212_ns);
  log.commit();
  CHECK(log.bytes() == 64 + 2 * 24);
  CHECK(log.scan_time() == 212_ns);
}

TEST_CASE("A transfer keeps the entry before it, which an undo brings back; a newer DLOG needs none") {
  Log log({}, kLineBytes);
  const sim::Key line(5);
  log.keep(line, dlog(0, 1));
  log.keep(line, olog(1, 2));
  REQUIRE(log.before(line) != nullptr);
  CHECK(log.before(line)->data.value(0) == sim::Value(1));
  log.keep(line, olog(2, 3));
  CHECK(log.before(line)->owner == 2);
  log.undo(line);
  CHECK(log.newest(line)->owner == 2);
  CHECK(log.before(line) == nullptr);
  CHECK(log.counter_of(line) == 2);  // it is not given out again
  log.keep(line, dlog(2, 9));
  CHECK(log.before(line) == nullptr);
  CHECK(log.bytes() == kLineBytes + 24);
}

TEST_CASE("Before an entry that is on its way stands the newest one, durable or on its way too") {
  Log log({}, kLineBytes);
  const sim::Key line(5), other(6);
  log.append(sim::Time{}, line, olog(1, 3));
  CHECK(log.before(line) == nullptr);
  log.commit();
  log.append(sim::Time{} + 1_us, other, olog(9, 9));
  CHECK(log.before(line) == nullptr);
  log.append(sim::Time{} + 1_us, line, olog(2, 4));
  REQUIRE(log.before(line) != nullptr);
  CHECK(log.before(line)->counter == 1);
  log.append(sim::Time{} + 1_us, line, olog(3, 5));
  REQUIRE(log.before(line) != nullptr);
  CHECK(log.before(line)->counter == 2);
  log.commit();
  CHECK(log.newest(line)->counter == 3);
  CHECK(log.before(line)->counter == 2);
}

TEST_CASE("An undone transfer of a line that was never written leaves it unwritten") {
  Log log({}, kLineBytes);
  const sim::Key line(5);
  log.keep(line, olog(1, 2));
  log.undo(line);
  REQUIRE(log.newest(line) != nullptr);
  CHECK(log.newest(line)->type == LogEntry::Type::dlog);
  CHECK(log.newest(line)->data.value(0) == sim::kNeverWritten);
}

TEST_CASE("An owner's newest write says under which ownership it was") {
  Log log({}, kLineBytes);
  const sim::Key line(5);
  CHECK_FALSE(log.has_written(line, 0));
  log.keep(line, dlog(3, 1));
  CHECK(log.has_written(line, 3));
  log.keep(line, dlog(7, 2));
  CHECK_FALSE(log.has_written(line, 3));
  CHECK(log.has_written(line, 7));
}

}  // namespace gam_log_test
