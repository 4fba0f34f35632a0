// What FlowCC waits for when a run stands still: locks and those who have them, acknowledgements, data and unlocks
// (Concordia §5.1.1, §5.3).
#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "protocols/flowcc/flowcc.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::flowcc {

std::string Requester::name() const {
  return fmt::format("node{}/thread{}", node_.id(), thread_);
}

std::vector<Requester::PendingUnlock> Requester::pending_unlocks() const {
  std::vector<PendingUnlock> pending;
  for (const Unlock& unlock : unlocks_) {
    if (!unlock.active) continue;
    pending.push_back({.name = fmt::format("unlock of block {} by {}", sim::printed_key(unlock.tag), name()),
                       .tag = unlock.tag,
                       .seq = unlock.seq,
                       .written_back = unlock.written_back,
                       .sent = unlock.sent});
  }
  return pending;
}

std::string FlowCc::owner_of(Tag tag) const {
  return switch_->metadata(tag) ? "switch" : fmt::format("home agent of node{}", home_of(tag));
}

/// Whether the event under way has its lock, as far as replies and the switch tell.
bool FlowCc::has_lock(const Requester& requester) const {
  const CoherenceEvent& event = requester.event();
  if (!event.active()) return false;
  return event.has_lock() ||
         (switch_->metadata(event.tag()) && switch_->scored(RequesterId{requester.number()}, Seq{event.seq()}));
}

/// Who or what will give the lock back: the unlock of an event that is over, else the requester. Empty if neither its
/// event nor an unlock of its is known to have the lock.
std::string FlowCc::holder_name(unsigned requester, Tag tag) const {
  if (requester >= shared_.requesters()) {
    return fmt::format("home agent of node{}", requester - shared_.requesters());
  }
  const Requester& holder =
      nodes_[requester / shape().threads_per_node]->requester(requester % shape().threads_per_node);
  for (const auto& unlock : holder.pending_unlocks()) {
    const bool executed = switch_->metadata(tag) && switch_->unlocked_before(RequesterId{requester}, Seq{unlock.seq});
    if (unlock.tag == tag && !executed) return unlock.name;
  }
  return has_lock(holder) && holder.event().tag() == tag ? holder.name() : "";
}

/// Those who have the lock that a request needs. A home agent knows who they are; of a lock in the switch it shows by
/// their replies, and where it does not the one name is empty.
std::vector<std::string> FlowCc::who_bars(const Requester& waiting) const {
  const CoherenceEvent& event = waiting.event();
  const Tag tag = event.tag();
  std::vector<std::string> names;
  if (!switch_->metadata(tag)) {
    for (const auto& holder : nodes_[home_of(tag)]->home_agent().directory().holders()) {
      if (holder.tag != tag) continue;
      const bool own = holder.requester == waiting.number() && holder.seq == event.seq();
      if (own || (holder.read && takes_read_lock(event.type()))) continue;
      std::string name = holder_name(holder.requester, tag);
      if (name.empty()) {
        const auto& node = nodes_[holder.requester / shape().threads_per_node];
        name = node->requester(holder.requester % shape().threads_per_node).name();
      }
      names.push_back(std::move(name));
    }
    return names;
  }
  const LockState lock = switch_->lock(tag);
  if (lock == LockState::free || (lock == LockState::read && takes_read_lock(event.type()))) return names;
  for (const auto& node : nodes_) {
    for (const auto& requester : node->requesters()) {
      std::string name = holder_name(requester->number(), tag);
      if (!name.empty()) names.push_back(std::move(name));
    }
    const HomeMigration* migration = node->home_agent().migration();
    if (migration != nullptr && migration->moving() == tag) {
      names.push_back(holder_name(shared_.requester_of_home(node->id()), tag));
    }
  }
  if (names.empty()) names.emplace_back();
  return names;
}

void FlowCc::add_waits_of_event(const Requester& waiting, std::vector<sim::Wait>& waits) const {
  const CoherenceEvent& event = waiting.event();
  const std::string what = fmt::format("{} of block {} (seq {}), since {}", to_string(event.type()),
                                       sim::printed_key(event.tag()), event.seq(), sim::printed(event.began()));
  const auto add = [&](std::string whom, const char* why) {
    waits.push_back({.who = waiting.name(), .whom = std::move(whom), .why = fmt::format("{}: {}", what, why)});
  };
  const bool sent = waiting.has_sent_request();
  for (const auto& unlock : waiting.pending_unlocks()) {
    if (sent || unlock.seq % 2 != event.seq() % 2) continue;
    add(unlock.name, "not sent before the unlock of its parity is acknowledged");
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
    const HomeMigration* migration = node->home_agent().migration();
    if (migration != nullptr && migration->moving()) {
      waits.push_back({.who = holder_name(shared_.requester_of_home(node->id()), *migration->moving()),
                       .whom = "switch",
                       .why = migration->describe() + ": its answer"});
    }
    for (const auto& requester : node->requesters()) {
      if (requester->event().active()) add_waits_of_event(*requester, waits);
      const auto unlocks = requester->pending_unlocks();
      for (const auto& unlock : unlocks) {
        sim::Wait wait{.who = unlock.name, .whom = owner_of(unlock.tag), .why = "sent, and not acknowledged"};
        if (!unlock.written_back) {
          wait.whom = fmt::format("node{}", home_of(unlock.tag));
          wait.why = "not sent before its block is written back";
        } else if (!unlock.sent) {
          wait.whom = unlocks.front().seq == unlock.seq ? unlocks.back().name : unlocks.front().name;
          wait.why = "not sent before the unlock before it is acknowledged";
        }
        waits.push_back(std::move(wait));
      }
    }
  }
  allocation_->add_waits(waits);
}

}  // namespace racksim::flowcc
