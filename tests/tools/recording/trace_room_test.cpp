// A trace leaves others room on its disk.
#include "tools/recording/trace_room.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "tools/files/write_file.hpp"

namespace trace_room_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

}  // namespace

TEST_CASE("a gibibyte is left free, of a small disk a twentieth") {
  CHECK(room_to_leave(1'000'000 * kMiB) == 1024 * kMiB);
  CHECK(room_to_leave(64 * kMiB) == 64 * kMiB / 20);
}

TEST_CASE("a trace goes on while there is room and ends before there is none") {
  sim::EventLog event_log;
  const auto source = event_log.add_source("node0");
  std::ostringstream out;
  std::filesystem::space_info space{.capacity = 100'000 * kMiB, .free = 0, .available = 1024 * kMiB};
  unsigned looks = 0;
  TraceWithRoom trace(event_log, out, sim::Time{}, sim::Time::max(),
                      DiskRoom("runs/trace.jsonl", TraceWithRoom::kAdvice, [&] {
                        ++looks;
                        return space;
                      }));
  event_log.attach(trace);
  const auto observe = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      event_log.record(sim::Observed::message_sent, source, sim::Time::from_ps(1000), sim::OperationId{0u});
    }
  };
  observe(2 * DiskRoom::kPieces);
  CHECK(looks == 2);
  space.available = 1024 * kMiB - 1;
  observe(DiskRoom::kPieces - 1);
  CHECK_THROWS_WITH(observe(1),
                    "runs/trace.jsonl would fill its disk: 1023 of 100000 MiB are free at 1.000 ns, 1024 are "
                    "left to others; observe.trace_from and observe.trace_until trace less");
  CHECK_THROWS_AS(observe(DiskRoom::kPieces), OutputError);
  // Where others were faster it is the disk's fault.
  space.available = 1024 * kMiB;
  out.setstate(std::ios::badbit);
  CHECK_THROWS_AS(observe(1), OutputError);
  out.clear();
  // Of a disk that nothing is known of nothing is said.
  space = {static_cast<std::uintmax_t>(-1), static_cast<std::uintmax_t>(-1), static_cast<std::uintmax_t>(-1)};
  CHECK_NOTHROW(observe(DiskRoom::kPieces));
}

}  // namespace trace_room_test
