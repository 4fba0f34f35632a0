// Guards and actions of a directory entry's transition table. See directory_step.hpp.
#include "protocols/gam/home/directory_step.hpp"

#include <algorithm>

#include "protocols/gam/home/directory.hpp"
#include "protocols/gam/node/node.hpp"
#include "protocols/gam/rules/coverage.hpp"

namespace racksim::gam {

sim::KeyAndOperations DirectoryStep::key_and_operations() const {
  sim::KeyAndOperations about{directory.shared_.object_of(line, 0), {}};
  const sim::OperationId operation = request != nullptr   ? request->operation
                                     : message != nullptr ? message->operation
                                                          : sim::OperationId{0u};
  if (operation != 0) about.operations.push_back(operation);
  return about;
}

bool DirectoryStep::behind_own() const {
  return entry.pending.has_of_thread(request->thread);
}
bool DirectoryStep::is_read_locked() const {
  return entry.lock.is_read();
}
bool DirectoryStep::may_lock() const {
  return entry.lock.admits(request->is_exclusive()) && !entry.pending.holds_locks_back();
}
bool DirectoryStep::tries() const {
  return request->tries();
}
bool DirectoryStep::does_not_block() const {
  return !directory.options().blocking && entry.unblocked == nullptr;
}
// Remote requests respect the home's locks, and those for locks whoever waits for one.
bool DirectoryStep::waits_for_lock(bool exclusive) const {
  return !entry.lock.admits(exclusive) || (message->locks && entry.pending.holds_locks_back());
}
bool DirectoryStep::must_not_read() const {
  return waits_for_lock(false);
}
bool DirectoryStep::must_not_read_to_try() const {
  return message->tries && must_not_read();
}
bool DirectoryStep::must_not_write() const {
  return waits_for_lock(true);
}
bool DirectoryStep::must_not_write_to_try() const {
  return message->tries && must_not_write();
}
bool DirectoryStep::others_share() const {
  return std::any_of(entry.sharers.begin(), entry.sharers.end(),
                     [&](const Sharer& sharer) { return sharer.node != message->sender; });
}
bool DirectoryStep::is_last_sharer() const {
  return entry.sharers.size() == 1 && entry.sharers.front().node == (message != nullptr ? message->sender : from);
}
bool DirectoryStep::is_owner() const {
  return entry.owner.node == message->sender;
}
bool DirectoryStep::more_awaited() const {
  return entry.transaction->awaited > 1;
}
bool DirectoryStep::was_denied() const {
  return entry.transaction->denied;
}
bool DirectoryStep::has_owner() const {
  return entry.transaction->awaited == 0;
}

bool DirectoryStep::requester_is_lost() const {
  return entry.transaction->for_nobody;
}

void DirectoryStep::perform() {
  HomeData data = directory.node_.data_of(line);
  directory.node_.perform(*request, data, directory.counter_of(line));
}

void DirectoryStep::lock() {
  entry.lock.take(request->is_exclusive());
  if (request->is_exclusive()) {
    directory.node_.log_line(line, directory.node_.data_of(line), directory.counter_of(line));
  }
  directory.node_.grant(*request);
}

void DirectoryStep::refuse() {
  directory.node_.refuse(*request);
}

void DirectoryStep::queue() {
  if (request != nullptr) {
    ++directory.shared_.counters.merged.value;
    entry.pending.add(*request);
  } else {
    ++directory.shared_.counters.blocked.value;
    entry.pending.add(*message);
    if (is_stable(entry.state)) directory.shared_.coverage.race(RacePoint::request_meets_home_lock);
    if (!is_stable(entry.state) && message->kind == MessageKind::write_back) {
      directory.shared_.coverage.race(RacePoint::write_back_meets_transition);
    }
  }
}

void DirectoryStep::begin() {
  entry.transaction = std::make_unique<Transaction>();
  entry.transaction->number = directory.next_number();
  entry.transaction->local = request;
  for (Sharer& sharer : entry.sharers) sharer.has_denied = false;
  if (message != nullptr) entry.transaction->request = *message;
  directory.transactions_[entry.transaction->number] = line;
}

// To a sharer about its copy, to the owner about the request.
void DirectoryStep::send(NodeId to, MessageKind kind, const Sharer* copy) {
  const Transaction& transaction = *entry.transaction;
  Message told = transaction.request;  // whose number, frame, lock and operation go along
  told.line = line;
  if (copy != nullptr) told.request = copy->request;
  told.transaction = transaction.number;
  told.requester = told.sender;
  told.sender = directory.node_.id();
  told.kind = kind;
  if (transaction.local != nullptr) {
    told.tries = transaction.local->tries();
    told.operation = transaction.local->operation;
  }
  directory.node_.send(to, told);
}

void DirectoryStep::fetch_and_share() {
  ++directory.shared_.counters.home_reads_dirty.value;
  begin();
  send(entry.owner.node, MessageKind::fetch_and_shared, nullptr);
}

void DirectoryStep::fetch_and_invalidate() {
  ++directory.shared_.counters.home_writes_dirty.value;
  begin();
  send(entry.owner.node, MessageKind::fetch_and_invalidate, nullptr);
}

void DirectoryStep::invalidate() {
  ++directory.shared_.counters.home_writes_shared.value;
  begin();
  entry.transaction->awaited = entry.sharers.size();
  for (const Sharer& sharer : entry.sharers) send(sharer.node, MessageKind::invalidate, &sharer);
  directory.shared_.counters.invalidations.value += entry.sharers.size();
}

void DirectoryStep::invalidate_unblocked() {
  invalidate();
  const Transaction& transaction = *entry.transaction;
  entry.unblocked =
      std::make_unique<UnblockedWrite>(UnblockedWrite{transaction.number, transaction.local, transaction.awaited});
  entry.transaction.reset();
  entry.sharers.clear();
}

void DirectoryStep::share() {
  ++directory.shared_.counters.remote_reads_clean.value;
  if (Sharer* listed = entry.sharer(message->sender)) {
    listed->request = message->request;
  } else {
    entry.sharers.push_back({message->sender, message->request});
  }
  Node& node = directory.node_;
  node.send_line(message->sender, node.frame_at(message->sender, message->frame), node.memory_of(line),
                 {ImmediateKind::data, message->request}, message->operation);
}

void DirectoryStep::forward_read() {
  ++directory.shared_.counters.remote_reads_dirty.value;
  begin();
  send(entry.owner.node, MessageKind::read_forward, nullptr);
}

// A WRITE_PERMISSION_ONLY brings no data to who is listed as a sharer at this instant: its copy is the newest. The
// paper asks whether the directory is UnShared (§2.5), which it is not if another node has read since.
void DirectoryStep::grant() {
  (entry.state == DirectoryState::unshared ? directory.shared_.counters.remote_writes_unshared
                                           : directory.shared_.counters.remote_writes_shared)
      .value++;
  const bool lost = directory.options().upgrade_check == Options::UpgradeCheck::listed
                        ? entry.sharer(message->sender) == nullptr
                        : entry.state == DirectoryState::unshared;
  if (lost && message->kind == MessageKind::write_permission_only) {
    directory.shared_.coverage.race(RacePoint::upgrade_granted_as_write);
  }
  grant(*message, lost || message->kind == MessageKind::write);
}

void DirectoryStep::grant(const Message& asked, bool with_data) {
  Node& node = directory.node_;
  entry.sharers.clear();
  entry.owner = {asked.sender, asked.request};
  const std::uint32_t counter = node.log_owner(line, asked.sender);
  if (with_data) {
    node.send_line(asked.sender, node.frame_at(asked.sender, asked.frame),
                   node.with_counter(node.memory_of(line), counter), {ImmediateKind::grant_data, asked.request},
                   asked.operation);
  } else {
    node.notify_owner(asked.sender, {ImmediateKind::grant, asked.request}, asked.operation, counter);
  }
}

void DirectoryStep::invalidate_forward() {
  ++directory.shared_.counters.remote_writes_shared.value;
  begin();
  for (const Sharer& sharer : entry.sharers) {
    if (sharer.node == message->sender) continue;
    ++entry.transaction->awaited;
    ++directory.shared_.counters.invalidations.value;
    send(sharer.node, MessageKind::invalidate_forward, &sharer);
  }
}

void DirectoryStep::forward_write() {
  ++directory.shared_.counters.remote_writes_dirty.value;
  begin();
  send(entry.owner.node, MessageKind::write_forward, nullptr);
}

void DirectoryStep::deny() {
  ++directory.shared_.counters.denied.value;
  Message denial = *message;
  denial.sender = directory.node_.id();
  denial.kind = MessageKind::denied;
  directory.node_.send(message->sender, denial);
}

void DirectoryStep::remove_sharer() {
  entry.strike_off(message != nullptr ? message->sender : from);
  if (entry.transaction != nullptr) --entry.transaction->awaited;
}

void DirectoryStep::take_written_back() {
  directory.node_.take_written_back(*message);
  entry.owner = {};
}

void DirectoryStep::acknowledge_write_back() {
  directory.node_.notify(message->sender, {ImmediateKind::write_back_ack, message->request}, message->operation);
}

void DirectoryStep::finish_grant() {
  const Message asked = entry.transaction->request;
  const bool listed =
      entry.sharer(asked.sender) != nullptr || directory.options().upgrade_check == Options::UpgradeCheck::state;
  grant(asked, asked.kind == MessageKind::write || !listed);
}

void DirectoryStep::finish_shared() {
  entry.sharers.assign(1, entry.owner);
  entry.owner = {};
  const Transaction& transaction = *entry.transaction;
  if (transaction.local == nullptr && !requester_is_lost()) {
    entry.sharers.push_back({transaction.request.sender, transaction.request.request});
  }
}

void DirectoryStep::finish_fetched() {
  entry.owner = {};
}

void DirectoryStep::finish_transfer() {
  const Message& asked = entry.transaction->request;
  entry.owner = {asked.sender, asked.request};
  const std::uint32_t counter = directory.node_.log_owner(line, asked.sender);
  directory.node_.notify_owner(asked.sender, {ImmediateKind::grant_ack, asked.request}, asked.operation, counter);
}

// The line has left its owner for a node that is dead: a message asks the owner for what it has logged, and one
// answers.
void DirectoryStep::await_recovery() {
  entry.transaction->is_void = true;
  directory.node_.core().run<&Directory::recover_void>(directory.options().message * 2, directory, line.number());
}

void DirectoryStep::note_denied() {
  entry.transaction->denied = true;
  if (Sharer* sharer = entry.sharer(message->sender)) sharer->has_denied = true;
  --entry.transaction->awaited;
}

void DirectoryStep::tell_denied() {
  ++directory.shared_.counters.denied.value;
  Message denial = entry.transaction->request;
  const NodeId requester = denial.sender;
  denial.sender = directory.node_.id();
  denial.kind = MessageKind::denied;
  directory.node_.send(requester, denial);
}

void DirectoryStep::refuse_initiator() {
  directory.node_.refuse(*entry.transaction->local);
  entry.transaction->local = nullptr;
}

// The owner has told a requester itself; a writer waits for the home too (§2.4.2).
void DirectoryStep::end_denied_forward() {
  const Transaction& transaction = *entry.transaction;
  if (transaction.local != nullptr) return refuse_initiator();
  if (entry.state != DirectoryState::to_dirty) return;
  const Message& asked = transaction.request;
  directory.node_.notify(asked.sender, {ImmediateKind::grant_ack, asked.request}, asked.operation);
}

void DirectoryStep::count_late_ack() {
  if (--entry.unblocked->awaited > 0) return;
  directory.transactions_.erase(entry.unblocked->number);
  HomeData data = directory.node_.data_of(line);
  directory.node_.perform(*entry.unblocked->request, data, directory.counter_of(line));
  entry.unblocked.reset();
}

}  // namespace racksim::gam
