// Events of directory entries, and their pending lists. See directory.hpp.
#include "protocols/gam/home/directory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

namespace {

DirectoryEvent event_at_home(const Request& request) {
  if (request.is_lock()) {
    return request.is_exclusive() ? DirectoryEvent::local_write_lock : DirectoryEvent::local_read_lock;
  }
  return request.is_exclusive() ? DirectoryEvent::local_write : DirectoryEvent::local_read;
}

DirectoryEvent event_at_home(MessageKind kind) {
  using enum MessageKind;
  return event_of<MessageKind, DirectoryEvent>(kind, {{read, DirectoryEvent::read},
                                                      {write, DirectoryEvent::write},
                                                      {write_permission_only, DirectoryEvent::write_permission_only},
                                                      {active_invalidate, DirectoryEvent::active_invalidate},
                                                      {write_back, DirectoryEvent::write_back},
                                                      {denied_to_home, DirectoryEvent::denied}});
}

DirectoryEvent event_at_home(ImmediateKind kind) {
  return event_of<ImmediateKind, DirectoryEvent>(kind, {{ImmediateKind::invalidate_ack, DirectoryEvent::invalidate_ack},
                                                        {ImmediateKind::fetched, DirectoryEvent::fetched},
                                                        {ImmediateKind::transfer, DirectoryEvent::transfer}});
}

}  // namespace

Directory::Directory(Shared& shared, Output& output)
    : shared_(shared),
      output_(output),
      home_{.shared = shared,
            .output = output,
            .write_backs = {shared.rack.nodes(), std::vector<models::Content>(shared.options.write_back_buffers)}} {}

void Directory::forget_if_empty(sim::Key line) {
  if (const Entry* entry = find(line); entry != nullptr && entry->says_nothing()) entries_.erase(line);
}

void Directory::access(Request& request) {
  ++shared_.counters.home_accesses.value;
  with_entry(request.line, [&](Entry& entry) { execute(request, entry); });
}

void Directory::execute(Request& request, Entry& entry) {
  raise(event_at_home(request), {.home = home_, .entry = entry, .line = request.line, .request = &request});
}

void Directory::unlock(sim::Key line) {
  with_entry(line, [&](Entry& entry) {
    entry.lock.give_back();
    settle(entry, line);
  });
}

void Directory::take(const Message& message) {
  with_entry(message.line, [&](Entry& entry) {
    raise(event_at_home(message.kind), {.home = home_, .entry = entry, .line = message.line, .message = &message});
    if (entry.transaction != nullptr) settle(entry, message.line);
  });
}

void Directory::take(const Message& message, models::Content landed) {
  home_.write_backs[message.sender][message.frame] = std::move(landed);
  take(message);
}

void Directory::take(const Immediate& immediate, NodeId from) {
  const std::optional<sim::Key> line = line_of(immediate.number);
  if (!line) {
    if (output_.has_cut_off()) return ++shared_.counters.late.value, void();
    throw std::logic_error(fmt::format("node {}: {} of node {} for transaction {}, which is not under way",
                                       output_.self(), to_string(immediate.kind), from, immediate.number));
  }
  with_entry(*line, [&](Entry& entry) {
    const bool late = entry.unblocked != nullptr && entry.unblocked->number == immediate.number;
    raise(late ? DirectoryEvent::late_ack : event_at_home(immediate.kind),
          {.home = home_, .entry = entry, .line = *line, .from = from});
    if (entry.transaction != nullptr) settle(entry, *line);
  });
}

void Directory::raise(DirectoryEvent event, DirectoryStep step) {
  DirectoryState& state = step.entry.state;
  const sim::Permission before = permission_of(state);
  directory_table().on(state, event, step, shared_.coverage);
  // A message asks the owner for what it has logged, and one answers.
  if (step.awaits_recovery) {
    output_.core().run<&Directory::recover_void>(shared_.options.message * 2, *this, step.line.number());
  }
  if (permission_of(state) != before) output_.record(step.line, step.operation(), permission_of(state));
}

void Directory::settle(Entry& entry, sim::Key line) {
  if (!is_stable(entry.state)) return;
  const std::unique_ptr<Transaction> ended = std::move(entry.transaction);
  if (ended != nullptr) home_.transactions.end(ended->number);
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
      raise(event_at_home(pending.message.kind),
            {.home = home_, .entry = entry, .line = line, .message = &pending.message});
    }
  }
}

void Directory::crash() {
  home_.counters = {};
  for_each([&](sim::Key line, const Entry& entry) {
    if (permission_of(entry.state) != sim::Permission::none) output_.record(line, 0, sim::Permission::none);
  });
  entries_.clear();
  home_.transactions.clear();
}

void Directory::add_leaks(std::vector<models::Leak>& leaks) const {
  const auto is_stuck = [](const Entry& entry) {
    return entry.transaction != nullptr || entry.unblocked != nullptr || !entry.pending.empty();
  };
  for (const sim::Key line : lines_where(is_stuck)) {
    const Entry& entry = *find(line);
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: line {} is {} at its home, with {} in its pending list", output_.self(),
                                 sim::printed_key(line), name_of(entry.state), entry.pending.size()),
                     {shared_.object_of(line, 0), {}}});
  }
}

void Directory::add_waits(std::vector<sim::Wait>& waits) const {
  for_each([&](sim::Key line, const Entry& entry) {
    if (entry.transaction == nullptr && entry.pending.empty()) return;
    const std::string what =
        fmt::format("line {}, {} at its home node{}", sim::printed_key(line), name_of(entry.state), output_.self());
    if (const Transaction* transaction = entry.transaction.get()) {
      const std::string who = transaction->local != nullptr ? thread_name(output_.self(), transaction->local->thread)
                                                            : fmt::format("node{}", transaction->request.sender);
      if (transaction->awaited == 0) {
        waits.push_back({.who = who, .whom = fmt::format("node{}", entry.owner.node), .why = what});
      }
      for (const Sharer& sharer : entry.sharers) {
        waits.push_back({.who = who, .whom = fmt::format("node{}", sharer.node), .why = what});
      }
    }
    entry.pending.add_waits(waits, output_.self(), fmt::format("node{}", output_.self()), what);
  });
}

}  // namespace racksim::gam
