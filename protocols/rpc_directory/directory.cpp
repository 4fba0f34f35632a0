// Messages to a directory, and its inspection. See directory.hpp.
#include "protocols/rpc_directory/directory.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "protocols/line_cache/connections.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::rpc_directory {

Holder* Entry::holder(NodeId node) {
  const auto found =
      std::find_if(holders.begin(), holders.end(), [&](const Holder& candidate) { return candidate.node == node; });
  return found == holders.end() ? nullptr : &*found;
}

std::string Entry::text() const {
  std::vector<Holder> sorted = holders;
  std::sort(sorted.begin(), sorted.end(), [](const Holder& a, const Holder& b) { return a.node < b.node; });
  std::string text;
  for (const Holder& holder : sorted) text += Entry::text(state == DirectoryState::exclusive, holder);
  return text;
}

std::string Entry::text(bool exclusive, const Holder& holder) {
  return fmt::format("{}{}:{} ", exclusive ? 'X' : 'S', holder.node, holder.version);
}

Directory::Directory(Shared& shared, NodeId server)
    : shared_(shared), server_(server), queue_pairs_(shared.roles().compute_nodes) {
  models::Server& host = shared.rack.server(server);
  for (unsigned i = 0; i < shared.options.cores(); ++i) {
    queues_.push_back(&host.nic().create_completion_queue(host.core(i, "directory"), *this));
  }
}

// Queue pairs are spread over the cores that poll them, whatever lines their messages are about: one for each core
// would be more than a NIC's cache of them holds.
models::ReliableConnection& Directory::open(NodeId node) {
  models::CompletionQueue& queue = *queues_[opened_++ % queues_.size()];
  auto& queue_pair = shared_.rack.server(server_).nic().create_reliable({.sent = queue, .received = queue});
  queue_pair.post_receive(line_cache::kReceives);
  queue_pairs_[node].push_back(&queue_pair);
  return queue_pair;
}

models::Core& Directory::core_of(sim::Key line) const {
  return queues_[line.number() % queues_.size()]->poller();
}

void Directory::on_completion(const models::Completion& completion) {
  if (completion.status != models::Status::success) {
    ++shared_.counters.failed_verbs.value;
    return;
  }
  if (completion.opcode != models::Opcode::receive) return;
  const auto message = completion.content.as<Message>();
  queue_pairs_[message.sender][message.endpoint]->post_receive();
  core_of(message.line).run<&Directory::handle>(shared_.options.directory_handling(), *this, inbox_.put(message));
}

void Directory::handle(std::uint32_t slot) {
  const Message message = inbox_.take(slot);
  ++shared_.counters.handled.value;
  Entry& entry = entries_[message.line];
  execute(entry, message);
  // What has waited is served in its order, as long as the line is free for it.
  while (entry.transaction != nullptr && !is_busy(entry.state)) {
    const std::unique_ptr<Transaction> ended = std::move(entry.transaction);
    --busy_;
    std::deque<Message> queue = std::move(ended->queue);
    while (!queue.empty() && !is_busy(entry.state)) {
      const Message next = queue.front();
      queue.pop_front();
      execute(entry, next);
    }
    if (entry.transaction != nullptr) entry.transaction->queue = std::move(queue);
  }
  if (entry.state == DirectoryState::uncached) entries_.erase(message.line);
}

void Directory::execute(Entry& entry, const Message& message) {
  const bool was_busy = entry.transaction != nullptr;
  DirectoryStep step{.directory = *this, .entry = entry, .message = message};
  directory_table().on(entry.state, event_of_home(message.kind), step, shared_.coverage);
  if (!was_busy && entry.transaction != nullptr) ++busy_;
}

void Directory::reply(const Message& request, Reply reply) const {
  reply.line = request.line;
  reply.request = request.request;
  models::Content page;
  if (reply.verdict == Verdict::page) {
    page = shared_.lines.memory_of(request.line)
               .read(shared_.lines.address_of(request.line, 0), shared_.options.line_bytes);
  }
  post_reply(*queue_pairs_[request.sender][request.endpoint], reply, page.bytes(),
             shared_.buffer_of(request.sender, request.endpoint), request.operation);
}

void Directory::invalidate(const Holder& holder, const Message& request) const {
  ++shared_.counters.invalidations.value;
  const Message message{.line = request.line,
                        .version = holder.version,
                        .sender = server_,
                        .kind = MessageKind::invalidate,
                        .tries = request.tries && shared_.options.await_acks,
                        .operation = request.operation};
  post_message(*queue_pairs_[holder.node].back(), message);
}

void Directory::crash() {
  entries_.clear();
  inbox_.clear();
  busy_ = 0;
}

std::vector<std::uint64_t> Directory::busy_lines() const {
  std::vector<std::uint64_t> lines;
  entries_.for_each([&](sim::Key line, const Entry& entry) {
    if (entry.transaction != nullptr) lines.push_back(line.number());
  });
  std::sort(lines.begin(), lines.end());
  return lines;
}

void Directory::forget_holder(sim::Key line, NodeId node) {
  Entry& entry = *entries_.find(line);
  std::erase_if(entry.holders, [&](const Holder& holder) { return holder.node == node; });
  if (entry.holders.empty()) entries_.erase(line);
}

void Directory::add_leaks(std::vector<models::Leak>& leaks) const {
  for (const std::uint64_t line : busy_lines()) {
    const Entry& entry = *entries_.find(sim::Key{line});
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: line {} is {} for node {}, with {} requests waiting", server_,
                                 sim::printed_key(sim::Key{line}),
                                 directory_table().description().states[static_cast<std::size_t>(entry.state)],
                                 entry.transaction->request.sender, entry.transaction->queue.size()),
                     {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
}

void Directory::add_waits(std::vector<sim::Wait>& waits) const {
  const auto name = [](const Message& request) {
    return fmt::format("node{}/thread{}", request.sender, request.endpoint);
  };
  for (const std::uint64_t number : busy_lines()) {
    const Entry& entry = *entries_.find(sim::Key{number});
    const Transaction& transaction = *entry.transaction;
    const std::string what =
        fmt::format("line {}, {} at its home node{}", sim::printed_key(sim::Key{number}),
                    directory_table().description().states[static_cast<std::size_t>(entry.state)], server_);
    const auto& awaited = entry.state == DirectoryState::invalidating ? transaction.awaited : entry.holders;
    for (const Holder& holder : awaited) {
      waits.push_back({.who = name(transaction.request), .whom = fmt::format("node{}", holder.node), .why = what});
    }
    for (const Message& queued : transaction.queue) {
      waits.push_back({.who = name(queued), .whom = name(transaction.request), .why = what});
    }
  }
}

}  // namespace racksim::rpc_directory
