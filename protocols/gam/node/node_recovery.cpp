// What a node logs, what it may do without a lease, and what it does about nodes that fail. See node.hpp, recovery.hpp.
#include <algorithm>

#include "protocols/gam/node/node.hpp"
#include "protocols/gam/recovery/recovery.hpp"

namespace racksim::gam {

std::uint32_t Node::log_owner(sim::Key line, NodeId owner) {
  if (!log_) return 0;
  const std::uint32_t counter = directory_.raise_counter(line);
  if (options().olog) write_log(line, {.kind = LogEntry::Kind::olog, .counter = counter, .owner = owner});
  return counter;
}

std::uint32_t Node::log_warm_owner(sim::Key line, NodeId owner) {
  if (!log_) return 0;
  const std::uint32_t counter = directory_.raise_counter(line);
  log_->keep(line, {.kind = LogEntry::Kind::olog, .counter = counter, .owner = owner});
  return counter;
}

// The worker writes its log itself: it does nothing else until that is durable.
void Node::write_log(sim::Key line, LogEntry entry) {
  ++(entry.kind == LogEntry::Kind::dlog ? shared_.counters.dlogs : shared_.counters.ologs).value;
  sim::Calendar& calendar = shared_.rack.calendar();
  const std::uint64_t stalls = log_->stalls();
  durable_ = log_->append(calendar.now(), line, std::move(entry));
  shared_.counters.log_stalls.value += log_->stalls() - stalls;
  if (const sim::Time busy = core_.free_at(); durable_ > busy) core_.charge(durable_ - busy);
  calendar.cancel(logged_event_);
  logged_event_ = calendar.at<&Node::logged>(durable_, core_.lane(), *this);
}

void Node::logged() {
  if (shared_.rack.calendar().now() < durable_) return;  // more has come while there was no lease
  if (!shared_.recovery->holds_lease(id_)) return tasks_.spawn(await_lease_to_let_out());
  log_->commit();
  for (Output& output : std::exchange(held_back_, {})) {
    std::visit([this](auto& held) { let_out(held); }, output);
  }
  run_ready();
}

sim::Task<void> Node::await_lease_to_let_out() {
  co_await shared_.recovery->lease(id_);
  logged();
}

// What waits for a lease keeps its order, and what comes later waits behind it.
bool Node::may_work() {
  if (shared_.recovery == nullptr || (without_lease_.empty() && shared_.recovery->holds_lease(id_))) return true;
  if (without_lease_.empty()) tasks_.spawn(await_lease());
  return false;
}

sim::Task<void> Node::await_lease() {
  co_await shared_.recovery->lease(id_);
  core_.run<&Node::work_on>(options().message, *this);
}

void Node::work_on() {
  if (!shared_.recovery->holds_lease(id_)) return tasks_.spawn(await_lease()), void();
  const auto work = std::move(without_lease_.front());
  if (Request* const* request = std::get_if<Request*>(&work)) {
    if (sessions_.admit(**request)) execute(**request);
    run_ready();
  } else {
    receive(std::get<models::Completion>(work));
  }
  without_lease_.pop_front();
  if (!without_lease_.empty()) core_.run<&Node::work_on>(options().message, *this);
}

void Node::cut_off(NodeId lost) {
  cut_off_[lost] = has_cut_off_ = true;
  channels_[lost]->cut();
  landings_[lost].clear();
  std::fill(write_backs_[lost].begin(), write_backs_[lost].end(), models::Content{});
  directory_.cut_off(lost);
  cache_.cut_off(lost);
  allocation_.cut_off(lost);
  run_ready();
}

void Node::reconnect(Node& a, Node& b) {
  a.cut_off_[b.id_] = b.cut_off_[a.id_] = false;
  Channel::reconnect(*a.channels_[b.id_], *b.channels_[a.id_]);
}

std::vector<HeldWrite> Node::writes_left_behind() {
  std::vector<HeldWrite> writes;
  requests_.for_each([&](Request& request) {
    if (request.kind != sim::OperationKind::write || std::exchange(request.is_told, true)) return;
    writes.push_back({request.operation, shared_.object_of(request.line, request.object), request.value});
  });
  return writes;
}

void Node::come_back() {
  open_memory();
  has_cut_off_ = true;  // others may still answer what it asked for before
  log_->restart(shared_.rack.calendar().now());
  for (const sim::Key line : log_->lines()) directory_.set_counter(line, log_->counter_of(line));
}

}  // namespace racksim::gam
