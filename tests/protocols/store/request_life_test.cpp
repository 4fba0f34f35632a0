// The life of a request as its transition table has it (StarCache §3.3, §3.6, §3.9).
#include "protocols/store/request_life.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "protocols/nocache/nocache.hpp"
#include "tests/protocols/store/rig.hpp"

using namespace racksim;
using namespace racksim::store;
using namespace racksim::store::testing;

namespace {

constexpr std::uint64_t kKey = 7;

/// Has the first client get a message to its first request, in an event as packets arrive.
class Forger {
 public:
  explicit Forger(Rig& rig) : rig_(rig), lane_(rig.calendar.add_lane("forger")) {}
  void send(sim::Time at, Op op, unsigned packets = 1, std::uint64_t key = kKey) {
    Shared& shared = rig_.store->shared();
    store::Message m;
    const KeyHash hash = shared.hash(kKey);
    m.store = {number(op), shared.options.first_seq, hash.high, hash.low, packets};
    m.key = key;
    m.value = 5;
    m.brings_value = true;
    packet_ = make_message(shared, m, kFirstPort, {kAlice.node, kFirstPort}, 0);
    rig_.calendar.at<&Forger::arrive>(at, lane_, *this);
  }

 private:
  void arrive() { rig_.store->clients().front()->on_packet(std::move(packet_)); }
  Rig& rig_;
  sim::Lane lane_;
  p4::PacketRef packet_;
};

/// The rows that the client has executed, without the table's name.
std::set<std::string> rows_reached(const sim::Coverage& coverage) {
  std::set<std::string> names;
  const std::string prefix = Client::table().name + ": ";
  for (std::size_t point = 0; point < coverage.map().points(); ++point) {
    const std::string name = coverage.map().name_of(point);
    if (coverage.reached(point) && name.starts_with(prefix)) names.insert(name.substr(prefix.size()));
  }
  return names;
}

nocache::NoCacheOptions small() {
  return small_store<nocache::NoCacheOptions>();
}

}  // namespace

TEST_CASE("the rows of a request's life are those that it has come through") {
  const sim::CoverageMap map = coverage_map();
  sim::Coverage coverage(map);
  Setup setup;
  setup.coverage = &coverage;
  Rig rig(setup, small());
  CHECK(rows_reached(coverage).empty());
  rig.get_now(kAlice, kKey);
  CHECK(rows_reached(coverage) == std::set<std::string>{"request", "answer"});
  Rig::lose(rig.rack.downlink(0), Op::read_reply);
  rig.get_now(kAlice, kKey);
  CHECK(rows_reached(coverage) ==
        std::set<std::string>{"request", "answer", "timeout", "correction", "request once more"});
}

TEST_CASE("each forged message takes the row that it is meant for") {
  struct Case {
    Op op;
    bool write;
    std::uint64_t key;
    const char* row;
  };
  const Case forged =
      GENERATE(Case{Op::read_reply, false, kKey, "answer"}, Case{Op::write_reply, true, kKey, "answer"},
               Case{Op::read_reply, false, kKey + 1, "other key"}, Case{Op::write_refused, true, kKey, "refused write"},
               Case{Op::write_refused, false, kKey, "answer to another request"},
               Case{Op::write_reply, false, kKey, "answer to another request"},
               Case{Op::read_reply, true, kKey, "answer to another request"},
               Case{Op::read_request, false, kKey, "answer to another request"});
  const sim::CoverageMap map = coverage_map();
  sim::Coverage coverage(map);
  Setup setup;
  setup.coverage = &coverage;
  Rig rig(setup, small());
  Forger forger(rig);
  forger.send(sim::Time{} + 500_ns, forged.op, 1, forged.key);  // when the request is on its way
  forged.write ? rig.put(kAlice, kKey) : rig.get(kAlice, kKey);
  rig.run(501_ns);
  INFO(forged.row << " for operation type " << number(forged.op));
  CHECK(rows_reached(coverage).contains(forged.row));
  rig.run(1_ms);
  CHECK(rig.ended() == 1);
}

TEST_CASE("a message that a state rules out stops the run, and is named with its key and operation") {
  nocache::NoCacheOptions options = small();
  options.request_work = 10_us;  // so that there is time for an answer to what nobody has sent
  Rig rig(Setup{}, options);
  Forger forger(rig);
  forger.send(sim::Time{} + 5_us, Op::read_reply);
  rig.get(kAlice, kKey);
  CHECK_THROWS_MATCHES(
      rig.run(20_us), models::UndefinedTransition,
      Catch::Matchers::Message(
          "store client: 'reply' in the state 'preparing' is declared impossible (nothing has "
          "been sent under this SEQ, which comes back after 2^32 requests), key 0x7, operation 1099511627777"));
}
