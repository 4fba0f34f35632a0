// What GAM's hit ratio counts.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/protocols/gam/gam_run.hpp"

namespace gam_counters_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

/// The hit ratio of a script's accesses.
double hit_ratio(const std::function<void(Script&)>& work) {
  Script run{Setup{}};
  work(run);
  run.finish();
  CHECK(run.violations() == "");
  return run.gauge("gam.hit_ratio");
}

}  // namespace

TEST_CASE("Of the hit ratio every request of a remote line counts, upgrades too, and what waits for one does not") {
  // A miss, a hit, an upgrade, a hit.
  CHECK(hit_ratio([](Script& run) {
          run.read(1, 0);
          run.read(1, 0);
          run.write(1, 0);
          run.write(1, 0);
        }) == Approx(0.5));
  // Two accesses of one line at once take one request; the home's own of a line that nobody has takes none.
  CHECK(hit_ratio([](Script& run) {
          for (const unsigned thread : {0u, 1u}) {
            run.begin({1, static_cast<std::uint16_t>(thread)}, run.line(0), false);
          }
          run.advance(300_us);
          run.write(0, 4);
          run.write(0, 1);
        }) == Approx(0.5));
}

TEST_CASE("An access for which the home waits for the line's owner, or for its sharers, is no hit") {
  // Of an owned line the home's read fetches it, and a second one does not; of a shared one its write invalidates.
  CHECK(hit_ratio([](Script& run) {
          run.write(1, 0);
          run.read(0, 0);
          run.read(0, 0);
          run.write(0, 0);
          run.write(0, 0);
        }) == Approx(2.0 / 5));
  // A home and another node that write in turn have no hit at all.
  CHECK(hit_ratio([](Script& run) {
          for (int turn = 0; turn < 4; ++turn) {
            run.write(1, 0);
            run.write(0, 0);
          }
        }) == Approx(0).margin(1e-9));
}

}  // namespace gam_counters_test
