// What the application sends again, and what explains it to the oracle `served`.
#include <catch2/catch.hpp>
#include <string>

#include "protocols/nocache/nocache.hpp"
#include "protocols/store/options.hpp"
#include "tests/protocols/store/rig.hpp"

using namespace racksim;
using namespace racksim::store;
using namespace racksim::store::testing;

namespace {

nocache::NoCacheOptions one_server() {
  return small_store<nocache::NoCacheOptions>();
}

std::string first(const Rig& rig) {
  return rig.served.violations().empty() ? "" : rig.served.violations().front().what;
}

/// A server that takes writes and never executes them.
struct IgnoresWrites final : PartitionExtension {
  bool holds_write(const Message&, Address, std::uint64_t) override { return true; }
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
  Rig rig(Setup{}, one_server());
  for (std::uint64_t key = 1; key <= 20; ++key) {
    rig.put(kAlice, key);
    rig.get(kBob, key);
  }
  rig.judge();
  CHECK(rig.ended() == 40);
  CHECK(first(rig) == "");
}

TEST_CASE("servers that ignore writes are noticed, though each write ends as given up") {
  Rig rig(Setup{}, one_server());
  IgnoresWrites extension;
  rig.store->partition(0).extend(extension);
  rig.get(kAlice, 1);
  rig.put(kAlice, 1);
  rig.judge();
  CHECK(rig.violations() == "");  // no other oracle minds
  // Sent again four times, then given up.
  CHECK(rig.served.violation_count() == 5);
  CHECK(first(rig).find("write") == 0);
}

TEST_CASE("a refusal that is answered is no timeout") {
  Rig rig(Setup{}, one_server());
  RefusesOnce extension;
  rig.store->partition(0).extend(extension);
  rig.put(kAlice, 1);
  rig.judge();
  CHECK(rig.counter("store.refused_writes") == 1);
  CHECK(first(rig) == "");
}

TEST_CASE("a lost request or answer explains the timeout of its operation, and of none on another key") {
  for (const Op lost : {Op::read_request, Op::read_reply}) {
    Rig rig(Setup{}, one_server());
    Rig::lose(lost == Op::read_request ? rig.rack.uplink(0) : rig.rack.downlink(0), lost);
    rig.get(kAlice, 1);
    rig.judge();
    CHECK(rig.counter("store.timeouts") == 1);
    CHECK(first(rig) == "");
  }
  auto options = one_server();
  options.hash_bits = 128;
  Rig rig(Setup{}, options);
  IgnoresWrites extension;
  rig.store->partition(0).extend(extension);
  Rig::lose(rig.rack.uplink(0), Op::read_request);
  rig.get(kAlice, 1);
  rig.put(kBob, 2);
  rig.judge();
  CHECK(rig.served.violation_count() == 5);
  CHECK(first(rig).find("key 0x2") != std::string::npos);
}

TEST_CASE("clients of a server that crashes are excused") {
  Rig rig(Setup{}, one_server());
  rig.faults.add("crash", [] {
    const auto& kinds = models::faults();
    const auto crash = std::find_if(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.name == "crash"; });
    auto fault = crash->make();
    sim::Parameters parameters;
    fault->declare(parameters);
    for (const auto& parameter : parameters.all()) {
      if (parameter.name == "node") *std::get<sim::Parameter::Integer>(parameter.kind).target = 2;
    }
    return fault;
  }());
  rig.faults.start();
  rig.run(10_us);
  rig.get(kAlice, 1);
  rig.run(500_us);
  rig.judge();
  CHECK(rig.counter("store.timeouts") > 0);
  CHECK(rig.violations() == "");
  CHECK(first(rig) == "");
}
