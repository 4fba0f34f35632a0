// What a home agent does with its hot and cold blocks (Concordia §5.2), answer by answer: a host that only notes what
// it is asked for, and no switch, no time.
#include "protocols/flowcc/events/home_migration.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

namespace home_migration_test {

using namespace racksim;
using namespace racksim::flowcc;
using enum MessageType;

namespace {

struct Host final : MigrationHost {
  bool lock_to_move(Tag tag) override {
    if (busy.count(tag) != 0) return false;
    return locked.insert(tag).second;
  }
  void unlock_moved(Tag tag) override { locked.erase(tag); }
  bool locked_by_application(Tag tag) const override { return kept.count(tag) != 0; }
  GlobalMetadata metadata_to_move(Tag tag) const override {
    const auto found = metadata.find(tag);
    return found == metadata.end() ? GlobalMetadata{} : found->second;
  }
  void set_moved_metadata(Tag tag, GlobalMetadata m) override { metadata[tag] = m; }
  void send_move(const FlowCcHeader& header, bool) override { sent.push_back(header); }
  void stop_waiting() override {}

  std::set<Tag> busy, locked, kept;
  std::map<Tag, GlobalMetadata> metadata;
  std::vector<FlowCcHeader> sent;
};

struct Home {
  explicit Home(MigrationOptions o = {}) : options(o), migration(options, counters, 40, host, true) {}

  /// The switch's answer to the latest packet.
  FlowCcHeader answer(MessageType type, GlobalMetadata metadata = {}) const {
    FlowCcHeader h = host.sent.back();
    h.set_type(type);
    h.set_metadata(metadata);
    return h;
  }
  void answered(MessageType type, GlobalMetadata metadata = {}) { migration.answered(answer(type, metadata)); }
  /// A request that the switch passed on, stamped with the number of the last CLEAR.
  static FlowCcHeader request(Tag tag, std::uint32_t stamp) {
    FlowCcHeader h;
    h.set_type(read_miss);
    h.set_tag(tag);
    h.copyset = stamp;
    return h;
  }
  /// Brings a block into the switch.
  void give(Tag tag) {
    migration.addressed(tag, 1);
    migration.end_epoch();
    answered(ack);
  }
  MessageType last_type() const { return host.sent.back().message_type(); }
  Tag last_tag() const { return host.sent.back().tag(); }

  sim::Metrics metrics;
  MigrationCounters counters{metrics};
  MigrationOptions options;
  Host host;
  HomeMigration migration;
};

using Admission = HomeMigration::Admission;
constexpr Tag kA{10}, kB{11}, kC{12};

}  // namespace

TEST_CASE("at the end of an epoch the hottest blocks leave one after the other, each under its own write lock") {
  MigrationOptions options;
  options.top_k = 2;
  Home home(options);
  home.host.metadata[kB] = {GlobalStatus::shared, 0b110};
  home.migration.addressed(kA, 1);
  home.migration.addressed(kB, 3);
  home.migration.addressed(kC, 1);
  home.migration.addressed(kC, 1);
  CHECK(home.host.sent.empty());
  home.migration.end_epoch();
  REQUIRE(home.host.sent.size() == 1);
  CHECK(home.last_type() == add_to_switch);
  CHECK(home.last_tag() == kB);
  CHECK(home.host.sent.back().metadata() == GlobalMetadata{GlobalStatus::shared, 0b110});
  CHECK(home.host.locked == std::set{kB});
  home.answered(ack);
  REQUIRE(home.host.sent.size() == 2);
  CHECK(home.last_tag() == kC);
  CHECK(home.host.locked == std::set{kC});
  home.answered(ack);
  CHECK(home.host.sent.size() == 2);  // the third is not among the top 2
  CHECK(home.host.locked.empty());
  CHECK(home.migration.idle());
  home.migration.end_epoch();  // in which nothing was touched
  CHECK(home.host.sent.size() == 2);
}

TEST_CASE("from ADD until the block is back the home refuses requests for it, and for no other block") {
  Home home;
  home.migration.addressed(kA, 1);
  CHECK(home.migration.admit(Home::request(kA, 0)) == Admission::serve);
  home.migration.end_epoch();
  CHECK(home.migration.admit(Home::request(kA, 0)) == Admission::refuse);
  home.answered(ack);
  CHECK(home.migration.admit(Home::request(kA, 0)) == Admission::refuse);
  CHECK(home.migration.admit(Home::request(kB, 0)) == Admission::serve);
  home.migration.remove(kA);
  CHECK(home.migration.admit(Home::request(kA, 0)) == Admission::refuse);
  home.answered(ack, {GlobalStatus::modified, 0b100});
  CHECK(home.last_type() == clear);
  CHECK(home.migration.admit(Home::request(kA, 9)) == Admission::refuse);
  home.answered(unlock_ack);
  CHECK(home.migration.admit(Home::request(kA, home.host.sent.back().seq)) == Admission::serve);
  CHECK(home.host.metadata[kA] == GlobalMetadata{GlobalStatus::modified, 0b100});
}

TEST_CASE("a request that passed the switch before the CLEAR that brought its block back is dropped") {
  Home home;
  home.give(kA);
  home.migration.remove(kA);
  home.answered(ack);
  const auto number = static_cast<std::uint32_t>(home.host.sent.back().seq);
  home.answered(unlock_ack);
  CHECK(home.migration.admit(Home::request(kA, number - 1)) == Admission::drop);
  CHECK(home.migration.admit(Home::request(kA, number)) == Admission::serve);
  CHECK(home.migration.admit(Home::request(kB, number - 1)) == Admission::serve);
}

TEST_CASE("a block that finds no place stays, unlocked, and is tried again only if it is hot in the next epoch",
          "[claim:concordia-inv-add-collision]") {
  Home home;
  home.migration.addressed(kA, 1);
  home.migration.end_epoch();
  home.answered(failed_ack);
  CHECK(home.host.locked.empty());
  CHECK(home.migration.admit(Home::request(kA, 0)) == Admission::serve);
  home.migration.end_epoch();
  CHECK(home.host.sent.size() == 1);
  home.migration.addressed(kA, 1);
  home.migration.end_epoch();
  CHECK(home.host.sent.size() == 2);
  CHECK(home.host.sent[1].seq > home.host.sent[0].seq);
}

TEST_CASE("a locked block is skipped, and after three epochs takes no new holders until it has moved") {
  Home home;
  home.host.busy = {kA};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    CHECK_FALSE(home.migration.drains(kA));
    home.migration.addressed(kA, 5);
    home.migration.addressed(kB, 1);
    home.migration.end_epoch();
    if (epoch == 1) home.answered(ack);  // of block B, which does not wait for A
  }
  CHECK(home.migration.drains(kA));
  CHECK(home.host.sent.size() == 1);
  CHECK_FALSE(home.migration.idle());
  home.host.busy = {};
  home.migration.unlocked(kB);  // another's lock
  CHECK(home.host.sent.size() == 1);
  home.migration.unlocked(kA);
  REQUIRE(home.host.sent.size() == 2);
  CHECK(home.last_tag() == kA);
  CHECK_FALSE(home.migration.drains(kA));
}

TEST_CASE("a block whose lock an application has waits for it with no bar to others, and moves once it is free") {
  Home home;
  home.host.busy = home.host.kept = {kA};
  for (int epoch = 0; epoch < 10; ++epoch) {
    home.migration.addressed(kA, 1);
    home.migration.end_epoch();
    CHECK_FALSE(home.migration.drains(kA));
  }
  CHECK(home.counters.skips.value == 10);
  CHECK(home.host.sent.empty());
  home.host.busy = home.host.kept = {};
  home.migration.addressed(kA, 1);
  home.migration.end_epoch();
  CHECK(home.last_tag() == kA);
}

TEST_CASE("a node that has crashed numbers its migrations from 1, one that only recovers goes on") {
  Home home;
  home.give(kA);
  home.give(kB);
  home.migration.forget();
  home.give(kA);
  CHECK(home.host.sent.back().seq == 3);
  home.migration.crash();
  home.give(kA);
  CHECK(home.host.sent.back().seq == 1);
  CHECK(home.host.sent.back().serial == 1);
}

TEST_CASE("what has not begun when the next epoch ends is thought over") {
  Home home;
  home.migration.addressed(kA, 2);
  home.migration.addressed(kB, 1);
  home.migration.end_epoch();
  home.migration.addressed(kC, 1);
  home.migration.end_epoch();
  home.answered(ack);
  CHECK(home.last_tag() == kC);
  home.answered(ack);
  CHECK(home.migration.idle());
}

TEST_CASE("a packet that is not answered goes again, as the same event and another transmission") {
  Home home;
  home.migration.addressed(kA, 1);
  home.migration.end_epoch();
  home.migration.timed_out();
  REQUIRE(home.host.sent.size() == 2);
  CHECK(home.host.sent[1].seq == home.host.sent[0].seq);
  CHECK(home.host.sent[1].serial == home.host.sent[0].serial + 1);
  CHECK(home.host.sent[1].message_type() == add_to_switch);
}

TEST_CASE("a REMOVE that is refused leaves the block in the switch, unless the refusal is of an earlier transmission") {
  Home home;
  home.give(kA);
  home.migration.remove(kA);
  const FlowCcHeader early = home.answer(failed_ack);
  home.migration.timed_out();
  home.migration.answered(early);
  CHECK_FALSE(home.migration.idle());
  home.answered(failed_ack);
  CHECK(home.migration.idle());
  CHECK(home.migration.is_away(kA));
  home.migration.remove(kA);  // and may be asked for again
  CHECK(home.last_type() == remove_from_switch);
}

TEST_CASE("answers of earlier migrations and repeated answers change nothing") {
  Home home;
  home.migration.addressed(kA, 1);
  home.migration.end_epoch();
  const FlowCcHeader added = home.answer(ack);
  home.migration.answered(added);
  home.migration.remove(kA);
  home.migration.answered(added);
  CHECK(home.last_type() == remove_from_switch);
  const FlowCcHeader removed = home.answer(ack, {GlobalStatus::shared, 1});
  home.migration.answered(removed);
  home.migration.answered(removed);
  CHECK(home.host.sent.size() == 3);  // one CLEAR
  home.answered(unlock_ack);
  home.host.metadata[kA] = {GlobalStatus::modified, 2};
  home.migration.answered(removed);
  CHECK(home.host.metadata[kA] == GlobalMetadata{GlobalStatus::modified, 2});
}

TEST_CASE("a notice about a block that is not in the switch, or for the second time, is forgotten") {
  Home home;
  home.migration.remove(kA);
  CHECK(home.host.sent.empty());
  home.give(kA);
  home.give(kB);
  home.migration.remove(kA);
  home.migration.remove(kB);
  home.migration.remove(kB);
  home.migration.remove(kA);
  home.answered(ack);
  home.answered(unlock_ack);
  home.answered(ack);
  home.answered(unlock_ack);
  CHECK(home.migration.idle());
  CHECK(home.counters.removed.value == 2);
}

TEST_CASE("homes list in turn what they have in the switch, each block as often as the others") {
  Home home;
  for (const Tag tag : {kA, kB, kC}) home.give(tag);
  std::map<Tag, int> listed;
  for (int epoch = 0; epoch < 6; ++epoch) {
    HeatReport report;
    home.migration.list(report, 2);
    REQUIRE(report.size == 2);
    for (std::uint32_t i = 0; i < report.size; ++i) ++listed[report.blocks[i].tag];
  }
  CHECK(listed == std::map<Tag, int>{{kA, 4}, {kB, 4}, {kC, 4}});
}

TEST_CASE(
    "without its mark a home grants again as soon as ADD is acknowledged; without the stamp it serves old requests") {
  MigrationOptions options;
  options.rules.mark = options.rules.stamp = false;
  Home home(options);
  home.give(kA);
  CHECK(home.migration.would_grant(kA));
  CHECK(home.migration.admit(Home::request(kA, 0)) == Admission::serve);
  options.which = MigrationOptions::Rules::printed;
  options.rules = {};
  Home printed(options);
  printed.give(kA);
  CHECK(printed.migration.would_grant(kA));
  printed.migration.remove(kA);
  printed.answered(ack);  // the one exchange of the paper
  CHECK(printed.migration.idle());
  CHECK(printed.migration.admit(Home::request(kA, 0)) == Admission::serve);
}

}  // namespace home_migration_test
