// StarCache's request table: circular queues that keep each key's requests in order and apart from other keys'
// (StarCache §3.4, Figure 5), and items of several packets (§3.9).
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <tuple>

#include "sim/random/random.hpp"
#include "tests/protocols/starcache/star_switch.hpp"

namespace request_table_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

constexpr Key kHot = key(1);

/// Each test runs on both programs.
StarShape either() {
  return small(GENERATE(false, true));
}

/// A waiting request, as clients know it.
struct Request {
  Host client;
  std::uint32_t seq;
};

/// The queues as a program without hardware would hold them, beside the switch.
class Comparison {
 public:
  static constexpr std::size_t kKeys = 3;

  Comparison(const StarShape& shape, std::array<std::uint64_t, kKeys> packets_of_item, std::uint64_t seed)
      : switch_(shape), random_(seed, "requests"), packets_of_item_(packets_of_item) {
    for (std::size_t k = 0; k < kKeys; ++k) {
      values_.push_back(switch_.install_item(key(k), index(k), packets_of_item_[k]));
    }
  }

  void step() {
    // Bursts, so that queues are full, empty and in between.
    if (random_.chance(0.02)) reads_ = random_.unit();
    const std::size_t k = random_.below(kKeys);
    random_.chance(reads_) ? read(k) : serve(k);
    for (std::size_t i = 0; i < kKeys; ++i) REQUIRE(switch_.waiting(index(i)) == queues_[i].size());
  }

  std::uint64_t served = 0, overflows = 0, idle_rounds = 0;

 private:
  /// Neighbours in the arrays, the last row among them, in no order.
  std::uint64_t index(std::size_t k) const {
    const std::uint64_t last = switch_.shape.cache_entries - 1;
    return std::array<std::uint64_t, kKeys>{last - 1, last, last - 2}[k];
  }

  void read(std::size_t k) {
    Host client = random_.chance(0.5) ? kAliceHost : kBobHost;
    client.udp_port = static_cast<std::uint16_t>(store::kFirstPort + random_.below(store::kPorts));
    const auto seq = static_cast<std::uint32_t>(random_.next());
    const Passed passed = switch_.read(key(k), client, seq);
    if (queues_[k].size() < switch_.shape.queue_size) {
      REQUIRE(passed.dropped());
      queues_[k].push_back({client, seq});
    } else {
      REQUIRE(passed.went_to(kServer));
      ++overflows;
    }
    REQUIRE(switch_.value("OVERFLOW") == overflows);
  }

  void serve(std::size_t k) {
    const std::uint64_t packet = next_[k]++ % packets_of_item_[k];
    const Passed passed = switch_.recirculate(values_[k][packet]);
    // Printed, any packet is served; repaired, the one whose turn it is.
    if (queues_[k].empty() || (switch_.shape.versions && packet != sent_[k])) {
      REQUIRE(passed.goes_round());
      ++idle_rounds;
      return;
    }
    const Request front = queues_[k].front();
    REQUIRE(passed.cloned_to(front.client));
    REQUIRE(passed.ip() == front.client.ip);
    REQUIRE(passed.udp_port() == front.client.udp_port);
    REQUIRE(passed.store().seq == front.seq);
    if (++sent_[k] < packets_of_item_[k]) return;
    sent_[k] = 0;
    queues_[k].pop_front();
    ++served;
  }

  StarSwitch switch_;
  sim::RandomStream random_;
  std::array<std::uint64_t, kKeys> packets_of_item_, sent_{}, next_{};
  std::array<std::deque<Request>, kKeys> queues_;
  std::vector<std::vector<Passed>> values_;
  double reads_ = 0.5;
};

}  // namespace

TEST_CASE("the queue of four requests is a circle: the rear pointer goes from 3 to 0", "[claim:starcache-fig5-wrap]") {
  // Figure 5: up to 4 requests a key.
  StarSwitch s(either());
  const std::uint64_t index = 2, base = index * 4;
  const Passed value = s.install(kHot, index);
  for (std::uint32_t i = 0; i < 3; ++i) {
    s.read(kHot, kAliceHost, i);
    s.recirculate(value);
  }
  REQUIRE(s.value("FRONT", index) == 3);
  REQUIRE(s.value("REAR", index) == 3);
  s.read(kHot, kBobHost, 100);
  CHECK(s.value("CLIENT_SEQ", base + 3) == 100);
  CHECK(s.value("REAR", index) == 0);
  s.read(kHot, kAliceHost, 101);
  CHECK(s.value("CLIENT_SEQ", base) == 101);
  CHECK(s.value("REAR", index) == 1);
}

TEST_CASE("the front pointer goes from 3 to 0, and requests on both sides of it leave in order") {
  StarSwitch s(either());
  const Passed value = s.install(kHot, 2);
  for (std::uint32_t i = 0; i < 3; ++i) {
    s.read(kHot, kAliceHost, i);
    s.recirculate(value);
  }
  s.read(kHot, kBobHost, 100);
  s.read(kHot, kAliceHost, 101);
  CHECK(s.recirculate(value).store().seq == 100);
  CHECK(s.value("FRONT", 2) == 0);
  CHECK(s.recirculate(value).store().seq == 101);
  CHECK(s.value("FRONT", 2) == 1);
}

TEST_CASE("a queue of one request works") {
  StarShape shape = either();
  shape.queue_size = 1;
  StarSwitch s(shape);
  const Passed value = s.install(kHot, 7);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(s.read(kHot, kAliceHost, i).dropped());
    CHECK(s.read(kHot, kBobHost, 50).went_to(kServer));
    CHECK(s.recirculate(value).store().seq == i);
    CHECK(s.recirculate(value).goes_round());
  }
}

TEST_CASE("requests of a key are served in the order in which they came, whatever other keys do",
          "[claim:starcache-s34-isolation][claim:starcache-s33-one-per-pass]") {
  Comparison comparison(either(), {1, 1, 1}, 1);
  for (int i = 0; i < 20'000; ++i) comparison.step();
  // Nothing above was vacuous.
  CHECK(comparison.served > 2'000);
  CHECK(comparison.overflows > 500);
  CHECK(comparison.idle_rounds > 500);
}

TEST_CASE("so are requests for items of one, two and five packets, each with all packets of its item") {
  Comparison comparison(either(), {1, 2, 5}, 2);
  for (int i = 0; i < 20'000; ++i) comparison.step();
  CHECK(comparison.served > 1'000);
  CHECK(comparison.overflows > 500);
  CHECK(comparison.idle_rounds > 500);
}

TEST_CASE("with sixteen requests a key as in the paper's prototype, they are served in order too") {
  StarShape shape = either();
  shape.queue_size = 16;
  Comparison comparison(shape, {1, 3, 1}, 3);
  for (int i = 0; i < 20'000; ++i) comparison.step();
  CHECK(comparison.served > 2'000);
  CHECK(comparison.overflows > 100);
}

TEST_CASE("a request for an item of three packets gets all three and leaves with the last") {
  StarSwitch s(either());
  const std::vector<Passed> value = s.install_item(kHot, 3, 3);
  s.read(kHot, kAliceHost, 5);
  s.read(kHot, kBobHost, 6);
  const std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>> expected = {
      // request, then: waiting, ACKed-packet counter, front pointer
      {5, 2, 2, 0}, {5, 2, 3, 0}, {5, 1, 1, 1}, {6, 1, 2, 1}, {6, 1, 3, 1}, {6, 0, 1, 2},
  };
  std::size_t next = 0;
  for (const auto& [seq, waiting, acked, front] : expected) {
    const Passed served = s.recirculate(value[next++ % 3]);
    CHECK(served.store().seq == seq);
    CHECK(served.cloned_to(seq == 5 ? kAliceHost : kBobHost));
    CHECK(s.waiting(3) == waiting);
    CHECK(s.acked(3) == acked);
    CHECK(s.value("FRONT", 3) == front);
  }
  CHECK(s.recirculate(value[0]).goes_round());
  CHECK(s.acked(3) == 1);
}

TEST_CASE("a slot of a request that still gets packets is not free") {
  StarSwitch s(either());
  const std::vector<Passed> value = s.install_item(kHot, 3, 2);
  for (int i = 0; i < 4; ++i) s.read(kHot);
  s.recirculate(value[0]);
  CHECK(s.read(kHot).went_to(kServer));
  s.recirculate(value[1]);
  CHECK(s.read(kHot).dropped());
}

TEST_CASE("when an item shrinks under a request, the printed queue stands still and the repaired one goes on") {
  // §3.9 compares the counter with FLAG for equality. Here it stands at 3 when a value of one packet comes.
  const bool versions = GENERATE(false, true);
  StarSwitch s(small(versions));
  const std::vector<Passed> old = s.install_item(kHot, 3, 4);
  s.read(kHot);
  s.recirculate(old[0]);
  s.recirculate(old[1]);
  const Passed value = s.reply(s.write_request(kHot, kBobHost), Op::write_reply, 1);
  for (int i = 0; i < 10; ++i) CHECK(s.recirculate(value).cloned_to(kAliceHost) == (!versions || i == 0));
  CHECK(s.waiting(3) == (versions ? 0 : 1));
}

}  // namespace request_table_test
