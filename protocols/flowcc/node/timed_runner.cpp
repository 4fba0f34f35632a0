// Waiting and timeouts. See timed_runner.hpp.
#include "protocols/flowcc/node/timed_runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/host/core_wait.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

TimedRunner::TimedRunner(Shared& shared, NodeState& node, models::Core& core, Endpoint& endpoint, RequesterId number,
                         std::string name)
    : shared_(shared),
      node_(node),
      core_(core),
      clock_(shared.rack.server(node.id()).clock()),
      endpoint_(endpoint),
      name_(std::move(name)),
      runner_(shared.options, shared.counters, shared.coverage, *this, node.id(), number),
      settled_(shared.calendar),
      ended_(shared.calendar),
      unlock_sent_(shared.calendar),
      unlock_acked_(shared.calendar),
      lock_logged_(shared.calendar) {
  node.runners.push_back(this);
  timers_.fill({.patience = timeout(shared.options.unlock_timeout_rtts), .id = {}});
}

TimedRunner* event_on(const NodeState& node, Tag tag) {
  const auto found = std::ranges::find_if(node.runners, [tag](const TimedRunner* runner) {
    return runner->event().active() && runner->event().tag() == tag;
  });
  return found == node.runners.end() ? nullptr : *found;
}

bool keeps_locks(const NodeState& node) {
  return std::ranges::any_of(node.runners, [](const TimedRunner* runner) { return runner->events().keeps_lock(); });
}

bool quiescent(const NodeState& node) {
  return std::ranges::all_of(node.runners, [](const TimedRunner* runner) { return runner->events().quiescent(); });
}

sim::Task<TimedRunner::Outcome> TimedRunner::run(MessageType type, Tag tag, sim::OperationId operation,
                                                 bool keep_lock) {
  RACKSIM_INVARIANT(event_on(node_, tag) == nullptr, "a node has one coherence event under way on a block");
  runner_.claim(type, tag, operation, shared_.calendar.now());
  co_await models::occupy(core_, shared_.options.miss_setup);
  while (!runner_.may_send()) {
    shared_.coverage.race(races.waits_for_same_parity);
    co_await unlock_acked_.wait();
  }
  while (node_.stopped()) co_await node_.resumed().wait();
  if (shared_.is_homeless(tag)) {
    runner_.give_back();
    co_return Outcome::lost_race;
  }
  runner_.send_request();
  shared_.counters.by_type.count(type);

  const sim::Duration first_patience = timeout(shared_.options.request_timeout_rtts);
  sim::Duration patience = first_patience;
  while (!event().settled()) {
    if (co_await settled_.wait_for(clock_, patience)) continue;
    ++shared_.counters.request_retransmissions.value;
    endpoint_.report_timeout(tag, operation, patience);
    runner_.send_request_again();
    if (safe()) patience = FlowCcOptions::longer(patience, first_patience);
  }

  ++shared_.counters.events.value;
  if (event().in_switch) ++shared_.counters.switch_events.value;
  if (event().failed()) {
    shared_.coverage.race_if(type == MessageType::write_shared, races.upgrade_lost);
    shared_.coverage.race_if(type == MessageType::evict_shared || type == MessageType::evict_modified,
                             races.eviction_lost);
    ++shared_.counters.failed_events.value;
    const bool lost_race = event().lost_race();
    runner_.give_back();
    co_return lost_race ? Outcome::lost_race : Outcome::busy;
  }
  runner_.complete(keep_lock);
  if (!safe()) {
    // §5.1.1: the write-back, then the unlock, then what follows; §5.3.2: the unlock waits for the acknowledgement of
    // the one before it.
    while (!keep_lock && !runner_.unlock_is_out(event().seq())) co_await unlock_sent_.wait();
  }
  runner_.end();
  co_return Outcome::done;
}

void TimedRunner::send(FlowCcHeader& h, sim::OperationId operation) {
  h.set_index = set_index(h.tag(), shared_.options.entries_per_way);
  h.node_id = node_.id();
  h.reply_qp = endpoint_.raw_qpn();
  endpoint_.send(h, shared_.home_of(h.tag()), operation);
}

void TimedRunner::unlock_sent(std::size_t slot) {
  timers_[slot].id =
      clock_.after<&TimedRunner::unlock_timed_out>(timers_[slot].patience, *this, static_cast<std::uint32_t>(slot));
  unlock_sent_.notify_all();
}

void TimedRunner::unlock_over(std::size_t slot) {
  unlock_dropped(slot);
  unlock_acked_.notify_all();
}

void TimedRunner::unlock_dropped(std::size_t slot) {
  shared_.calendar.cancel(timers_[slot].id);
  timers_[slot] = {.patience = timeout(shared_.options.unlock_timeout_rtts), .id = {}};
}

void TimedRunner::unlock_timed_out(std::uint32_t slot) {
  const EventRunner::PendingUnlock& unlock = runner_.unlock_in(slot);
  sim::Duration& patience = timers_[slot].patience;
  ++shared_.counters.unlock_retransmissions.value;
  endpoint_.report_timeout(unlock.tag, unlock.operation, patience);
  if (safe()) patience = FlowCcOptions::longer(patience, timeout(shared_.options.unlock_timeout_rtts));
  runner_.transmit_unlock(slot);
}

sim::Task<void> TimedRunner::log_lock() {
  const auto witness = node_.lock_log().witness();
  if (!witness) co_return;
  logged_lock_ = event().seq();
  write_log(*witness, event().tag(), event().seq(), true);
  while (logged_lock_) co_await lock_logged_.wait();
}

void TimedRunner::release(bool owner_is_there) {
  const auto witness = node_.lock_log().witness();
  if (witness) write_log(*witness, event().tag(), event().seq(), false);
  if (owner_is_there) {
    runner_.release(witness.has_value());
  } else {
    runner_.drop_kept();  // the home will not hear of it when it is back
  }
}

// What comes of a WRITE that a recovery has cut off nobody waits for: it writes anew what is held.
void TimedRunner::log_written(const models::Completion& completion) {
  const auto seq = static_cast<std::uint32_t>(completion.wr_id);
  if (logged_lock_ == seq) {
    locks_logged();
  } else {
    runner_.log_cleared(seq);
  }
}

void TimedRunner::data_landed(std::uint32_t seq, const BlockData& data) {
  if (!event().active() || event().seq() != seq) {  // the buffer of an event that is over
    shared_.coverage.race(races.data_of_past_event);
    return;
  }
  const auto kib = static_cast<double>(shared_.shape.block_bytes) / 1024;
  const auto copying = static_cast<std::int64_t>(static_cast<double>(shared_.options.copy_work_per_kib.ps()) * kib);
  core_.run<&TimedRunner::notice_data>(shared_.options.notice_data_work + sim::Duration::from_ps(copying), *this,
                                       seq | std::uint64_t{data.version} << 32, data.value);
}

void TimedRunner::notice_data(std::uint64_t seq_and_version, sim::Value value) {
  runner_.data_landed(static_cast<std::uint32_t>(seq_and_version),
                      {event().tag(), value, static_cast<std::uint32_t>(seq_and_version >> 32)});
}

void TimedRunner::abort(std::vector<BlockData>& write_backs) {
  const bool aborted = runner_.abort(write_backs);
  unlock_sent_.notify_all();
  unlock_acked_.notify_all();
  if (aborted) settled_.notify_all();
}

std::string TimedRunner::describe() const {
  std::string text;
  if (event().active()) {
    text += fmt::format("{} of block {} (seq {}) since {} ns", to_string(event().type()),
                        sim::printed_key(event().tag()), event().seq(), event().began().ns());
  }
  for (const auto& unlock : runner_.pending_unlocks()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("unlock of block {} (seq {}){}", sim::printed_key(unlock.tag), unlock.seq,
                        unlock.kept   ? " that the application has yet to give back"
                        : unlock.sent ? ""
                                      : " not yet sent");
  }
  return text.empty() ? text : fmt::format("{}: {}", name_, text);
}

sim::KeyAndOperations TimedRunner::key_and_operations() const {
  if (event().active()) return {event().tag(), {event().operation()}};
  for (const auto& unlock : runner_.pending_unlocks()) return {unlock.tag, {unlock.operation}};
  return {};
}

}  // namespace racksim::flowcc
