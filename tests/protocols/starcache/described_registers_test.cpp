// The packed registers of a cached key in words, as charts of a run show them.
#include <catch2/catch.hpp>

#include "tests/protocols/starcache/starcache_run.hpp"

namespace described_registers_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

/// "meaning: value" of a register of the hot key after it was made to hold `value`.
std::string text_of(StarCacheRun& run, const p4::RegisterArray* array, std::uint64_t value) {
  run.write(array, run.star.manager().index_of(kHot), value);
  for (const auto& r : run.star.switch_state_of(kHot)) {
    if (r.array != array->name) continue;
    const std::uint64_t now = run.read(array, r.index);
    return r.meaning + ": " + (r.print == nullptr ? std::to_string(now) : r.print(now));
  }
  return "not described";
}

}  // namespace

TEST_CASE("the state, queue and pointers of a cached key are told by their fields") {
  StarCacheRun run;
  const StarProgram& program = run.star.program();
  CHECK(text_of(run, program.state, 1ull << 32 | 5) == "state of the value: valid, version 5");
  CHECK(text_of(run, program.state, 6) == "state of the value: invalid, version 6");
  CHECK(text_of(run, program.queue, 3ull << 32 | 2) == "request queue: 2 waiting, next packet 3");
  CHECK(text_of(run, program.front, 1) == "slot of the first that waits: 1");
  CHECK(text_of(run, program.rear, 3) == "slot for the next that waits: 3");
  CHECK(run.star.switch_state_of(kCold).empty());
}

TEST_CASE("the printed state table is one bit, valid or invalid") {
  StarCacheRun run(with_hot_key(), small(Coherence::paper));
  const StarProgram& program = run.star.program();
  CHECK(text_of(run, program.state, 0) == "state of the value: invalid");
  CHECK(text_of(run, program.state, 1) == "state of the value: valid");
}

}  // namespace described_registers_test
