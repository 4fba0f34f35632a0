// What the actions of a directory entry's table have in common. See directory_step.hpp.
#include "protocols/gam/home/directory_step.hpp"

#include "protocols/gam/home/home_data.hpp"

namespace racksim::gam {

sim::OperationId DirectoryStep::operation() const {
  if (request != nullptr) return request->operation;
  return message != nullptr ? message->operation : sim::OperationId{0u};
}

sim::KeyAndOperations DirectoryStep::key_and_operations() const {
  sim::KeyAndOperations about{home.shared.object_of(line, 0), {}};
  if (operation() != 0) about.operations.push_back(operation());
  return about;
}

// Remote requests respect the home's locks, and those for locks that do not try whoever waits for one.
bool DirectoryStep::waits_for_lock(bool exclusive) const {
  const bool queues = message->locks && !message->tries;
  return !entry.lock.admits(exclusive) || (queues && entry.pending.holds_locks_back());
}

// A WRITE_PERMISSION_ONLY brings no data to who is listed as a sharer at this instant: its copy is the newest. The
// paper asks whether the directory is UnShared (§2.5), which it is not if another node has read since.
bool DirectoryStep::has_no_copy(const Message& asked) const {
  return options().upgrade_check == Options::UpgradeCheck::listed ? entry.sharer(asked.sender) == nullptr
                                                                  : entry.state == DirectoryState::unshared;
}

void DirectoryStep::perform(Request& whose) const {
  HomeData data(home.shared, line);
  home.output.perform(whose, data, home.counter_of(line));
}

void DirectoryStep::begin() {
  entry.transaction = std::make_unique<Transaction>();
  entry.transaction->number = home.transactions.begin(line);
  entry.transaction->local = request;
  for (Sharer& sharer : entry.sharers) sharer.has_denied = false;
  if (message != nullptr) entry.transaction->request = *message;
}

// To a sharer about its copy, to the owner about the request.
void DirectoryStep::tell(NodeId to, MessageKind kind, const Sharer* copy) const {
  const Transaction& transaction = *entry.transaction;
  Message told = transaction.request;  // whose number, frame, lock and operation go along
  told.line = line;
  if (copy != nullptr) told.request = copy->request;
  told.transaction = transaction.number;
  told.requester = told.sender;
  told.sender = home.self();
  told.kind = kind;
  if (transaction.local != nullptr) {
    told.tries = transaction.local->tries();
    told.operation = transaction.local->operation;
  }
  home.output.send(to, told);
}

void DirectoryStep::forward(sim::Counter& workflows, MessageKind kind) {
  ++workflows.value;
  begin();
  tell(entry.owner.node, kind, nullptr);
}

void DirectoryStep::invalidate() {
  ++counters().home_writes_shared.value;
  begin();
  entry.transaction->awaited = entry.sharers.size();
  for (const Sharer& sharer : entry.sharers) tell(sharer.node, MessageKind::invalidate, &sharer);
  counters().invalidations.value += entry.sharers.size();
}

void DirectoryStep::grant(const Message& asked, bool with_data) {
  entry.sharers.clear();
  entry.owner = {asked.sender, asked.request};
  const std::uint32_t counter = home.log_owner(line, asked.sender);
  if (with_data) {
    home.output.send_line(asked.sender, home.shared.frame_at(asked.sender, asked.frame), home.shared.content_of(line),
                          {ImmediateKind::grant_data, asked.request}, asked.operation, counter);
  } else {
    home.output.notify(asked.sender, {ImmediateKind::grant, asked.request}, asked.operation, counter);
  }
}

void DirectoryStep::deny(Message asked) const {
  ++counters().denied.value;
  const NodeId requester = asked.sender;
  asked.sender = home.self();
  asked.kind = MessageKind::denied;
  home.output.send(requester, asked);
}

void DirectoryStep::acknowledge_grant(std::optional<std::uint32_t> counter) const {
  const Message& asked = entry.transaction->request;
  home.output.notify(asked.sender, {ImmediateKind::grant_ack, asked.request}, asked.operation, counter);
}

void DirectoryStep::refuse_initiator() const {
  home.output.refuse(*entry.transaction->local);
  entry.transaction->local = nullptr;
}

}  // namespace racksim::gam
