// Guards and actions of a directory entry's transition table. See directory_step.hpp.
#include <algorithm>

#include "protocols/rpc_directory/compute_node.hpp"
#include "protocols/rpc_directory/coverage.hpp"
#include "protocols/rpc_directory/directory.hpp"
#include "protocols/rpc_directory/verbs.hpp"

namespace racksim::rpc_directory {

sim::KeyAndOperations DirectoryStep::key_and_operations() const {
  sim::KeyAndOperations about{directory.shared_.lines.object_of(message.line, 0), {}};
  if (message.operation != 0) about.operations.push_back(message.operation);
  return about;
}

bool DirectoryStep::nobody_else_shares() const {
  return std::all_of(entry.holders.begin(), entry.holders.end(),
                     [&](const Holder& holder) { return holder.node == message.sender; });
}
bool DirectoryStep::awaits_no_acks() const {
  return !directory.shared_.options.await_acks;
}
bool DirectoryStep::queues_nothing() const {
  return !directory.shared_.options.queue_busy;
}
bool DirectoryStep::owner_asks() const {
  return entry.holders.front().node == message.sender;
}
bool DirectoryStep::more_acks_awaited() const {
  const auto& awaited = entry.transaction->awaited;
  return std::any_of(awaited.begin(), awaited.end(),
                     [&](const Holder& holder) { return holder.node != message.sender; });
}
bool DirectoryStep::is_stale() const {
  const Holder* holder = entry.holder(message.sender);
  return holder == nullptr || (directory.shared_.options.versions && holder->version != message.version);
}
bool DirectoryStep::is_last_share() const {
  return entry.holders.size() == 1;
}
// The owner's notice and the requester's come by different queue pairs.
bool DirectoryStep::requester_leaves() const {
  const Message& request = entry.transaction->request;
  return message.sender == request.sender && message.version == request.request;
}
bool DirectoryStep::requester_has_left() const {
  return entry.transaction->requester_left;
}
bool DirectoryStep::reader_waits() const {
  return entry.transaction->request.kind == MessageKind::read_request;
}

// The node may still be among the holders with a share that it has evicted; the notice of that is stale from now on.
void DirectoryStep::grant_share() {
  if (Holder* holder = entry.holder(message.sender)) {
    directory.shared_.coverage.race(RacePoint::sharer_asks_again);
    holder->version = message.request;
  } else {
    entry.holders.push_back({message.sender, message.request});
  }
  grant(message, false);
}

void DirectoryStep::grant_exclusive() {
  grant(message, true);
}

// The page comes along unless the requester still has the very share that the home knows of.
void DirectoryStep::grant(const Message& request, bool exclusive) {
  if (!exclusive) {
    reply(request, {.line = request.line, .request = request.request, .verdict = Verdict::page}, true);
    return;
  }
  const Holder* own = entry.holder(request.sender);
  const bool upgrade = own != nullptr && request.version != 0 && own->version == request.version;
  entry.holders.assign(1, {request.sender, request.request});
  reply(request,
        {.line = request.line, .request = request.request, .verdict = upgrade ? Verdict::upgrade : Verdict::page},
        !upgrade);
}

void DirectoryStep::reply(const Message& request, const Reply& reply, bool with_page) {
  const Shared& shared = directory.shared_;
  const models::RemoteAddress buffer = shared.nodes[request.sender]->buffer_of(request.endpoint);
  models::QueuePair& queue_pair = *directory.queue_pairs_[request.sender][request.endpoint];
  if (with_page) {
    const models::Content page =
        shared.lines.memory_of(request.line).read(shared.lines.address_of(request.line, 0), shared.options.line_bytes);
    queue_pair.post(write_of(reply, page.bytes(), buffer, request.operation));
  } else {
    queue_pair.post(write_of(reply, buffer, request.operation));
  }
}

void DirectoryStep::invalidate_others() {
  const bool awaited = entry.transaction != nullptr;
  for (const Holder& holder : entry.holders) {
    if (holder.node == message.sender) continue;
    ++directory.shared_.counters.invalidations.value;
    if (awaited) entry.transaction->awaited.push_back(holder);
    const Message invalidation{.line = message.line,
                               .version = holder.version,
                               .sender = directory.server_,
                               .kind = MessageKind::invalidate,
                               .operation = message.operation};
    post_message(*directory.queue_pairs_[holder.node].back(), invalidation);
  }
}

void DirectoryStep::begin() {
  if (entry.state == DirectoryState::exclusive && owner_asks()) {
    directory.shared_.coverage.race(RacePoint::owner_asks_again);
  }
  entry.transaction = std::make_unique<Transaction>(Transaction{.request = message});
  ++directory.busy_;
}

void DirectoryStep::redirect() {
  ++directory.shared_.counters.redirected.value;
  const Holder& owner = entry.holders.front();
  reply(message,
        {.line = message.line,
         .request = message.request,
         .owner_version = owner.version,
         .owner = owner.node,
         .verdict = Verdict::ask_owner},
        false);
}

void DirectoryStep::queue() {
  ++directory.shared_.counters.queued.value;
  entry.transaction->queue.push_back(message);
}

void DirectoryStep::acknowledge() {
  std::erase_if(entry.transaction->awaited, [&](const Holder& holder) { return holder.node == message.sender; });
}

void DirectoryStep::finish_exclusive() {
  const Message request = entry.transaction->request;
  // What the owner has given back it does not have any more.
  if (entry.state != DirectoryState::invalidating) entry.holders.clear();
  grant(request, true);
}

void DirectoryStep::finish_shared() {
  const Message request = entry.transaction->request;
  entry.holders.assign(1, {request.sender, request.request});
  grant(request, false);
}

void DirectoryStep::finish_handed_over() {
  const Message& request = entry.transaction->request;
  entry.holders.assign(1, {request.sender, request.request});
}

void DirectoryStep::finish_shared_out() {
  const Message& request = entry.transaction->request;
  entry.holders.push_back({request.sender, request.request});
}

void DirectoryStep::note_left() {
  directory.shared_.coverage.race(RacePoint::requester_evicts_first);
  entry.transaction->requester_left = true;
}

void DirectoryStep::forget_holders() {
  entry.holders.clear();
}

void DirectoryStep::drop_holder() {
  std::erase_if(entry.holders, [&](const Holder& holder) { return holder.node == message.sender; });
}

void DirectoryStep::note_stale() {
  ++directory.shared_.counters.stale.value;
}

}  // namespace racksim::rpc_directory
