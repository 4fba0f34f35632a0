// What the application sends again, and what explains it to the oracle `served`.
#include <catch2/catch.hpp>
#include <string>

#include "protocols/store/options.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"

namespace store_served_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;

namespace {

std::string first(const NoCacheRun& run) {
  return run.oracle("served").violations().empty() ? "" : run.oracle("served").violations().front().what;
}

/// A server that takes writes and never executes them.
struct IgnoresWrites final : PartitionExtension {
  bool holds_write(const Message&, Address, sim::OperationId) override { return true; }
};

/// A server that refuses each write once.
struct RefusesOnce final : PartitionExtension {
  bool admits_write(const Message& request) override {
    return request.store.seq == last || (last = request.store.seq, false);
  }
  std::uint64_t last = ~std::uint64_t{0};
};

}  // namespace

TEST_CASE("on sound wires clients are served at once") {
  NoCacheRun run(Setup{}, small());
  for (std::uint64_t key = 1; key <= 20; ++key) {
    run.put(kAlice, key);
    run.get(kBob, key);
  }
  run.finish();
  CHECK(run.ended() == 40);
  CHECK(first(run) == "");
}

TEST_CASE("servers that ignore writes are noticed, though each write ends as given up") {
  NoCacheRun run(Setup{}, small());
  IgnoresWrites extension;
  run.store->partition(0).extend(extension);
  run.get(kAlice, 1);
  run.put(kAlice, 1);
  run.finish();
  CHECK(run.violations({"served"}) == "");  // no other oracle minds
  // Sent again four times, then given up.
  CHECK(run.oracle("served").violation_count() == 5);
  CHECK(first(run).find("write") == 0);
}

TEST_CASE("a refusal that is answered is no timeout") {
  NoCacheRun run(Setup{}, small());
  RefusesOnce extension;
  run.store->partition(0).extend(extension);
  run.put(kAlice, 1);
  run.finish();
  CHECK(run.counter("store.refused_writes") == 1);
  CHECK(first(run) == "");
}

TEST_CASE("a lost request or answer explains the timeout of its operation, and of none on another key") {
  for (const Op lost : {Op::read_request, Op::read_reply}) {
    NoCacheRun run(Setup{}, small());
    StoreRun::lose(lost == Op::read_request ? run.rack.uplink(0) : run.rack.downlink(0), lost);
    run.get(kAlice, 1);
    run.finish();
    CHECK(run.counter("store.timeouts") == 1);
    CHECK(first(run) == "");
  }
  auto options = small();
  options.hash_bits = 128;
  NoCacheRun run(Setup{}, options);
  IgnoresWrites extension;
  run.store->partition(0).extend(extension);
  StoreRun::lose(run.rack.uplink(0), Op::read_request);
  run.get(kAlice, 1);
  run.put(kBob, 2);
  run.finish();
  CHECK(run.oracle("served").violation_count() == 5);
  CHECK(first(run).find("key 0x2") != std::string::npos);
}

TEST_CASE("clients of a server that crashes are excused") {
  Setup setup;
  setup.add_fault("crash", R"({"node": 2})");
  NoCacheRun run(setup);
  run.advance(10_us);
  run.get(kAlice, 1);
  run.advance(500_us);
  run.finish();
  CHECK(run.counter("store.timeouts") > 0);
  CHECK(run.violations() == "");
  CHECK(first(run) == "");
}

}  // namespace store_served_test
