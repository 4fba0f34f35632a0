// Live memory: what overlaps is told with both allocations, and what may have been freed is not accused.
#include "sim/oracles/live_memory.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/oracles/stories.hpp"

namespace live_memory_test {

using namespace racksim::sim;

namespace {

/// Blocks of 64 bytes.
struct Watched {
  NamedEventLog event_log;
  LiveMemory memory{event_log, 6};
  std::uint64_t last = 0;
  std::int64_t now = 0;

  Watched() { event_log.attach(memory); }

  std::uint64_t ask(std::uint32_t session, std::uint64_t bytes) {
    record_begun(event_log, Source{session}, at(), OperationId{++last}, OperationKind::allocate, 0, Value{bytes});
    return last;
  }
  void get(std::uint32_t session, std::uint64_t operation, std::uint64_t address) {
    record_ended(event_log, Source{session}, at(), OperationId{operation}, OperationKind::allocate, 0, Value{address});
  }
  void allocate(std::uint32_t session, std::uint64_t bytes, std::uint64_t address) {
    get(session, ask(session, bytes), address);
  }
  void free(std::uint32_t session, std::uint64_t address) {
    record_begun(event_log, Source{session}, at(), OperationId{++last}, OperationKind::free, Key{address >> 6});
    record_ended(event_log, Source{session}, at(), OperationId{last}, OperationKind::free, Key{address >> 6}, 0);
  }
  std::size_t found() const { return memory.violations().size(); }

 private:
  Time at() { return Time::from_ps(1000 * ++now); }
};

}  // namespace

TEST_CASE("pieces beside each other, and one after the other, are fine") {
  Watched w;
  w.allocate(0, 64, 0x1000);
  w.allocate(1, 8, 0x1040);
  w.allocate(2, 8, 0x1048);
  w.allocate(0, 64, 0xfc0);
  w.free(1, 0x1000);
  w.allocate(1, 32, 0x1000);
  w.allocate(2, 32, 0x1020);
  CHECK(w.found() == 0);
}

TEST_CASE("a piece that overlaps one in use, on either side or within, is told with both allocations") {
  for (const auto& [first, bytes] :
       {std::pair{0x1000U, 8U}, {0xff8U, 16U}, {0x1038U, 16U}, {0x1010U, 8U}, {0xf00U, 1024U}}) {
    Watched w;
    w.allocate(0, 64, 0x1000);
    w.allocate(1, bytes, first);
    REQUIRE(w.found() == 1);
    const Violation& violation = w.memory.violations()[0];
    CHECK(violation.oracle == "overlapping-memory");
    CHECK(violation.about.operations == std::vector<OperationId>{2, 1});
    CHECK(violation.about.key == Key{first >> 6});
  }
  Watched w;
  w.allocate(0, 64, 0x1000);
  w.allocate(1, 16, 0x1000);
  CHECK(w.memory.violations()[0].what == "session1 #2 got 16 bytes at 0x1000, and session0 #1 has 64 at 0x1000");
}

TEST_CASE("what is freed is free from the beginning of the free, and what was refused or given up is nobody's") {
  Watched w;
  w.allocate(0, 64, 0x1000);
  record_begun(w.event_log, Source{0}, Time::from_ps(50'000), 77, OperationKind::free, 0x1000 >> 6);
  w.now = 60;
  w.allocate(1, 64, 0x1000);
  record_ended(w.event_log, Source{0}, Time::from_ps(70'000), 77, OperationKind::free, 0x1000 >> 6, 0);
  w.now = 80;
  CHECK(w.found() == 0);
  w.get(2, w.ask(2, 4096), 0);
  const std::uint64_t lost = w.ask(3, 64);
  record_given_up(w.event_log, Source{3}, Time::from_ps(90'000), OperationId{lost}, OperationKind::allocate, 0, 64);
  w.now = 100;
  w.allocate(2, 64, 0x2000);
  w.allocate(0, 64, 0x1000);
  CHECK(w.found() == 1);
}

TEST_CASE("of several pieces of a block as many may be had again as were freed, whichever they are") {
  Watched w;
  for (std::uint64_t i = 0; i < 4; ++i) w.allocate(0, 16, 0x1000 + 16 * i);
  w.free(1, 0x1010);
  w.allocate(2, 16, 0x1020);
  CHECK(w.found() == 0);
  w.allocate(2, 16, 0x1030);
  CHECK(w.found() == 1);
  // When all are freed the block is free.
  for (std::uint64_t i = 0; i < 4; ++i) w.free(1, 0x1000 + 16 * i);
  w.allocate(3, 64, 0x1000);
  CHECK(w.found() == 1);
}

}  // namespace live_memory_test
