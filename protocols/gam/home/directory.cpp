// Events of directory entries, and their pending lists. See directory.hpp.
#include "protocols/gam/home/directory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "protocols/gam/node/node.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

namespace {

/// What the home may do with its own line, for oracles.
constexpr sim::Permission permission_of(DirectoryState state) {
  if (state == DirectoryState::unshared) return sim::Permission::write;
  return state == DirectoryState::shared ? sim::Permission::read : sim::Permission::none;
}

DirectoryEvent directory_event_of(const Request& request) {
  if (request.is_lock()) {
    return request.is_exclusive() ? DirectoryEvent::local_write_lock : DirectoryEvent::local_read_lock;
  }
  return request.is_exclusive() ? DirectoryEvent::local_write : DirectoryEvent::local_read;
}

DirectoryEvent directory_event_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::read:
      return DirectoryEvent::read;
    case MessageKind::write:
      return DirectoryEvent::write;
    case MessageKind::write_permission_only:
      return DirectoryEvent::write_permission_only;
    case MessageKind::active_invalidate:
      return DirectoryEvent::active_invalidate;
    case MessageKind::write_back:
      return DirectoryEvent::write_back;
    case MessageKind::denied_to_home:
      return DirectoryEvent::denied;
    default:
      throw std::logic_error(fmt::format("{} is no message to a home", to_string(kind)));
  }
}

DirectoryEvent directory_event_of(ImmediateKind kind) {
  switch (kind) {
    case ImmediateKind::invalidate_ack:
      return DirectoryEvent::invalidate_ack;
    case ImmediateKind::fetched:
      return DirectoryEvent::fetched;
    case ImmediateKind::transfer:
      return DirectoryEvent::transfer;
    default:
      throw std::logic_error(fmt::format("{} is no notification to a home", to_string(kind)));
  }
}

}  // namespace

const Sharer* Entry::sharer(NodeId node) const {
  const auto found = std::find_if(sharers.begin(), sharers.end(), [&](const Sharer& s) { return s.node == node; });
  return found == sharers.end() ? nullptr : &*found;
}

Sharer* Entry::sharer(NodeId node) {
  const Sharer* found = std::as_const(*this).sharer(node);
  return found == nullptr ? nullptr : &sharers[static_cast<std::size_t>(found - sharers.data())];
}

Directory::Directory(Shared& shared, Node& node) : shared_(shared), node_(node) {}

std::uint32_t Directory::next_number() {
  do {
    next_number_ = (next_number_ + 1) % Immediate::kNumbers;
  } while (next_number_ == 0 || transactions_.find(next_number_) != nullptr);
  return next_number_;
}

const Entry* Directory::find(sim::Key line) const {
  const auto found = entries_.find(line);
  return found == entries_.end() ? nullptr : &found->second;
}

void Directory::forget_if_empty(sim::Key line) {
  if (const Entry* entry = find(line); entry != nullptr && entry->says_nothing()) entries_.erase(line);
}

void Directory::access(Request& request) {
  ++shared_.counters.home_accesses.value;
  with_entry(request.line, [&](Entry& entry) { execute(request, entry); });
}

void Directory::execute(Request& request, Entry& entry) {
  raise(directory_event_of(request), entry, request.line, &request, nullptr);
}

void Directory::unlock(sim::Key line) {
  with_entry(line, [&](Entry& entry) {
    entry.lock.give_back();
    settle(entry, line);
  });
}

void Directory::take(const Message& message) {
  with_entry(message.line, [&](Entry& entry) {
    raise(directory_event_of(message.kind), entry, message.line, nullptr, &message);
    if (entry.transaction != nullptr) settle(entry, message.line);
  });
}

void Directory::take(const Immediate& immediate, NodeId from) {
  const std::uint64_t* found = transactions_.find(immediate.number);
  if (found == nullptr) {
    if (node_.has_cut_off()) return ++shared_.counters.late.value, void();
    throw std::logic_error(fmt::format("node {}: {} of node {} for transaction {}, which is not under way", node_.id(),
                                       to_string(immediate.kind), from, immediate.number));
  }
  const sim::Key line{*found};
  with_entry(line, [&](Entry& entry) {
    const bool late = entry.unblocked != nullptr && entry.unblocked->number == immediate.number;
    raise(late ? DirectoryEvent::late_ack : directory_event_of(immediate.kind), entry, line, nullptr, nullptr, from);
    if (entry.transaction != nullptr) settle(entry, line);
  });
}

void Directory::record(sim::Key line, sim::OperationId operation, sim::Permission permission) {
  sim::record_permission(shared_.rack.event_log(), shared_.source, shared_.rack.calendar().now(), operation,
                         shared_.object_of(line, 0), node_.id(), permission);
}

void Directory::raise(DirectoryEvent event, Entry& entry, sim::Key line, Request* request, const Message* message,
                      NodeId from) {
  const sim::Permission before = permission_of(entry.state);
  DirectoryStep step{
      .directory = *this, .entry = entry, .line = line, .request = request, .message = message, .from = from};
  DirectoryStep::execute(entry.state, event, step, shared_.coverage);
  if (permission_of(entry.state) == before) return;
  const sim::OperationId operation = request != nullptr   ? request->operation
                                     : message != nullptr ? message->operation
                                                          : sim::OperationId{0u};
  record(line, operation, permission_of(entry.state));
}

void Directory::settle(Entry& entry, sim::Key line) {
  if (!is_stable(entry.state)) return;
  const std::unique_ptr<Transaction> ended = std::move(entry.transaction);
  if (ended != nullptr) transactions_.erase(ended->number);
  const std::vector<Pending> waiting = entry.pending.take();
  // What the line was fetched for comes first, whoever waits. The others keep their order, and with it what each node
  // says of the line: its notice of an eviction goes before its next request, which is its last until it is answered.
  if (ended != nullptr && ended->local != nullptr) execute(*ended->local, entry);
  for (const Pending& pending : waiting) {
    if (!is_stable(entry.state)) {
      entry.pending.put_back(pending);
    } else if (pending.request != nullptr) {
      execute(*pending.request, entry);
    } else {
      raise(directory_event_of(pending.message.kind), entry, line, nullptr, &pending.message);
    }
  }
}

std::optional<sim::Key> Directory::line_of(std::uint32_t number) const {
  const std::uint64_t* line = transactions_.find(number);
  return line == nullptr ? std::nullopt : std::optional(sim::Key{*line});
}

void Directory::crash() {
  counters_ = {};
  for_each([&](sim::Key line, const Entry& entry) {
    if (permission_of(entry.state) != sim::Permission::none) record(line, 0, sim::Permission::none);
  });
  entries_.clear();
  transactions_ = {};
}

std::vector<std::uint64_t> Directory::sorted_lines() const {
  std::vector<std::uint64_t> lines;
  lines.reserve(entries_.size());
  for (const auto& [line, entry] : entries_) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

void Directory::add_leaks(std::vector<models::Leak>& leaks) const {
  for_each([&](sim::Key line, const Entry& entry) {
    if (entry.transaction == nullptr && entry.unblocked == nullptr && entry.pending.empty()) return;
    leaks.push_back(
        {"stuck-request",
         fmt::format("node {}: line {} is {} at its home, with {} in its pending list", node_.id(),
                     sim::printed_key(line), DirectoryStep::table().states[static_cast<std::size_t>(entry.state)],
                     entry.pending.size()),
         {shared_.object_of(line, 0), {}}});
  });
}

void Directory::add_waits(std::vector<sim::Wait>& waits) const {
  for_each([&](sim::Key line, const Entry& entry) {
    if (entry.transaction == nullptr && entry.pending.empty()) return;
    const std::string what =
        fmt::format("line {}, {} at its home node{}", sim::printed_key(line),
                    DirectoryStep::table().states[static_cast<std::size_t>(entry.state)], node_.id());
    if (const Transaction* transaction = entry.transaction.get()) {
      const std::string who = transaction->local != nullptr ? node_.name_of(transaction->local->thread)
                                                            : fmt::format("node{}", transaction->request.sender);
      if (transaction->awaited == 0) {
        waits.push_back({.who = who, .whom = fmt::format("node{}", entry.owner.node), .why = what});
      }
      for (const Sharer& sharer : entry.sharers) {
        waits.push_back({.who = who, .whom = fmt::format("node{}", sharer.node), .why = what});
      }
    }
    for (const Pending& pending : entry.pending) {
      waits.push_back({.who = pending.request != nullptr ? node_.name_of(pending.request->thread)
                                                         : fmt::format("node{}", pending.message.sender),
                       .whom = fmt::format("node{}", node_.id()),
                       .why = what});
    }
  });
}

}  // namespace racksim::gam
