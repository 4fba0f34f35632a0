// What FlowCC waits for when a run stands still: locks and those who have them, acknowledgements, data and unlocks
// (Concordia §5.1.1, §5.3).
#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "protocols/flowcc/flowcc.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::flowcc {

namespace {
std::string name_of(const TimedRunner& runner, const EventRunner::PendingUnlock& unlock) {
  return fmt::format("{} of block {} by {}", unlock.kept ? "lock" : "unlock", sim::printed_key(unlock.tag),
                     runner.name());
}
}  // namespace

std::string FlowCc::owner_of(Tag tag) const {
  return switch_->metadata(tag) ? "switch" : fmt::format("home agent of node{}", home_of(tag));
}

/// Whether the event under way has its lock, as far as replies and the switch tell.
bool FlowCc::has_lock(const TimedRunner& requester) const {
  const CoherenceEvent& event = requester.event();
  if (!event.active()) return false;
  return event.has_lock() || (switch_->metadata(event.tag()) && switch_->scored(requester.number(), Seq{event.seq()}));
}

/// Who or what will give the lock back: the unlock of an event that is over, else the requester. Empty if neither its
/// event nor an unlock of its is known to have the lock.
std::string FlowCc::holder_name(unsigned requester, Tag tag) const {
  if (shared_.is_home(requester)) return fmt::format("home agent of node{}", shared_.node_of(requester));
  const TimedRunner& holder = runner_of(requester);
  for (const auto& unlock : holder.events().pending_unlocks()) {
    const bool executed = switch_->metadata(tag) && switch_->unlocked_before(RequesterId{requester}, Seq{unlock.seq});
    if (unlock.tag == tag && !executed) return name_of(holder, unlock);
  }
  return has_lock(holder) && holder.event().tag() == tag ? holder.name() : "";
}

/// Those who have the lock that a request needs. A home agent knows who they are; of a lock in the switch it shows by
/// their replies, and where it does not the one name is empty.
std::vector<std::string> FlowCc::who_bars(const TimedRunner& waiting) const {
  const CoherenceEvent& event = waiting.event();
  const Tag tag = event.tag();
  std::vector<std::string> names;
  if (!switch_->metadata(tag)) {
    for (const auto& holder : nodes_[home_of(tag)]->home_agent().directory().holders()) {
      if (holder.tag != tag) continue;
      const bool own = holder.requester == waiting.number().number() && holder.seq == event.seq();
      if (own || (holder.read && takes_read_lock(event.type()))) continue;
      std::string name = holder_name(holder.requester, tag);
      if (name.empty()) name = runner_of(holder.requester).name();
      names.push_back(std::move(name));
    }
    return names;
  }
  const LockState lock = switch_->lock(tag);
  if (lock == LockState::free || (lock == LockState::read && takes_read_lock(event.type()))) return names;
  for (const auto& node : nodes_) {
    node->visit_runners([&](const TimedRunner& runner) {
      std::string name = holder_name(runner.number().number(), tag);
      if (!name.empty()) names.push_back(std::move(name));
    });
    if (node->home_agent().migration().moving() == tag) {
      names.push_back(holder_name(shared_.requester_of_home(node->id()), tag));
    }
  }
  if (names.empty()) names.emplace_back();
  return names;
}

void FlowCc::add_waits_of_event(const TimedRunner& waiting, std::vector<sim::Wait>& waits) const {
  const CoherenceEvent& event = waiting.event();
  const std::string what = fmt::format("{} of block {} (seq {}), since {}", to_string(event.type()),
                                       sim::printed_key(event.tag()), event.seq(), sim::printed(event.began()));
  const auto add = [&](std::string whom, const char* why) {
    waits.push_back({.who = waiting.name(), .whom = std::move(whom), .why = fmt::format("{}: {}", what, why)});
  };
  const bool sent = waiting.events().has_sent_request();
  for (const auto& unlock : waiting.events().pending_unlocks()) {
    if (sent || unlock.seq % 2 != event.seq() % 2) continue;
    add(name_of(waiting, unlock), "not sent before the unlock of its parity is acknowledged");
    return;
  }
  if (!event.has_lock()) {
    const auto holders = has_lock(waiting) ? std::vector<std::string>() : who_bars(waiting);
    for (const std::string& holder : holders) {
      add(holder, holder.empty() ? "its lock in the switch, which no event or unlock under way has" : "its lock");
    }
    if (sent && holders.empty()) add(owner_of(event.tag()), "an answer");
    return;
  }
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if ((event.unacknowledged() & node_bit(node)) != 0) add(fmt::format("cache agent of node{}", node), "its ACK");
  }
  if (event.unacknowledged() == 0) add("", "its data");
}

void FlowCc::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& node : nodes_) {
    const HomeMigration& migration = node->home_agent().migration();
    if (migration.moving()) {
      waits.push_back({.who = holder_name(shared_.requester_of_home(node->id()), *migration.moving()),
                       .whom = "switch",
                       .why = migration.describe() + ": its answer"});
    }
    node->visit_runners([&](const TimedRunner& runner) {
      if (runner.event().active()) add_waits_of_event(runner, waits);
      add_waits_of_unlocks(runner, waits);
      if (runner.logs_lock())
        waits.push_back({.who = runner.name(), .whom = "", .why = "its lock in the log of another node"});
    });
    node->locks().visit_waiting([&](unsigned who, unsigned whom, Tag tag) {
      waits.push_back({.who = fmt::format("node{}/thread{}", node->id(), who),
                       .whom = fmt::format("node{}/thread{}", node->id(), whom),
                       .why = fmt::format("the lock of block {}", sim::printed_key(tag))});
    });
  }
  allocation_->add_waits(waits);
}

void FlowCc::add_waits_of_unlocks(const TimedRunner& runner, std::vector<sim::Wait>& waits) const {
  const auto unlocks = runner.events().pending_unlocks();
  for (const auto& unlock : unlocks) {
    if (unlock.kept) continue;
    sim::Wait wait{.who = name_of(runner, unlock), .whom = owner_of(unlock.tag), .why = "sent, and not acknowledged"};
    if (!unlock.written_back) {
      wait.whom = fmt::format("node{}", home_of(unlock.tag));
      wait.why = "not sent before its block is written back";
    } else if (unlock.logged) {
      wait.whom = "the log of its lock";
      wait.why = "not sent before that has forgotten it";
    } else if (!unlock.sent) {
      wait.whom = name_of(runner, unlocks.front().seq == unlock.seq ? unlocks.back() : unlocks.front());
      wait.why = "not sent before the unlock before it is acknowledged";
    }
    waits.push_back(std::move(wait));
  }
}

}  // namespace racksim::flowcc
