// Blocks that come into the switch and leave it (Concordia §5.2.1), packet by packet: what ADD, REMOVE and CLEAR do,
// and a great many of them with requests and unlocks in between, against an obvious reference.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "p4model/fit/placement.hpp"
#include "sim/random/random.hpp"
#include "tests/protocols/flowcc/switch/migrating_switch.hpp"
#include "tests/protocols/flowcc/switch/migration_reference.hpp"

namespace migration_program_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using enum MessageType;
using Action = MigrationReference::Action;

namespace {

constexpr unsigned kHome = 1;
constexpr GlobalMetadata kShared{GlobalStatus::shared, 0b101};

/// Blocks of home 1 that stand at the same index of each way.
std::vector<Tag> colliding(std::size_t count) {
  std::vector<Tag> tags;
  for (std::uint64_t i = 0; tags.size() < count; ++i) {
    const Tag tag(MigratingSwitch::kNodes * i + kHome);
    if (set_index(tag, MigratingSwitch::kEntries) == 0) tags.push_back(tag);
  }
  return tags;
}

/// Packets of the home agent, each as a new event and transmission.
struct Home {
  FlowCcHeader add(Tag tag, GlobalMetadata metadata = kShared) {
    FlowCcHeader h = next(add_to_switch, tag, ++seq);
    h.set_metadata(metadata);
    return h;
  }
  FlowCcHeader remove(Tag tag) { return next(remove_from_switch, tag, ++seq); }
  /// Of the same event as the last REMOVE.
  FlowCcHeader clear(Tag tag) { return next(MessageType::clear, tag, seq); }
  FlowCcHeader again(FlowCcHeader h) {
    h.serial = ++serial;
    return h;
  }
  FlowCcHeader next(MessageType type, Tag tag, std::uint32_t number) {
    return MigratingSwitch::packet(type, tag, kHome, MigratingSwitch::home_agent(kHome), number, ++serial);
  }
  std::uint32_t seq = 0, serial = 0;
};

GlobalMetadata metadata_in(const MigratingSwitch& lcf, Tag tag) {
  const auto way = std::to_string(lcf.ways_of(tag).at(0));
  const auto index = set_index(tag, MigratingSwitch::kEntries);
  return {static_cast<GlobalStatus>(lcf.read("G_STATUS" + way, index)),
          static_cast<Copyset>(lcf.read("COPYSET" + way, index))};
}
std::uint64_t lock_of(const MigratingSwitch& lcf, Tag tag) {
  return lcf.read("LOCK" + std::to_string(lcf.ways_of(tag).at(0)), set_index(tag, MigratingSwitch::kEntries));
}

}  // namespace

TEST_CASE("nine ways of 41,667 blocks that come and go fit Tofino's twelve stages, each packet in two passes") {
  const LcfProgram lcf = make_lcf_program(FlowCcOptions{}, {.migrates = true});
  const p4::Placement placement(*lcf.program, p4::SwitchResources{});
  CHECK(placement.stages_used() == 12);
  REQUIRE(lcf.tag.size() == 9);
  for (std::size_t way = 0; way < 9; ++way) {
    const int stage = placement.stage_of(*lcf.lock[way]);
    CHECK(placement.stage_of(*lcf.status[way]) == stage);
    CHECK(placement.stage_of(*lcf.copyset[way]) == stage);
    CHECK(placement.stage_of(*lcf.tag[way]) == stage - 1);
    CHECK(lcf.tag[way]->size == 41'667);
  }
}

TEST_CASE("ADD puts a block with its metadata into the first free way, and tells the home agent and the shadow node") {
  MigratingSwitch lcf;
  Home home;
  const std::vector<Tag> tags = colliding(4);
  for (unsigned way = 1; way <= 3; ++way) {
    const MigratingPass added = lcf.send(home.add(tags[way - 1], {GlobalStatus::shared, way}));
    CHECK(lcf.ways_of(tags[way - 1]) == std::vector{way});
    CHECK(metadata_in(lcf, tags[way - 1]) == GlobalMetadata{GlobalStatus::shared, way});
    CHECK(lock_of(lcf, tags[way - 1]) == 0);
    REQUIRE(added.left.size() == 2);
    for (const LeftPacket& one : added.left) {
      CHECK(one.header.message_type() == ack);
      CHECK(one.header.is_in_switch == 1);
      CHECK(one.header.tag() == tags[way - 1]);
    }
    CHECK(added.left[0].port == kHome);
    CHECK(added.left[0].udp_port == 1000 + MigratingSwitch::home_agent(kHome));
    CHECK(added.left[1].port == MigratingSwitch::kShadowPort);
    CHECK(added.left[1].udp_port == MigratingSwitch::kShadowQueuePair);
  }
  const MigratingPass collided = lcf.send(home.add(tags[3]));
  CHECK(lcf.ways_of(tags[3]).empty());
  REQUIRE(collided.left.size() == 2);
  for (const LeftPacket& one : collided.left) CHECK(one.header.message_type() == failed_ack);
}

TEST_CASE("a way that has become free is found again, and not taken twice by a repeated ADD") {
  MigratingSwitch lcf;
  Home home;
  const std::vector<Tag> tags = colliding(3);
  lcf.send(home.add(tags[0]));
  const FlowCcHeader added = home.add(tags[1]);
  lcf.send(added);
  lcf.send(home.remove(tags[0]));
  lcf.send(home.clear(tags[0]));
  REQUIRE(lcf.ways_of(tags[0]).empty());
  CHECK(lcf.send(home.again(added)).left.at(0).header.message_type() == ack);
  CHECK(lcf.ways_of(tags[1]) == std::vector{2u});
  lcf.send(home.add(tags[2]));
  CHECK(lcf.ways_of(tags[2]) == std::vector{1u});
}

TEST_CASE("two transmissions of an ADD between each other's passes insert the block once",
          "[claim:concordia-inv-add-atomic]") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0];
  const FlowCcHeader first = home.add(tag), second = home.again(first);
  const MigratingPass one = lcf.pass(first), two = lcf.pass(second);
  REQUIRE(one.resubmit_data);
  REQUIRE(two.resubmit_data);
  lcf.pass(first, one.resubmit_data);
  CHECK(lcf.pass(second, two.resubmit_data).left.at(0).header.message_type() == ack);
  CHECK(lcf.ways_of(tag) == std::vector{1u});
}

TEST_CASE("an ADD that finds its block changes nothing, though the home's metadata are older") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0];
  const FlowCcHeader added = home.add(tag, kShared);
  lcf.send(added);
  lcf.send(MigratingSwitch::packet(write_miss, tag, 1, 2, 1, 1));
  FlowCcHeader unlock = MigratingSwitch::packet(unlock_write, tag, 1, 2, 1, 2);
  unlock.set_metadata({GlobalStatus::modified, 0b010});
  lcf.send(unlock);
  REQUIRE(metadata_in(lcf, tag) == GlobalMetadata{GlobalStatus::modified, 0b010});
  lcf.send(home.again(added));
  CHECK(metadata_in(lcf, tag) == GlobalMetadata{GlobalStatus::modified, 0b010});
}

TEST_CASE("REMOVE waits for whoever holds the lock, and CLEAR gives tag and lock up at once",
          "[claim:concordia-inv-remove-needs-lock]") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0];
  lcf.send(home.add(tag, {GlobalStatus::shared, 0b001}));
  lcf.send(MigratingSwitch::packet(read_miss, tag, 1, 2, 1, 1));
  CHECK(lcf.send(home.remove(tag)).left.at(0).header.message_type() == failed_ack);
  FlowCcHeader unlock = MigratingSwitch::packet(unlock_read, tag, 1, 2, 1, 2);
  unlock.set_metadata({GlobalStatus::shared, 0b010});
  lcf.send(unlock);

  const FlowCcHeader remove = home.remove(tag);
  const MigratingPass removed = lcf.send(remove);
  REQUIRE(removed.left.size() == 1);
  CHECK(removed.left[0].header.message_type() == ack);
  CHECK(removed.left[0].header.metadata() == GlobalMetadata{GlobalStatus::shared, 0b011});
  CHECK(lock_of(lcf, tag) == 0x8000);
  // The answer may be lost: it is given again. Meanwhile the block is locked for all others.
  CHECK(lcf.send(home.again(remove)).left.at(0).header.metadata() == GlobalMetadata{GlobalStatus::shared, 0b011});
  CHECK(lcf.send(MigratingSwitch::packet(read_miss, tag, 2, 4, 1, 1)).left.at(0).header.message_type() == failed_ack);

  const FlowCcHeader clear = home.clear(tag);
  CHECK(lcf.send(clear).left.at(0).header.message_type() == unlock_ack);
  CHECK(lcf.ways_of(tag).empty());
  CHECK(lcf.read("LOCK1", 0) == 0);
  CHECK(lcf.read("SCOREBOARD", 2 * MigratingSwitch::home_agent(kHome) + clear.seq % 2) == 0);
  // What misses is acknowledged, and a REMOVE of what is not here refused.
  CHECK(lcf.send(home.again(clear)).left.at(0).header.message_type() == unlock_ack);
  const MigratingPass absent = lcf.send(home.remove(tag));
  CHECK(absent.left.at(0).header.message_type() == failed_ack);
  CHECK(absent.left.at(0).header.is_in_switch == 0);
}

TEST_CASE("a CLEAR whose home agent does not hold the lock changes nothing",
          "[claim:concordia-inv-remove-needs-lock]") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0];
  lcf.send(home.add(tag));
  home.seq += 1;
  CHECK(lcf.send(home.clear(tag)).left.at(0).header.message_type() == unlock_ack);
  CHECK(lcf.ways_of(tag) == std::vector{1u});
  CHECK(lcf.read("CLEARED", kHome) == 0);
}

TEST_CASE("tags are compared, taken and cleared by both their halves") {
  MigratingSwitch lcf;
  Home home;
  const Tag low = colliding(1)[0];
  Tag high = low;  // the same lower half
  do {
    high = Tag(high.number() + (std::uint64_t{MigratingSwitch::kNodes} << 32));
  } while (set_index(high, MigratingSwitch::kEntries) != 0);
  lcf.send(home.add(low));
  lcf.send(home.add(high));
  CHECK(lcf.ways_of(low) == std::vector{1u});
  CHECK(lcf.ways_of(high) == std::vector{2u});
  lcf.send(home.remove(low));
  lcf.send(home.clear(low));
  CHECK(lcf.ways_of(low).empty());
  CHECK(lcf.ways_of(high) == std::vector{2u});
  // On the wire a tag stands plus one: the lower half of this one is 0, as that of a free entry.
  std::uint64_t upper = 1;
  const auto tag_of = [](std::uint64_t half) { return Tag((half << 32) - 1); };
  while (set_index(tag_of(upper), MigratingSwitch::kEntries) != 0 || MigratingSwitch::home_of(tag_of(upper)) != kHome) {
    ++upper;
  }
  lcf.send(home.add(tag_of(upper)));
  lcf.send(home.add(low));
  CHECK(lcf.ways_of(tag_of(upper)) == std::vector{1u});
  CHECK(lcf.ways_of(low) == std::vector{3u});
}

TEST_CASE("a request that misses is stamped with its home's last CLEAR, and other homes' do not count") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0], other(2);
  REQUIRE(MigratingSwitch::home_of(other) != kHome);
  auto stamp = [&, serial = 0u](Tag of) mutable {
    ++serial;
    return lcf.send(MigratingSwitch::packet(write_miss, of, 2, 4, serial, serial)).left.at(0).header.copyset;
  };
  CHECK(stamp(tag) == 0);
  for (int i = 0; i < 2; ++i) {
    lcf.send(home.add(tag));
    lcf.send(home.remove(tag));
    lcf.send(home.clear(tag));
    CHECK(stamp(tag) == home.seq);
    CHECK(stamp(other) == 0);
  }
}

TEST_CASE("an unlock with score 0 is acknowledged and changes nothing, metadata included") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0];
  lcf.send(home.add(tag, kShared));
  FlowCcHeader unlock = MigratingSwitch::packet(unlock_write, tag, 0, 0, 7, 1);
  unlock.set_metadata({GlobalStatus::modified, 0b010});
  CHECK(lcf.send(unlock).left.at(0).header.message_type() == unlock_ack);
  CHECK(metadata_in(lcf, tag) == kShared);
  CHECK(lock_of(lcf, tag) == 0);
}

TEST_CASE("an unlock whose lock was at home leaves the score that the next event of its parity has taken meanwhile") {
  MigratingSwitch lcf;
  Home home;
  const std::vector<Tag> tags = colliding(2);
  lcf.send(home.add(tags[0], {}));
  lcf.send(home.add(tags[1], {}));
  // Its event was over when the block came into the switch; this is one transmission more.
  const MigratingPass first = lcf.pass(MigratingSwitch::packet(unlock_write, tags[0], 0, 0, 1, 10));
  REQUIRE(first.resubmit_data == std::optional<std::uint64_t>(0));
  lcf.send(MigratingSwitch::packet(write_miss, tags[1], 0, 0, 3, 11));
  CHECK(lcf.read("SCOREBOARD", 1) == 1);
  lcf.pass(MigratingSwitch::packet(unlock_write, tags[0], 0, 0, 1, 10), first.resubmit_data);
  CHECK(lcf.read("SCOREBOARD", 1) == 1);
  lcf.send(MigratingSwitch::packet(unlock_write, tags[1], 0, 0, 3, 12));
  CHECK(lock_of(lcf, tags[1]) == 0);
}

// Found by `racksim explore flowcc-migration`.
TEST_CASE("an unlock that has been executed leaves the score that the next event of its parity has taken meanwhile") {
  MigratingSwitch lcf;
  Home home;
  const Tag tag = colliding(1)[0];
  lcf.send(home.add(tag, {}));
  lcf.send(MigratingSwitch::packet(write_miss, tag, 0, 0, 1, 1));
  FlowCcHeader unlock = MigratingSwitch::packet(unlock_write, tag, 0, 0, 1, 2), again = unlock;
  again.serial = 3;
  const MigratingPass first = lcf.pass(unlock), second = lcf.pass(again);
  REQUIRE(second.resubmit_data == std::optional<std::uint64_t>(1));
  lcf.pass(unlock, first.resubmit_data);
  lcf.send(MigratingSwitch::packet(write_miss, tag, 0, 0, 3, 4));
  CHECK(lcf.pass(again, second.resubmit_data).left.at(0).header.message_type() == unlock_ack);
  CHECK(lcf.read("SCOREBOARD", 1) == 1);
  lcf.send(MigratingSwitch::packet(unlock_write, tag, 0, 0, 3, 5));
  CHECK(lock_of(lcf, tag) == 0);
}

namespace {

/// Threads and home agents that follow the rules, on a network that doubles, delays and loses what they send; every
/// pass is compared with the reference.
class Traffic {
  const FlowCcOptions options_ = MigratingSwitch::options();  // which the reference looks at

 public:
  explicit Traffic(std::uint64_t seed)
      : reference(options_, MigratingSwitch::kThreads + MigratingSwitch::kNodes, MigratingSwitch::kNodes),
        random_(seed, "migrations") {
    for (unsigned number = 0; number < MigratingSwitch::kThreads + MigratingSwitch::kNodes; ++number) {
      const bool home = number >= MigratingSwitch::kThreads;
      actors_.push_back({.number = number, .node = home ? number - MigratingSwitch::kThreads : number / 2});
    }
  }

  void step() {
    if (!resubmitted_.empty() && random_.chance(0.5)) {
      const auto [h, data] = resubmitted_.front();
      resubmitted_.pop_front();
      compare(h, lcf.pass(h, data), reference.second_pass(h, data, MigratingSwitch::home_of(h.tag())));
    } else if (!flying_.empty() && random_.chance(0.6)) {
      const std::size_t which = random_.below(flying_.size());
      const FlowCcHeader h = flying_[which];
      flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(which));
      if (random_.chance(0.1)) return;  // lost
      if (random_.chance(0.1)) flying_.push_back(h);
      compare(h, lcf.pass(h), reference.first_pass(h, MigratingSwitch::home_of(h.tag())));
    } else {
      act(actors_[random_.below(actors_.size())]);
    }
  }

  MigratingSwitch lcf;
  MigrationReference reference;
  std::map<MessageType, std::uint64_t> answers;
  std::uint64_t moves_in = 0, moves_out = 0, stamped = 0, shadow = 0;

 private:
  struct Actor {
    unsigned number, node;
    std::uint32_t seq = 0, serial = 0;
    MessageType sent = none;  // what it waits for an answer to
    FlowCcHeader last{};
  };

  void transmit(Actor& actor) {
    actor.last.serial = ++actor.serial;
    flying_.push_back(actor.last);
  }
  void begin(Actor& actor, MessageType type, Tag tag, bool new_event) {
    if (new_event) ++actor.seq;
    actor.sent = type;
    actor.last = MigratingSwitch::packet(type, tag, actor.node, actor.number, actor.seq, 0);
    if (type == unlock_read)
      actor.last.set_metadata({GlobalStatus::shared, node_bit(static_cast<models::NodeId>(actor.node))});
    if (type == unlock_write || type == add_to_switch) actor.last.set_metadata(any_metadata());
    transmit(actor);
  }
  GlobalMetadata any_metadata() {
    const auto status = static_cast<GlobalStatus>(random_.below(3));
    if (status == GlobalStatus::unshared) return {};
    if (status == GlobalStatus::modified) return {status, Copyset{1} << random_.below(MigratingSwitch::kNodes)};
    return {status, static_cast<Copyset>(1 + random_.below((1 << MigratingSwitch::kNodes) - 1))};
  }
  void act(Actor& actor) {
    if (actor.sent != none) return transmit(actor);  // a timeout
    const bool home = actor.number >= MigratingSwitch::kThreads;
    const Tag tag(home ? MigratingSwitch::kNodes * random_.below(4) + actor.node : random_.below(12));
    if (!home) return begin(actor, kRequests[random_.below(kRequests.size())], tag, true);
    const bool here = reference.lcf.blocks.count(tag) != 0;
    begin(actor, here != random_.chance(0.1) ? remove_from_switch : add_to_switch, tag, true);
  }

  void compare(const FlowCcHeader& h, const MigratingPass& result, const MigrationReference::Outcome& expected) {
    Actor& actor = actors_[h.requester];
    switch (expected.action) {
      case Action::drop:
        REQUIRE(result.dropped());
        break;
      case Action::resubmit:
        REQUIRE(result.resubmit_data == std::optional(expected.resubmit_data));
        resubmitted_.push_back({h, expected.resubmit_data});
        break;
      case Action::to_owner_home:
        REQUIRE(result.left.size() == 1);
        REQUIRE(result.left[0].port == MigratingSwitch::home_of(h.tag()));
        REQUIRE(result.left[0].header.is_in_switch == 0);
        REQUIRE(result.left[0].header.copyset == (expected.stamp ? *expected.stamp : h.copyset));
        if (expected.stamp && *expected.stamp != 0) ++stamped;
        served_at_home(actor, h);
        break;
      case Action::reply:
        REQUIRE(result.left.size() == 1);
        REQUIRE(result.left[0].port == h.node_id);
        check_answer(result.left[0].header, h, expected);
        answered(actor, h, expected.type);
        break;
      case Action::home_and_shadow:
        REQUIRE(result.left.size() == 2);
        REQUIRE(result.left[1].port == MigratingSwitch::kShadowPort);
        for (const LeftPacket& one : result.left) check_answer(one.header, h, expected);
        ++shadow;
        answered(actor, h, expected.type);
        break;
      case Action::passed_to_the_nodes:
        REQUIRE_FALSE(result.left.empty());
        answered(actor, h, ack);
        break;
    }
    check_arrays();
  }
  // The home has granted the request, or refused it; an unlock that it has executed may be sent once more, for the
  // block to be the switch's by then.
  void served_at_home(Actor& actor, const FlowCcHeader& h) {
    if (actor.sent != h.message_type() || actor.seq != h.seq) return;
    const MessageType done = std::exchange(actor.sent, none);
    if (!is_request(done)) {
      if (random_.chance(0.5)) transmit(actor);
    } else if (random_.chance(0.7)) {
      begin(actor, takes_read_lock(done) ? unlock_read : unlock_write, h.tag(), false);
    }
  }
  static void check_answer(const FlowCcHeader& answer, const FlowCcHeader& h,
                           const MigrationReference::Outcome& expected) {
    REQUIRE(answer.message_type() == expected.type);
    REQUIRE(answer.tag() == h.tag());
    REQUIRE(answer.seq == h.seq);
    REQUIRE(answer.serial == h.serial);
    if (expected.metadata) REQUIRE(answer.metadata() == *expected.metadata);
  }

  // Failed ones count if they answer the latest transmission.
  void answered(Actor& actor, const FlowCcHeader& h, MessageType type) {
    if (random_.chance(0.1) || actor.sent != h.message_type() || actor.seq != h.seq) return;
    ++answers[type];
    if (type == failed_ack && h.serial != actor.serial) return;
    const MessageType done = actor.sent;
    actor.sent = none;
    if (type == failed_ack) return;
    if (done == add_to_switch) ++moves_in;
    if (done == MessageType::clear) ++moves_out;
    if (done == remove_from_switch) return begin(actor, MessageType::clear, h.tag(), false);
    if (is_request(done)) begin(actor, takes_read_lock(done) ? unlock_read : unlock_write, h.tag(), false);
  }

  void check_arrays() {
    std::set<Tag> seen;
    for (std::uint64_t index = 0; index < MigratingSwitch::kEntries; ++index) {
      for (unsigned way = 1; way <= MigratingSwitch::kWays; ++way) {
        const auto w = std::to_string(way);
        const std::optional<Tag>& place = reference.places[index][way - 1];
        REQUIRE(lcf.read("TAG" + w, index) == (place ? *place + 1 : 0));
        if (!place) {
          REQUIRE(lcf.read("LOCK" + w, index) == 0);
          continue;
        }
        REQUIRE(seen.insert(*place).second);  // in one way at most
        const LcfReference::Block& block = reference.lcf.blocks.at(*place);
        REQUIRE(lcf.read("LOCK" + w, index) == block.lock);
        REQUIRE(lcf.read("G_STATUS" + w, index) == static_cast<std::uint64_t>(block.metadata.status));
        REQUIRE(lcf.read("COPYSET" + w, index) == block.metadata.copyset);
      }
    }
    for (std::size_t i = 0; i < reference.lcf.requesters.size(); ++i) {
      const auto& r = reference.lcf.requesters[i];
      REQUIRE(lcf.read("SERIAL", i) == r.serial);
      REQUIRE(lcf.read("LAST_UNLOCK", i) == r.last_unlock);
      REQUIRE(lcf.read("SCOREBOARD", 2 * i) == r.score[0]);
      REQUIRE(lcf.read("SCOREBOARD", 2 * i + 1) == r.score[1]);
    }
    for (unsigned home = 0; home < MigratingSwitch::kNodes; ++home) {
      REQUIRE(lcf.read("CLEARED", home) == reference.cleared[home]);
    }
  }

  sim::RandomStream random_;
  std::vector<Actor> actors_;
  std::vector<FlowCcHeader> flying_;
  std::deque<std::pair<FlowCcHeader, std::uint64_t>> resubmitted_;
};

}  // namespace

TEST_CASE("the pipeline does what the rules of migration say, over 200,000 steps with loss, copies and delays",
          "[claim:concordia-inv-add-atomic]") {
  Traffic traffic(GENERATE(1u, 2u));
  for (int i = 0; i < 100'000; ++i) traffic.step();
  CHECK(traffic.moves_in > 500);
  CHECK(traffic.moves_out > 500);
  CHECK(traffic.stamped > 500);
  CHECK(traffic.shadow > 1000);
  for (const MessageType type : {ack, failed_ack, unlock_ack}) CHECK(traffic.answers[type] > 1000);
}

}  // namespace migration_program_test
