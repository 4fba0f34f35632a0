// The forms of the file of operations, byte by byte, and a disk that is full.
#include "tools/recording/operation_file.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/tools/run_racksim.hpp"

namespace operation_file_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

std::string line(const OperationRow& row) {
  fmt::memory_buffer out;
  append_line(out, row);
  return to_string(out);
}

OperationRow row() {
  return {.begun = sim::Time::from_ps(0x1122'3344'5566),
          .ended = sim::Time::from_ps(0x1122'3344'5566 + 1005),
          .session = {3, 12, 1},
          .kind = sim::OperationKind::compare_and_swap,
          .key = sim::Key{std::uint64_t{0x0807'0605'0403'0201}},
          .bytes = 4096,
          .answered_by = "switch",
          .in_window = true};
}

}  // namespace

TEST_CASE("a line has the times in nanoseconds to the picosecond, and nothing where nothing is known") {
  CHECK(line(row()) == "18838586676.582,3,12,compare-and-swap,578437695752307201,4096,18838586677.587,switch,1\n");
  CHECK(line({.begun = sim::Time::from_ps(7), .ended = {}, .session = {}, .answered_by = {}}) ==
        "0.007,0,0,read,0,0,,,0\n");
}

TEST_CASE("a record has 32 bytes, little-endian, at the documented places") {
  fmt::memory_buffer out;
  append_record(out, row());
  const unsigned char expected[32] = {0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0,   // begin
                                      1,    2,    3,    4,    5,    6,    7, 8,   // key
                                      3,    0,    0,    0,    12,   0,    0, 0,   // node, thread
                                      0,    0x10, 0,    0,    2,    0,    0, 0};  // size, op
  CHECK(to_string(out) == std::string(reinterpret_cast<const char*>(expected), 32));
  auto large = row();
  large.bytes = std::uint64_t{1} << 40;
  out.clear();
  append_record(out, large);
  CHECK(to_string(out).substr(24, 4) == "\xff\xff\xff\xff");
}

TEST_CASE("a full disk is told with the file, at the latest when the run is over") {
  const TemporaryFolder folder;
  for (const char* settings : {"--set observe.operations=/dev/full --set run.measure=1us",
                               "--set observe.operations=/dev/full", "--set observe.series.file=/dev/full"}) {
    INFO(settings);
    const Outcome run =
        run_racksim(folder, "run " + places::source_folder() + "/scenarios/quickstart.json --quiet " + settings);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Catch::Contains("/dev/full could not be written"));
  }
}

}  // namespace operation_file_test
