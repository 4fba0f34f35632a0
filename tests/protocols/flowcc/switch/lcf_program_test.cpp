// The LCF program against an obvious reference of Concordia §5.1.1 and §5.3.2, packet by packet.
#include "protocols/flowcc/switch/lcf_program.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <tuple>

#include "tests/protocols/flowcc/switch/lcf_reference.hpp"
#include "tests/protocols/flowcc/switch/lcf_traffic.hpp"

namespace lcf_program_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Action = LcfReference::Action;

namespace {

bool equal(FlowCcHeader a, const FlowCcHeader& b) {
  a.provider = b.provider;  // the switch's own, from ingress to egress
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Runs traffic through switch and reference and compares all that can be seen of both after every pass.
class Comparison {
 public:
  Comparison(const Setup& setup, std::uint64_t seed)
      : lcf(setup),
        reference(lcf.run.setup.flowcc, static_cast<unsigned>(setup.rack.nodes) * setup.micro.threads_per_node()),
        traffic(lcf, tags(), seed),
        random_(seed, "interleaving") {
    for (const Tag tag : tags()) {
      if (lcf.way_of(tag) != 0) reference.blocks[tag] = {};
    }
    for (unsigned way = 1; way <= setup.flowcc.ways; ++way) {
      const p4::RegisterFile& registers = lcf.pipeline.registers();
      const auto array = [&](const char* name) { return registers.array(name + std::to_string(way)); };
      arrays_.push_back({array("LOCK"), array("G_STATUS"), array("COPYSET")});
    }
  }

  // Blocks that find a way, blocks that do not, and one that was never declared shared.
  std::vector<Tag> tags() const {
    std::vector<Tag> tags;
    for (std::uint64_t i = 0; i < 14; ++i) tags.push_back(lcf.run.protocol->block_of(lcf.run.shared_block(i)));
    tags.push_back(12345);
    return tags;
  }

  // One packet, or the second pass of one that waits for it.
  void step(bool begin) {
    if (!resubmitted_.empty() && random_.chance(0.5)) {
      const auto [packet, data] = resubmitted_.front();
      resubmitted_.pop_front();
      compare(packet, lcf.pass(packet, data), reference.second_pass(packet, data));
    } else if (const auto packet = traffic.next(begin)) {
      compare(*packet, lcf.pass(*packet), reference.first_pass(*packet));
    }
  }
  bool at_rest() const { return resubmitted_.empty() && traffic.at_rest(); }

  void compare(const FlowCcHeader& packet, const PassResult& result, const LcfReference::Outcome& expected) {
    ++seen[expected.action];
    const auto home = lcf.run.protocol->home_of(packet.tag());
    const auto requester = static_cast<models::NodeId>(packet.node_id);
    FlowCcHeader h = packet;
    if (expected.metadata) h.set_metadata(*expected.metadata);
    switch (expected.action) {
      case Action::drop:
        REQUIRE(result.dropped());
        break;
      case Action::resubmit:
        REQUIRE(result.resubmit);
        REQUIRE(result.resubmit_data == expected.resubmit_data);
        resubmitted_.push_back({packet, expected.resubmit_data});
        break;
      case Action::to_owner_home:
        check_sent(result, node_bit(home), h, Receiver::home_agent, 0);
        break;
      case Action::reply:
        h.set_type(expected.type);
        h.is_in_switch = 1;
        h.lost_race = expected.lost_race;
        check_sent(result, node_bit(requester), h, Receiver::requester, 0);
        ++replies[expected.type];
        break;
      case Action::to_home:
        h.is_in_switch = 1;
        check_sent(result, node_bit(home), h, Receiver::home_agent, 0);
        break;
      case Action::to_one_of_holders:
        h.is_in_switch = 1;
        REQUIRE(result.sent.size() == 1);
        REQUIRE((node_bit(result.sent[0].node) & expected.receivers) != 0);
        check_sent(result, node_bit(result.sent[0].node), h, Receiver::cache_agent, 1);
        break;
      case Action::to_all_receivers:
      case Action::to_all_receivers_unflagged:
        h.is_in_switch = 1;
        check_sent(result, expected.receivers, h, Receiver::cache_agent, expected.action == Action::to_all_receivers);
        break;
    }
    // A packet without retransmission is the same to the provider of its event.
    for (const Sent& sent : result.sent) {
      if (sent.header.is_data_provider == 0) continue;
      const auto event = std::make_tuple(packet.requester, packet.seq, sent.header.copyset);
      REQUIRE(providers_.emplace(event, sent.node).first->second == sent.node);
    }
    check_registers();
    for (const Sent& sent : result.sent) traffic.receive(sent.header);
  }

  // `h` went to these nodes and nobody else, addressed to them, with `providers` of the copies flagged.
  void check_sent(const PassResult& result, Copyset nodes, FlowCcHeader h, Receiver receiver, unsigned providers) {
    REQUIRE_FALSE(result.resubmit);
    h.receiver = static_cast<std::uint64_t>(receiver);
    Copyset reached = 0;
    unsigned flagged = 0;
    for (const Sent& sent : result.sent) {
      REQUIRE((reached & node_bit(sent.node)) == 0);
      reached |= node_bit(sent.node);
      flagged += static_cast<unsigned>(sent.header.is_data_provider);
      h.is_data_provider = sent.header.is_data_provider;
      REQUIRE(equal(h, sent.header));
      REQUIRE(sent.mac == models::mac_of(sent.node));
      REQUIRE(sent.ip == models::ipv4_of(sent.node));
      REQUIRE(sent.udp_port == (receiver == Receiver::requester ? h.reply_qp : lcf.queue_pair(sent.node, receiver)));
    }
    REQUIRE(reached == nodes);
    REQUIRE(flagged == providers);
  }

  void check_registers() {
    const p4::RegisterFile& registers = lcf.pipeline.registers();
    for (const auto& [tag, block] : reference.blocks) {
      const auto& way = arrays_[lcf_way(tag) - 1];
      const auto index = set_index(tag, lcf.run.setup.flowcc.entries_per_way);
      REQUIRE(registers.read(way[0], index) == block.lock);
      REQUIRE(registers.read(way[1], index) == static_cast<std::uint64_t>(block.metadata.status));
      REQUIRE(registers.read(way[2], index) == block.metadata.copyset);
    }
    const FlowCcOptions& options = lcf.run.setup.flowcc;
    for (std::size_t i = 0; i < reference.requesters.size(); ++i) {
      const auto& r = reference.requesters[i];
      if (options.idempotence == FlowCcOptions::Idempotence::safe) REQUIRE(lcf.read("SERIAL", i) == r.serial);
      if (options.last_unlock) REQUIRE(lcf.read("LAST_UNLOCK", i) == r.last_unlock);
      if (!options.scoreboard) continue;
      REQUIRE(lcf.read("SCOREBOARD", 2 * i) == r.score[0]);
      REQUIRE(lcf.read("SCOREBOARD", 2 * i + 1) == r.score[1]);
    }
  }
  unsigned lcf_way(Tag tag) {
    const auto [at, added] = ways_.emplace(tag, 0);
    if (added) at->second = lcf.way_of(tag);
    return at->second;
  }

  LcfSwitch lcf;
  LcfReference reference;
  LcfTraffic traffic;
  std::map<Action, std::uint64_t> seen;
  std::map<MessageType, std::uint64_t> replies;

 private:
  sim::RandomStream random_;
  std::deque<std::pair<FlowCcHeader, std::uint64_t>> resubmitted_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, models::NodeId> providers_;
  std::vector<std::array<std::uint32_t, 3>> arrays_;
  std::map<Tag, unsigned> ways_;
};

Setup few_blocks() {
  Setup setup;
  setup.rack.nodes = 5;
  setup.micro.threads = 2;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = 15 * 4096;
  setup.flowcc.entries_per_way = 1;  // nine blocks, one a way; the others stay at their homes
  return setup;
}

}  // namespace

TEST_CASE("the LCF pipeline does what the paper's text says, over 150,000 packets") {
  Comparison comparison(few_blocks(), 1);
  REQUIRE(comparison.reference.blocks.size() == 9);
  for (int i = 0; i < 150'000; ++i) comparison.step(true);
  // Nothing above was vacuous.
  for (const Action action :
       {Action::drop, Action::resubmit, Action::to_owner_home, Action::to_home, Action::to_one_of_holders,
        Action::to_all_receivers, Action::to_all_receivers_unflagged}) {
    INFO(static_cast<int>(action));
    CHECK(comparison.seen[action] > 500);
  }
  for (const auto type : {MessageType::ack, MessageType::failed_ack, MessageType::unlock_ack}) {
    CHECK(comparison.replies[type] > 500);
  }
  // When requesters that follow the rules have come to rest, no lock and no score is left.
  for (int i = 0; i < 100'000 && !comparison.at_rest(); ++i) comparison.step(false);
  REQUIRE(comparison.at_rest());
  for (const auto& [tag, block] : comparison.reference.blocks) CHECK(block.lock == 0);
  for (const auto& requester : comparison.reference.requesters)
    CHECK(requester.score == std::array<std::uint16_t, 2>{});
  CHECK(comparison.lcf.run.protocol->switch_owner().held_locks().empty());
}

// "Otherwise nothing changes" (§5.3.2): not the score either, of which the next event but one may have made its own.
TEST_CASE("an unlock that comes again after the next event of its parity has its lock does not take the score away",
          "[claim:concordia-inv-dup-unlock]") {
  LcfSwitch lcf(few_blocks());
  Tag tag = 0;
  for (unsigned block = 0; lcf.way_of(tag) == 0; ++block) tag = lcf.run.protocol->block_of(lcf.run.shared_block(block));
  const auto send = [&](MessageType type, std::uint32_t seq, std::uint32_t serial) {
    const FlowCcHeader h = lcf.packet(type, tag, 1, 2, seq, serial);
    const PassResult pass = lcf.pass(h);
    if (pass.resubmit) lcf.pass(h, pass.resubmit_data);
  };
  lcf.set_metadata(tag, {});
  send(MessageType::write_miss, 1, 1);
  const FlowCcHeader unlock = lcf.packet(MessageType::unlock_write, tag, 1, 2, 1, 2),
                     again = lcf.packet(MessageType::unlock_write, tag, 1, 2, 1, 3);
  const PassResult first = lcf.pass(unlock), second = lcf.pass(again);
  lcf.pass(unlock, first.resubmit_data);
  send(MessageType::write_miss, 3, 4);
  REQUIRE(lcf.lock(tag) == 0x8000);
  lcf.pass(again, second.resubmit_data);
  CHECK(lcf.read("SCOREBOARD", 2 * 2 + 1) == 1);
  send(MessageType::unlock_write, 3, 5);
  CHECK(lcf.lock(tag) == 0);
}

TEST_CASE("the LCF pipeline does what the paper's text says under the printed rules and without its mechanisms") {
  Setup paper = few_blocks(), no_scoreboard = few_blocks(), no_last_unlock = few_blocks();
  paper.flowcc.idempotence = FlowCcOptions::Idempotence::paper;
  no_scoreboard.flowcc.scoreboard = false;
  no_last_unlock.flowcc.last_unlock = false;
  for (const Setup& setup : {paper, no_scoreboard, no_last_unlock}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      // Locks leak sooner or later, so many short runs see more than a long one.
      Comparison comparison(setup, seed);
      for (int i = 0; i < 1'000; ++i) comparison.step(true);
    }
  }
}

}  // namespace lcf_program_test
