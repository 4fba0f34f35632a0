// Tables 2 and 3 of Concordia row by row, and the choice of a data provider, as the switch program executes them.
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "tests/protocols/flowcc/switch/lcf_switch.hpp"

namespace lcf_tables_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using enum MessageType;
using enum GlobalStatus;

namespace {

constexpr models::NodeId kMe = 3;
constexpr Copyset kOther = node_bit(1), kOthers = node_bit(0) | node_bit(1) | node_bit(6), kMine = node_bit(kMe);

enum class Goes : std::uint8_t { nowhere, home, one_provider, all_with_provider, others, back };
struct Row {
  MessageType type;
  GlobalStatus status;
  Copyset copyset;
  Goes goes;
};

// Table 2 says which rows go nowhere, Table 3 (with footnote 4) where the others go.
const Row kRows[] = {
    {read_miss, unshared, 0, Goes::home},
    {read_miss, shared, kOther, Goes::one_provider},
    {read_miss, shared, kOthers, Goes::one_provider},
    {read_miss, modified, kOther, Goes::one_provider},
    {read_miss, shared, kMine, Goes::nowhere},
    {read_miss, shared, kMine | kOthers, Goes::nowhere},
    {read_miss, modified, kMine, Goes::nowhere},
    {write_miss, unshared, 0, Goes::home},
    {write_miss, shared, kOther, Goes::all_with_provider},
    {write_miss, shared, kOthers, Goes::all_with_provider},
    {write_miss, modified, kOther, Goes::all_with_provider},
    {write_miss, shared, kMine, Goes::nowhere},
    {write_miss, shared, kMine | kOthers, Goes::nowhere},
    {write_miss, modified, kMine, Goes::nowhere},
    {write_shared, unshared, 0, Goes::nowhere},
    {write_shared, shared, kMine, Goes::back},
    {write_shared, shared, kMine | kOthers, Goes::others},
    {write_shared, shared, kOthers, Goes::nowhere},
    {write_shared, modified, kOther, Goes::nowhere},
    {write_shared, modified, kMine, Goes::nowhere},
    {evict_shared, unshared, 0, Goes::nowhere},
    {evict_shared, shared, kMine, Goes::back},
    {evict_shared, shared, kMine | kOthers, Goes::back},
    {evict_shared, shared, kOthers, Goes::nowhere},
    {evict_shared, modified, kOther, Goes::nowhere},
    {evict_shared, modified, kMine, Goes::nowhere},
    {evict_modified, unshared, 0, Goes::nowhere},
    {evict_modified, shared, kMine, Goes::nowhere},
    {evict_modified, shared, kMine | kOthers, Goes::nowhere},
    {evict_modified, shared, kOthers, Goes::nowhere},
    {evict_modified, modified, kOther, Goes::nowhere},
    {evict_modified, modified, kMine, Goes::back},
};

Setup rack(std::uint64_t nodes) {
  Setup setup;
  setup.rack.nodes = nodes;
  setup.micro.threads = 1;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = nodes * 4096;
  return setup;
}

// A block whose home is node 2, neither requester nor holder.
Tag block(LcfSwitch& lcf) {
  return lcf.run.protocol->block_of(lcf.run.shared_block(2));
}

Copyset nodes_of(const PassResult& result) {
  Copyset nodes = 0;
  for (const Sent& sent : result.sent) nodes |= node_bit(sent.node);
  return nodes;
}
std::vector<models::NodeId> providers_of(const PassResult& result) {
  std::vector<models::NodeId> nodes;
  for (const Sent& sent : result.sent) {
    if (sent.header.is_data_provider != 0) nodes.push_back(sent.node);
  }
  return nodes;
}

}  // namespace

TEST_CASE("the check and forward tables decide as Tables 2 and 3 do",
          "[claim:concordia-inv-multicast-holders][claim:concordia-inv-check-in-switch]") {
  for (const Row& row : kRows) {
    LcfSwitch lcf(rack(8));
    const Tag tag = block(lcf);
    lcf.set_metadata(tag, {row.status, row.copyset});
    const FlowCcHeader h = lcf.packet(row.type, tag, kMe, kMe, 1, 1);
    const PassResult result = lcf.pass(h);
    INFO(to_string(row.type) << ", " << to_string(row.status) << ", copyset " << row.copyset);
    const std::uint64_t held = row.type == read_miss ? 1 : 0x8000;
    CHECK(lcf.lock(tag) == held);
    if (row.goes == Goes::nowhere) {
      REQUIRE(result.resubmit);
      const PassResult failed = lcf.pass(h, result.resubmit_data);
      REQUIRE(failed.sent.size() == 1);
      CHECK(failed.sent[0].node == kMe);
      CHECK(failed.sent[0].header.message_type() == failed_ack);
      CHECK(lcf.lock(tag) == 0);
      CHECK(lcf.read("SCOREBOARD", 2 * kMe + 1) == 0);
      continue;
    }
    CHECK_FALSE(result.resubmit);
    CHECK(lcf.read("SCOREBOARD", 2 * kMe + 1) == 1);
    const bool answered = row.goes == Goes::back;
    for (const Sent& sent : result.sent) {
      CHECK(sent.header.message_type() == (answered ? ack : row.type));
      CHECK(sent.header.metadata() == GlobalMetadata{row.status, row.copyset});
      CHECK(sent.header.is_in_switch == 1);
    }
    const Copyset to = nodes_of(result);
    const std::size_t flagged = providers_of(result).size();
    switch (row.goes) {
      case Goes::home:
        CHECK((to == node_bit(2) && flagged == 0));
        break;
      case Goes::one_provider:
        CHECK((result.sent.size() == 1 && (to & row.copyset) == to && flagged == 1));
        break;
      case Goes::all_with_provider:
        CHECK((to == row.copyset && flagged == 1));
        break;
      case Goes::others:
        CHECK((to == (row.copyset & ~kMine) && flagged == 0));
        break;
      default:
        CHECK((to == kMine && flagged == 0));
        break;
    }
  }
}

TEST_CASE("a retransmitted READ-MISS of a Shared block goes to all holders, of a Modified one to its owner") {
  LcfSwitch lcf(rack(8));
  const Tag tag = block(lcf);
  for (const auto& [status, copyset] : {GlobalMetadata{shared, kOthers}, GlobalMetadata{modified, kOther}}) {
    lcf.set_metadata(tag, {status, copyset});
    static std::uint32_t serial = 0;
    FlowCcHeader h = lcf.packet(read_miss, tag, kMe, kMe, 1, ++serial);
    const auto first = providers_of(lcf.pass(h));
    h.retransmitted = 1;
    h.serial = ++serial;
    const PassResult again = lcf.pass(h);
    CHECK(nodes_of(again) == copyset);
    CHECK(providers_of(again) == first);
  }
}

TEST_CASE("retransmissions pick the same data provider, and sequence numbers spread over the holders",
          "[claim:concordia-inv-one-provider]") {
  constexpr int kEvents = 128;
  LcfSwitch lcf(rack(8));
  const Tag tag = block(lcf);
  const Copyset requester = node_bit(kMe);
  for (Copyset holders = 1; holders < 256; ++holders) {
    if ((holders & requester) != 0) continue;
    lcf.set_metadata(tag, {shared, holders});
    std::map<models::NodeId, int> picked;
    static std::uint32_t seq = 0, serial = 0;
    for (int event = 0; event < kEvents; ++event) {
      ++seq;
      const auto once = providers_of(lcf.pass(lcf.packet(write_miss, tag, kMe, kMe, seq, ++serial)));
      const auto again = providers_of(lcf.pass(lcf.packet(write_miss, tag, kMe, kMe, seq, ++serial)));
      REQUIRE(once.size() == 1);
      REQUIRE(once == again);
      ++picked[once.front()];
      const PassResult unlock = lcf.pass(lcf.packet(unlock_write, tag, kMe, kMe, seq, ++serial));
      REQUIRE(unlock.resubmit);
      FlowCcHeader h = lcf.packet(unlock_write, tag, kMe, kMe, seq, serial);
      h.set_metadata({shared, holders});
      lcf.pass(h, unlock.resubmit_data);
    }
    // As at random: each of k holders is picked about kEvents / k times.
    const int k = __builtin_popcount(holders);
    REQUIRE(picked.size() == static_cast<std::size_t>(k));
    for (const auto& [node, times] : picked) {
      REQUIRE(times * k <= 2 * kEvents);
      REQUIRE(times * k >= kEvents / 3);
    }
  }
}

TEST_CASE("Figure 8: a read lock taken twice by a retransmission is returned by one unlock",
          "[claim:concordia-inv-retransmit-lock][claim:concordia-inv-dup-unlock]") {
  LcfSwitch lcf(rack(8));
  const Tag tag = block(lcf);
  lcf.pass(lcf.packet(read_miss, tag, kMe, kMe, 1, 1));  // (b)
  CHECK(lcf.lock(tag) == 1);
  CHECK(lcf.read("SCOREBOARD", 2 * kMe + 1) == 1);
  const PassResult again = lcf.pass(lcf.packet(read_miss, tag, kMe, kMe, 1, 2));  // (c)
  CHECK(lcf.lock(tag) == 2);
  CHECK(lcf.read("SCOREBOARD", 2 * kMe + 1) == 2);
  CHECK(nodes_of(again) == node_bit(2));
  FlowCcHeader unlock = lcf.packet(unlock_read, tag, kMe, kMe, 1, 3);  // (d)
  unlock.set_metadata({shared, kMine});
  const PassResult first = lcf.pass(unlock);
  REQUIRE(first.resubmit);
  CHECK(first.resubmit_data == 2);
  for (int time = 0; time < 2; ++time) {  // a repetition changes nothing, and is acknowledged
    const PassResult second = lcf.pass(unlock, first.resubmit_data);
    REQUIRE(second.sent.size() == 1);
    CHECK(second.sent[0].node == kMe);
    CHECK(second.sent[0].header.message_type() == unlock_ack);
    CHECK(lcf.lock(tag) == 0);
    CHECK(lcf.read("SCOREBOARD", 2 * kMe + 1) == 0);
    CHECK(lcf.read("LAST_UNLOCK", kMe) == 1);
    CHECK(lcf.metadata(tag) == GlobalMetadata{shared, kMine});
  }
}

TEST_CASE("unlocks of concurrent readers join their copysets, a writer's replaces it",
          "[claim:concordia-inv-unlock-union]") {
  LcfSwitch lcf(rack(8));
  const Tag tag = block(lcf);
  lcf.set_metadata(tag, {shared, kOther});
  std::uint32_t serial = 0;
  const auto unlock = [&](MessageType type, models::NodeId node, std::uint32_t seq, GlobalMetadata metadata) {
    FlowCcHeader h = lcf.packet(type, tag, node, node, seq, ++serial);
    h.set_metadata(metadata);
    lcf.pass(h, lcf.pass(h).resubmit_data);
  };
  for (const models::NodeId node : {3, 4}) lcf.pass(lcf.packet(read_miss, tag, node, node, 1, ++serial));
  CHECK(lcf.lock(tag) == 2);
  for (const models::NodeId node : {3, 4}) unlock(unlock_read, node, 1, {shared, kOther | node_bit(node)});
  CHECK(lcf.lock(tag) == 0);
  CHECK(lcf.metadata(tag) == GlobalMetadata{shared, kOther | node_bit(3) | node_bit(4)});
  lcf.pass(lcf.packet(write_shared, tag, 4, 4, 2, ++serial));
  CHECK(lcf.lock(tag) == 0x8000);
  unlock(unlock_write, 4, 2, {modified, node_bit(4)});
  CHECK(lcf.lock(tag) == 0);
  CHECK(lcf.metadata(tag) == GlobalMetadata{modified, node_bit(4)});
}

}  // namespace lcf_tables_test
