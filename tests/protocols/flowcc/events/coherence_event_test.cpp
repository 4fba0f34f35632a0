// Which replies complete a coherence event (Concordia §5.1.1, "Requester-driven Coherence Control", and Table 3).
#include "protocols/flowcc/events/coherence_event.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace coherence_event_test {

using namespace racksim;
using namespace racksim::flowcc;

namespace {

constexpr NodeId kMe = 2;
constexpr Tag kTag = 77;

// A reply: an acknowledgement, or data that land.
struct Reply {
  bool data = false;
  FlowCcHeader ack;
};
constexpr std::uint64_t kValue = 4711;

Reply data() {
  Reply reply;
  reply.data = true;
  return reply;
}
Reply ack(NodeId from, GlobalStatus status, Copyset copyset, bool retransmitted = false) {
  Reply reply;
  reply.ack.set_type(MessageType::ack);
  reply.ack.node_id = from;
  reply.ack.set_metadata({status, copyset});
  reply.ack.retransmitted = retransmitted;
  return reply;
}
Reply home_ack(NodeId home) {
  // The home agent returns the request with its own metadata: node_id stays the requester's.
  Reply reply = ack(kMe, GlobalStatus::unshared, 0);
  reply.ack.from_home = 1;
  static_cast<void>(home);
  return reply;
}
// The owner's answer to an eviction, or to a write by the only sharer: the request comes back.
Reply grant(GlobalStatus status, Copyset copyset) {
  return ack(kMe, status, copyset);
}

CoherenceEvent begun(MessageType type) {
  CoherenceEvent event;
  event.begin(type, kTag, kMe, 1, 0);
  return event;
}
void deliver(CoherenceEvent& event, const Reply& reply) {
  if (reply.data) {
    event.data_landed({kTag, sim::Value{kValue}});
  } else {
    event.acknowledged(reply.ack);
  }
}

// All replies are needed and together enough, in every order, with a repetition of any of them changing nothing.
void check_completes_with_the_last_of(MessageType type, const std::vector<Reply>& replies) {
  std::vector<std::size_t> order(replies.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    CoherenceEvent event = begun(type);
    for (std::size_t i = 0; i < order.size(); ++i) {
      REQUIRE_FALSE(event.settled());
      deliver(event, replies[order[i]]);
      if (i + 1 < order.size()) deliver(event, replies[order[i]]);
    }
    REQUIRE(event.settled());
    REQUIRE_FALSE(event.failed());
  } while (std::next_permutation(order.begin(), order.end()));
}

constexpr Copyset nodes(std::initializer_list<NodeId> ids) {
  Copyset set = 0;
  for (const NodeId id : ids) set |= node_bit(id);
  return set;
}

}  // namespace

TEST_CASE("a miss on an Unshared block needs the home's acknowledgement and the data") {
  for (const auto type : {MessageType::read_miss, MessageType::write_miss}) {
    check_completes_with_the_last_of(type, {home_ack(0), data()});
  }
}

TEST_CASE("a READ-MISS needs its one provider's acknowledgement and the data, in either order") {
  check_completes_with_the_last_of(MessageType::read_miss, {ack(5, GlobalStatus::shared, nodes({1, 5, 6})), data()});
  check_completes_with_the_last_of(MessageType::read_miss, {ack(5, GlobalStatus::modified, nodes({5})), data()});
}

TEST_CASE("a retransmitted READ-MISS of a Shared block needs every holder's acknowledgement") {
  const Copyset holders = nodes({1, 5, 6});
  check_completes_with_the_last_of(
      MessageType::read_miss, {ack(1, GlobalStatus::shared, holders, true), ack(5, GlobalStatus::shared, holders, true),
                               ack(6, GlobalStatus::shared, holders, true), data()});
}

TEST_CASE("a retransmitted READ-MISS of a Modified block has one receiver") {
  check_completes_with_the_last_of(MessageType::read_miss, {ack(5, GlobalStatus::modified, nodes({5}), true), data()});
}

TEST_CASE("a READ-MISS whose first transmission is answered late completes without the other holders") {
  const Copyset holders = nodes({1, 5});
  CoherenceEvent event = begun(MessageType::read_miss);
  deliver(event, ack(1, GlobalStatus::shared, holders, true));
  deliver(event, data());
  REQUIRE_FALSE(event.settled());
  deliver(event, ack(5, GlobalStatus::shared, holders, false));
  CHECK(event.settled());
}

TEST_CASE("a WRITE-MISS needs every holder's acknowledgement and the data") {
  const Copyset holders = nodes({0, 1, 7});
  check_completes_with_the_last_of(MessageType::write_miss,
                                   {ack(0, GlobalStatus::shared, holders), ack(1, GlobalStatus::shared, holders),
                                    ack(7, GlobalStatus::shared, holders), data()});
  check_completes_with_the_last_of(MessageType::write_miss, {ack(7, GlobalStatus::modified, nodes({7})), data()});
}

TEST_CASE("a WRITE-SHARED needs the acknowledgements of the other holders, and no data") {
  const Copyset holders = nodes({0, kMe, 7});
  check_completes_with_the_last_of(MessageType::write_shared,
                                   {ack(0, GlobalStatus::shared, holders), ack(7, GlobalStatus::shared, holders)});
}

TEST_CASE("a WRITE-SHARED of the only holder, and evictions, need the owner's grant alone") {
  check_completes_with_the_last_of(MessageType::write_shared, {grant(GlobalStatus::shared, nodes({kMe}))});
  check_completes_with_the_last_of(MessageType::evict_shared, {grant(GlobalStatus::shared, nodes({kMe, 4}))});
  check_completes_with_the_last_of(MessageType::evict_modified, {grant(GlobalStatus::modified, nodes({kMe}))});
}

TEST_CASE("data alone complete nothing, for all that is known of who else must answer") {
  for (const auto type : kRequests) {
    CoherenceEvent event = begun(type);
    event.data_landed({kTag, sim::Value{kValue}});
    CHECK_FALSE(event.settled());
  }
}

TEST_CASE("a failed acknowledgement settles an event without completing it") {
  CoherenceEvent event = begun(MessageType::write_shared);
  event.fail();
  CHECK(event.settled());
  CHECK(event.failed());
}

TEST_CASE("an event remembers data, the metadata under its lock, and whether any reply said Modified") {
  CoherenceEvent event = begun(MessageType::read_miss);
  deliver(event, ack(5, GlobalStatus::modified, nodes({5})));
  // Another reader's unlock has turned the block Shared before the retransmission.
  deliver(event, ack(5, GlobalStatus::shared, nodes({5, 6}), true));
  deliver(event, data());
  CHECK(event.data().value == kValue);
  CHECK(event.saw_modified());
  CHECK(event.metadata() == GlobalMetadata{GlobalStatus::shared, nodes({5, 6})});
}

TEST_CASE("a new event knows nothing of the one before it") {
  CoherenceEvent event = begun(MessageType::read_miss);
  deliver(event, ack(5, GlobalStatus::modified, nodes({5})));
  deliver(event, data());
  event.end();
  CHECK_FALSE(event.active());
  event.begin(MessageType::read_miss, kTag, kMe, 2, 0);
  CHECK(event.active());
  CHECK_FALSE(event.settled());
  CHECK_FALSE(event.saw_modified());
  deliver(event, ack(5, GlobalStatus::modified, nodes({5})));
  CHECK_FALSE(event.settled());
}

TEST_CASE("a requester ignores replies and data of an event that is over") {
  flowcc::testing::Setup setup;
  flowcc::testing::FlowCcScript run(setup);
  Requester& requester = run.protocol->node(0).requester(0);
  run.access({0, 0}, run.shared_block(1), false);  // event 1
  sim::Time ended = sim::Time::max();
  run.begin({0, 0}, run.shared_block(2), false, &ended);  // event 2
  while (requester.event().latest_serial == 0 || !requester.event().active()) run.calendar.run_one();
  REQUIRE(requester.event().seq() == 2);

  const auto receive = [&](MessageType type, std::uint64_t seq, std::uint64_t serial) {
    p4::PacketRef packet = run.rack.make_packet(0, kFlowCcPort, 0);
    FlowCcHeader h;
    h.set_type(type);
    h.node_id = 0;
    h.from_home = 1;
    h.seq = seq;
    h.serial = serial;
    packet->push(h);
    requester.on_packet(std::move(packet));
  };
  // A thread notices data a little after they have landed.
  const auto data_noticed = [&](std::uint32_t seq) {
    requester.runner_of(requester.own().number().number()).data_landed(seq, {kTag, sim::Value{kValue}});
    run.advance(setup.flowcc.notice_data_work);
  };
  receive(MessageType::ack, 1, 1);
  data_noticed(1);
  receive(MessageType::failed_ack, 1, 1);
  CHECK_FALSE(requester.event().settled());
  // Rule (ii): one of this event, but not of its latest transmission.
  receive(MessageType::failed_ack, 2, requester.event().latest_serial - 1);
  CHECK_FALSE(requester.event().settled());
  // Only half of what is needed: the data of event 1 did not count.
  receive(MessageType::ack, 2, requester.event().latest_serial);
  CHECK_FALSE(requester.event().settled());
  data_noticed(2);
  CHECK(requester.event().settled());
  run.finish();
  CHECK(run.violations({"data-value", "values-at-rest"}) == "");  // the data were forged
}

}  // namespace coherence_event_test
