// SEL: which verbs an access takes (SELCC §7.1: two atomics an operation), and what goes wrong without its mechanisms.
#include "protocols/sel/sel.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "models/workloads/micro_workload.hpp"
#include "tests/protocols/protocol_run.hpp"
#include "tests/protocols/verbs.hpp"

using namespace racksim;
using namespace racksim::sel;
using namespace sim::literals;
using Sequence = std::vector<std::string>;

namespace {

struct Setup : racksim::testing::RunSetup {
  Options sel;
  models::MicroOptions micro;

  Setup() {
    rack.nodes = 6;
    rack.roles = {.compute = 4, .memory = 2};
    rack.cores = 8;
    sel.line_bytes = 256;
    micro.threads = 2;
    micro.sharing_of = models::MicroOptions::SharingOf::lines;
    micro.sharing_ratio = 1;
    micro.working_set = 4 * 4 * 256;
    micro.warm_passes = 0;
    plan.drain = 10_ms;
    measure(2'000);
  }
};

class Run : public racksim::testing::ProtocolRun {
 public:
  explicit Run(const Setup& s, bool script = false)
      : ProtocolRun(s, tools::bound<models::ProtocolOptions>("sel", s.sel),
                    script ? scripted(s) : tools::bound<models::WorkloadOptions>("micro", s.micro)),
        sel(dynamic_cast<Sel&>(running_protocol())) {}

  static models::GlobalAddress line(std::uint64_t i) { return models::GlobalAddress::at(4, i * 256); }
  void begin(models::NodeId node, bool write, std::uint64_t i = 0) {
    const auto access = [](Sel& s, models::Session session, bool writes, models::GlobalAddress at) -> sim::Task<void> {
      if (writes) {
        co_await s.write(session, at);
      } else {
        co_await s.read(session, at);
      }
    };
    spawn(access(sel, {node, 0}, write, line(i)), node);
  }

  Sel& sel;

 private:
  static BoundWorkload scripted(const Setup& s) {
    models::ScriptOptions script;
    script.threads = s.micro.threads;
    script.shared_bytes = 64 * s.sel.line_bytes;
    return tools::bound<models::WorkloadOptions>("script", script);
  }
};

std::string violations_of(const std::function<void(Setup&)>& change) {
  Setup setup;
  change(setup);
  Run run(setup);
  run.finish();
  return run.violations();
}

}  // namespace

TEST_CASE("A read is an FAA with a READ, and an FAA; a write a CAS with a READ, and a WRITE with an FAA behind it") {
  Run run(Setup{}, true);
  racksim::testing::Verbs verbs(run);
  run.begin(0, false);
  run.advance(100_us);
  CHECK(verbs.taken() == Sequence{"0 FAA", "0 READ", "0 FAA"});
  run.begin(1, true);
  run.advance(100_us);
  CHECK(verbs.taken() == Sequence{"1 CAS", "1 READ", "1 WRITE", "1 FAA"});
  // Nothing is cached.
  run.begin(1, false);
  run.advance(100_us);
  CHECK(verbs.taken().size() == 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A reader that finds a writer takes its bit away and tries again, until the writer has released") {
  Run run(Setup{}, true);
  const auto hold = [](Run& r) -> sim::Task<void> {
    co_await r.sel.lock({0, 0}, Run::line(0));
    co_await sim::sleep_for(r.rack.server(0).clock(), 100_us);
    co_await r.sel.unlock({0, 0}, Run::line(0));
  };
  run.spawn(hold(run), 0);
  run.advance(20_us);
  run.begin(1, false);
  run.advance(60_us);
  CHECK(run.counter("sel.retries") > 2);
  CHECK(run.counter("sel.retries") == run.counter("sel.undone"));
  run.advance(200_us);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Under contention, with locks held across accesses and without, SEL keeps what it promises") {
  CHECK(violations_of([](Setup&) {}) == "");
  CHECK(violations_of([](Setup& setup) { setup.micro.mode = models::MicroOptions::Mode::lock_and_access; }) == "");
}

// Words of 8 bytes are written whole in any case: it takes accesses that belong together to see the latch.
TEST_CASE("Without the latch, with a release before the write, and without undoing, an oracle objects") {
  const auto locked = [](Setup& setup) { setup.micro.mode = models::MicroOptions::Mode::lock_and_access; };
  CHECK(violations_of([&](Setup& setup) {
          locked(setup);
          setup.sel.latch = false;
        }) != "");
  CHECK(violations_of([&](Setup& setup) {
          locked(setup);
          setup.sel.write_first = false;
          setup.rack.faults.loss = 0.02;  // of a WRITE, while the release goes through
        }) != "");
  CHECK(violations_of([](Setup& setup) {
          setup.sel.undo = false;
          setup.plan.stall = 5_ms;
        }) != "");
}
