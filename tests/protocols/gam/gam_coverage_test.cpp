// Every row of GAM's two tables (§2.3-§2.6 and §5) is executed by the runs below, and so every reachable cell of them:
// those of the safe protocol by contended work, those of recovery by crashes amid it, and each row that stands for the
// printed protocol, or for one without a rule, with its option.
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/rules/races.hpp"
#include "tests/protocols/gam/gam_run.hpp"

namespace gam_coverage_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

using Mode = models::MicroOptions::Mode;

/// 16 lines among four nodes, of which each caches four, over a network that loses, doubles and reorders.
Setup contended(Mode mode, std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  setup.micro.mode = mode;
  setup.micro.working_set = 4 * 16 * Setup::kLineBytes;  // what each of four nodes reaches is all shared
  setup.options.cache_bytes = 4 * Setup::kLineBytes;
  setup.rack.faults.loss = 0.01;
  setup.rack.faults.reorder = 0.1;
  setup.rack.faults.reorder_delay = 20_us;
  setup.plan.drain = 50_ms;
  setup.measure(3'000);
  return setup;
}

Setup logging(Setup setup) {
  setup.options.logging = true;
  setup.options.membership.lease = 60_us;
  return setup;
}

class Marked {
 public:
  Marked() : map_(sim::Registry<models::ProtocolEntry>::find("gam")->coverage), coverage_(map_) {}

  void run(Setup setup) {
    setup.coverage = &coverage_;
    Run run(setup);
    if (!setup.options.logging) return run.finish();
    Manager manager(run);
    run.finish();
  }
  /// A reader holds a line's lock while the line's home crashes and comes back.
  void hold_lock_over_crash() {
    Setup setup = logging(Setup{});
    setup.coverage = &coverage_;
    Script run(setup);
    Manager manager(run);
    Script::Asked held;
    run.lock({1, 0}, 0, models::LockMode::shared, held);
    run.advance(300_us);
    run.rack.crash(0);
    run.advance(300_us);
    run.rack.restart(0);
    run.advance(2_ms);
    run.unlock({1, 0}, 0);
    run.finish();
    CHECK(run.violations() == "");
  }
  /// A thread of a node, the home or another, reads what it writes, which waits for another thread's lock.
  void read_behind_own_write(NodeId node) {
    Setup setup;
    setup.coverage = &coverage_;
    Script run(setup);
    REQUIRE(run.try_lock({node, 1}, 0, models::LockMode::shared));
    sim::Value wrote = 0, read = 0;
    const auto write_and_read = [&]() -> sim::Task<void> {
      wrote = co_await run.memory.write({node, 0}, run.line(0));
      read = co_await run.memory.read({node, 0}, run.line(0));
    };
    run.spawn(write_and_read(), node);
    run.advance(300_us);
    CHECK(read == 0);
    run.unlock({node, 1}, 0);
    run.advance(300_us);
    CHECK(read == wrote);
    run.finish();
    CHECK(run.violations() == "");
  }
  /// The rows of the tables that no run has executed.
  std::set<std::string> missing() const {
    std::set<std::string> rows;
    const std::set<std::string> all(map_.rows.begin(), map_.rows.end());
    for (std::size_t point = 0; point < map_.points(); ++point) {
      const std::string name = map_.name_of(point);
      if (all.contains(name) && !coverage_.reached(point)) rows.insert(name);
    }
    return rows;
  }

 private:
  sim::CoverageMap map_;
  sim::Coverage coverage_;
};

}  // namespace

TEST_CASE("Every row of GAM's tables is executed, those of rules that are off with the rule off") {
  Marked marked;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const Mode mode : {Mode::access, Mode::lock_and_access, Mode::try_lock_and_access, Mode::mixed}) {
      marked.run(contended(mode, seed));
    }
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Setup setup = logging(contended(seed % 2 == 0 ? Mode::lock_and_access : Mode::mixed, seed));
    setup.micro.read_ratio = 0.7;
    for (unsigned i = 0; i < 8; ++i) {
      setup.add_fault("crash", "{\"node\": " + std::to_string(i % 4) + ", \"from\": \"" +
                                   std::to_string(200 + 700 * i) + "us\", \"until\": \"" +
                                   std::to_string(260 + 700 * i) + "us\"}");
    }
    marked.run(setup);
  }
  marked.hold_lock_over_crash();
  for (const NodeId node : {NodeId{0}, NodeId{1}}) marked.read_behind_own_write(node);
  const std::vector<std::function<void(Options&)>> rules{
      [](Options& o) { o.dying_reads = Options::DyingReads::paper; },
      [](Options& o) { o.invalidate_order = Options::InvalidateOrder::ack_first; },
      [](Options& o) { o.back_off = false; },
      [](Options& o) { o.blocking = false; },
      [](Options& o) { o.two_messages = false; },
  };
  for (const auto& turn_off : rules) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Setup setup = contended(Mode::access, seed);
      turn_off(setup.options);
      marked.run(setup);
    }
  }
  CHECK(marked.missing() == std::set<std::string>{});
}

}  // namespace gam_coverage_test
