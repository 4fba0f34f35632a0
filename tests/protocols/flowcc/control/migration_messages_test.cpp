// Each message of a migration, and requests and unlocks that are under way when their block moves, lost, doubled, or
// late by a whole ADD and REMOVE, one at a time on wires that are otherwise perfect (Concordia §5.2.1, §5.3).
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace migration_messages_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Effect = models::TargetedFault::Effect;

namespace {

constexpr models::NodeId kHome = 0, kLast = 3, kUser = 2;  // `kLast` is the last to write in `heat`

/// One shared block a node; nothing moves unless the test says so.
Setup by_hand() {
  Setup setup;
  setup.rack.nodes = 5;
  setup.micro.threads = 1;
  setup.micro.shared_bytes = 4 * 4096;
  setup.flowcc.ownership = FlowCcOptions::Ownership::migrating;
  setup.flowcc.ways = 2;
  setup.flowcc.entries_per_way = 1;
  setup.flowcc.migration.epoch = 5'000_ms;
  return setup;
}

/// A packet of one kind on one wire of a node, and what becomes of it.
struct Mishap {
  bool to_switch;
  models::NodeId node;
  MessageType type;
  Effect effect = Effect::drop;
  sim::Duration delay{};
  std::uint64_t first = 1;  ///< the first, second, ... of its kind
};

/// Nodes 1 to 3 use the block of home 0, which the test has moved.
class Moves : public FlowCcScript {
 public:
  explicit Moves(const Setup& s) : FlowCcScript(s), tag(protocol->block_of(shared_block(kHome))) {}

  void has(const Mishap& mishap) {
    models::TargetedFault fault;
    fault.match.header = "flowcc";
    fault.match.fields = {{"type", static_cast<std::uint64_t>(mishap.type)}};
    fault.effect = mishap.effect;
    fault.first = mishap.first;
    fault.delay = mishap.delay;
    fault.from = calendar.now();
    (mishap.to_switch ? rack.uplink(mishap.node) : rack.downlink(mishap.node)).add_targeted_fault(fault);
  }

  /// Begins an access. What a read returns must be what was last written, if nothing was under way beside either.
  void use(models::NodeId node, bool write, sim::Duration length = 60_us) {
    spawn(perform({node, 0}, write), node);
    advance(length);
  }
  /// Has agents addressed, so that the block is hot.
  void heat() {
    for (const models::NodeId node : {3, 1, 2, 3}) use(node, true);
  }
  /// The epoch ends, and the block goes if it is hot and not locked.
  void give(sim::Duration length = 60_us) {
    home().epoch_over();
    advance(length);
  }
  /// The shadow node would have it back.
  void take(sim::Duration length = 60_us) {
    home().migration().remove(tag);
    advance(length);
  }
  HomeAgent& home() { return protocol->node(kHome).home_agent(); }
  bool in_switch() const { return protocol->switch_owner().metadata(tag).has_value(); }
  std::uint64_t migration_counter(const std::string& name) const { return counter("migration." + name); }

  /// Everybody reads and writes once more, all comes to rest, and all is well; else what is not.
  std::string outcome() {
    advance(1'500_us);
    for (const models::NodeId node : {1, 2, 3}) {
      use(node, false);
      use(node, true);
    }
    for (const models::NodeId node : {1, 2, 3}) use(node, false);
    finish();
    return violations() + wrong_;
  }

  const Tag tag;

 private:
  sim::Task<void> perform(models::Session session, bool write) {
    const std::uint64_t number = ++begun_;
    const bool alone_so_far = number == ended_ + 1;
    const sim::Value value = write ? co_await protocol->write(session, shared_block(kHome))
                                   : co_await protocol->read(session, shared_block(kHome));
    const bool alone = alone_so_far && begun_ == number;
    ++ended_;
    if (write) {
      written_ = value;
      certain_ = alone;
    } else if (certain_ && alone && value != written_) {
      wrong_ += "a read returned what is not the last write\n";
    }
  }
  std::uint64_t begun_ = 0, ended_ = 0;
  sim::Value written_{};
  bool certain_ = false;  // that `written_` is the last
  std::string wrong_;
};

/// A block's life: at home, in the switch, back, away again, back again, and used everywhere. Each move may take longer
/// than it is given, and be under way when the block is used.
std::string life(const Setup& setup, const Mishap& mishap, std::uint64_t* moves = nullptr) {
  Moves run(setup);
  run.heat();
  run.has(mishap);
  for (int turn = 0; turn < 3; ++turn) {
    run.heat();
    run.give();
    run.use(2, false);
    run.use(1, true);
    run.use(3, false);
    run.take();
    run.use(2, true);
    run.use(1, false);
  }
  std::string outcome = run.outcome();
  if (moves != nullptr) *moves += run.migration_counter("removed");
  const bool copied_at_once = mishap.effect == Effect::duplicate && mishap.delay == sim::Duration{};  // disturbs nobody
  if (!copied_at_once && run.event_log.count(sim::Observed::disturbance) == 0) outcome += "nothing befell the packet\n";
  return outcome;
}

/// The six messages of a migration, as they leave for the switch and come back.
struct Message {
  const char* name;
  bool to_switch;
  MessageType type;
};
constexpr Message kMessages[] = {{"ADD", true, MessageType::add_to_switch},
                                 {"its ACK", false, MessageType::ack},
                                 {"REMOVE", true, MessageType::remove_from_switch},
                                 // The ACK of REMOVE is the second that the home gets.
                                 {"CLEAR", true, MessageType::clear},
                                 {"its ACK", false, MessageType::unlock_ack}};

/// What can befall one of the first packets of a kind.
std::vector<Mishap> mishaps(const Message& message, const std::vector<sim::Duration>& delays) {
  std::vector<Mishap> all;
  // The home gets ACKs of ADD and of REMOVE by turns.
  for (const std::uint64_t first : {1, 2, 3}) {
    const auto add = [&](Effect effect, sim::Duration delay) {
      all.push_back({message.to_switch, kHome, message.type, effect, delay, first});
    };
    add(Effect::drop, {});
    add(Effect::duplicate, {});
    for (const sim::Duration delay : delays) {
      add(Effect::duplicate, delay);
      add(Effect::hold, delay);
    }
  }
  return all;
}

/// A home that waits long before it sends again, so that the block is used meanwhile, or one that does not.
Setup waiting(std::uint64_t rtts) {
  Setup setup = by_hand();
  setup.flowcc.migration.timeout_rtts = rtts;
  return setup;
}

/// Whether any of these lives, and many more, ends badly without a rule.
bool ends_badly(bool MigrationRules::*without) {
  std::vector<sim::Duration> delays;
  for (sim::Duration delay = 5_us; delay <= 1'400_us; delay += 45_us) delays.push_back(delay);
  for (const Message& message : kMessages) {
    for (const Mishap& mishap : mishaps(message, delays)) {
      for (const std::uint64_t rtts : {60, 6}) {
        Setup setup = waiting(rtts);
        setup.flowcc.migration.rules.*without = false;
        if (!life(setup, mishap).empty()) return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("each message of a migration may be lost, come twice, or be late by whole moves") {
  std::uint64_t moves = 0, lives = 0;
  for (const Message& message : kMessages) {
    for (const Mishap& mishap : mishaps(message, {5_us, 70_us, 280_us, 450_us, 700_us, 1'100_us})) {
      for (const std::uint64_t rtts : {6, 60}) {
        INFO(message.name << " (the " << mishap.first << ". of its kind), effect " << static_cast<int>(mishap.effect)
                          << ", delay " << mishap.delay.ps() / 1'000'000 << " us, timeout " << rtts << " RTT");
        CHECK(life(waiting(rtts), mishap, &moves) == "");
        ++lives;
      }
    }
  }
  CHECK(moves >= lives * 2);
}

// (Serial numbers of home agents are about two mishaps at once: migration_rules_test.cpp.)
TEST_CASE("without a rule that is about lost, repeated and late messages of migrations one of those lives ends badly") {
  CHECK(ends_badly(&MigrationRules::keep_found));
  CHECK(ends_badly(&MigrationRules::two_phase_remove));
  CHECK(ends_badly(&MigrationRules::two_pass_add));
  CHECK(ends_badly(&MigrationRules::mark));
}

TEST_CASE("a request that passed the switch before ADD and comes to the home after it is refused, not served") {
  const auto end = [](bool mark) {
    Setup setup = by_hand();
    setup.flowcc.migration.rules.mark = mark;
    Moves run(setup);
    run.heat();
    run.has({false, kHome, MessageType::read_miss, Effect::hold, 8_us});
    run.use(2, false, 1_us);
    run.give();
    CHECK(run.in_switch());
    CHECK(run.migration_counter("refused_requests") == (mark ? 1 : 0));
    return run.outcome();
  };
  CHECK(end(true) == "");
  CHECK(end(false) != "");
}

TEST_CASE("a request that passed the switch before ADD and comes to the home after a whole ADD and REMOVE is dropped") {
  const auto end = [](bool stamp) {
    Setup setup = by_hand();
    setup.flowcc.migration.rules.stamp = stamp;
    Moves run(setup);
    run.heat();
    run.has({false, kHome, MessageType::read_miss, Effect::hold, 400_us});
    run.use(2, false, 1_us);
    run.give();
    CHECK(run.in_switch());
    run.use(3, true);
    run.take();
    CHECK_FALSE(run.in_switch());
    run.advance(400_us);
    CHECK(run.migration_counter("dropped_requests") == (stamp ? 1 : 0));
    return run.outcome();
  };
  CHECK(end(true) == "");
  CHECK(end(false) != "");
}

TEST_CASE("a request to either owner, lost, doubled or late while its block moves, is served once") {
  for (const bool write : {false, true}) {
    const MessageType type = write ? MessageType::write_miss : MessageType::read_miss;
    for (const bool away : {false, true}) {             // who owns the block when it is sent
      for (const bool before_switch : {false, true}) {  // where it is late
        for (const auto effect : {Effect::drop, Effect::duplicate, Effect::hold}) {
          for (const sim::Duration delay : {0_us, 3_us, 20_us, 150_us, 900_us}) {
            for (const sim::Duration lead : {0_us, 1_us, 3_us}) {
              INFO((write ? "WRITE-MISS" : "READ-MISS")
                   << (away ? " to the switch" : " to the home") << (before_switch ? ", before" : ", behind")
                   << " the switch, effect " << static_cast<int>(effect) << ", delay " << delay.ps() / 1'000'000
                   << " us, lead " << lead.ps() / 1'000'000 << " us");
              Moves run(by_hand());
              run.heat();
              if (away) run.give();
              CHECK(run.in_switch() == away);
              // Behind the switch it goes to the home, or to the cache agent of node 1, which was the last to write.
              run.has({before_switch, before_switch ? kUser : away ? kLast : kHome, type, effect, delay});
              run.use(kUser, write, lead);
              if (away) {
                run.take();
                run.use(3, true);
                run.heat();
                run.give();
              } else {
                run.give();
                run.use(3, true);
                run.take();
              }
              run.use(1, false);
              CHECK(run.outcome() == "");
            }
          }
        }
      }
    }
  }
}

// The first unlock that is executed always finds its own owner, since neither ADD nor REMOVE passes a held lock. One
// that is sent again, because its answer was lost, may find the other. (Requesters wait long before they send it again,
// so that there is time for a move.)
TEST_CASE("an unlock sent again after its block went to the switch, or came back, changes nothing there") {
  const auto end = [](bool away, bool by_holder) {
    Setup setup = by_hand();
    setup.flowcc.unlock_timeout_rtts = 60;  // 132 us
    setup.flowcc.migration.rules.unlock_by_holder = by_holder;
    Moves run(setup);
    run.heat();
    if (away) run.give();
    run.has({false, 2, MessageType::unlock_ack});
    run.use(2, false, 20_us);  // makes the block Shared
    if (away) {
      run.take(20_us);
      CHECK_FALSE(run.in_switch());
      run.use(3, true, 40_us);
    } else {
      run.give(20_us);
      CHECK(run.in_switch());
      run.use(3, true, 40_us);  // makes it Modified: a late unlock would have it Shared
    }
    return run.outcome();
  };
  for (const bool away : {false, true}) {
    INFO((away ? "sent to the switch" : "sent to the home"));
    CHECK(end(away, true) == "");
    CHECK(end(away, false) != "");
  }
}

TEST_CASE("an unlock to either owner, lost, doubled or late before its block moves, is executed once") {
  for (const bool write : {false, true}) {
    const MessageType type = write ? MessageType::unlock_write : MessageType::unlock_read;
    for (const bool away : {false, true}) {
      for (const bool before_switch : {false, true}) {
        if (away && !before_switch) continue;  // the switch is who gets it
        for (const auto effect : {Effect::drop, Effect::duplicate, Effect::hold}) {
          for (const sim::Duration delay : {0_us, 3_us, 20_us, 150_us, 900_us}) {
            for (const sim::Duration lead : {0_us, 4_us, 8_us}) {
              INFO((write ? "write" : "read")
                   << (away ? " unlock to the switch" : " unlock to the home")
                   << (before_switch ? ", before" : ", behind") << " the switch, effect " << static_cast<int>(effect)
                   << ", delay " << delay.ps() / 1'000'000 << " us, lead " << lead.ps() / 1'000'000 << " us");
              Moves run(by_hand());
              run.heat();
              if (away) run.give();
              run.has({before_switch, before_switch ? kUser : kHome, type, effect, delay});
              run.use(kUser, write, lead);
              if (away) {
                run.take();
                run.take();  // if its lock was busy
                run.use(3, true);
                run.heat();
                run.give();
              } else {
                run.give();
                run.use(3, true);
                run.take();
              }
              run.use(1, false);
              CHECK(run.outcome() == "");
            }
          }
        }
      }
    }
  }
}

}  // namespace migration_messages_test
