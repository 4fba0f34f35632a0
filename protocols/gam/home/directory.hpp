// The directory of a home: what it knows of the copies of its lines, and its own threads' accesses of them (GAM §2.2).
//
// A line that nobody else has, and about which nothing is under way, is UnShared and has no entry. As in the cache
// (cache.hpp) the worker calls, nothing waits, and pending lists are looked at again whenever their line is stable.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/home/directory_step.hpp"
#include "protocols/gam/rules/line_lock.hpp"
#include "protocols/gam/rules/pending_list.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::gam {

class Node;

/// A copy, as the home knows it.
struct Sharer {
  NodeId node = 0;
  std::uint32_t request = 0;  ///< that it came by
  bool has_denied = false;    ///< the try that is under way
};

/// A request that takes more than one message.
struct Transaction {
  std::uint32_t number = 0;
  Request* local = nullptr;  ///< of the home's own thread,
  Message request{};         ///< or of another node
  std::size_t awaited = 0;   ///< sharers' answers
  bool denied = false;       ///< by one of them
  bool for_nobody = false;   ///< who has asked is dead
  bool is_void = false;      ///< the line has gone to who has asked, who is dead
};

/// A write of the home's own that did not block its line (`blocking: false`).
struct UnblockedWrite {
  std::uint32_t number = 0;
  Request* request = nullptr;
  std::size_t awaited = 0;
};

struct Entry {
  DirectoryState state = DirectoryState::unshared;
  LineLock lock;                               ///< of the home's own threads
  Sharer owner{};                              ///< if it is Dirty
  std::vector<Sharer> sharers{};               ///< in the order in which they came
  std::unique_ptr<Transaction> transaction{};  ///< null in a stable state
  std::unique_ptr<UnblockedWrite> unblocked{};
  PendingList pending{};

  /// Whether it is as that of a line that was never heard of.
  bool says_nothing() const {
    return state == DirectoryState::unshared && lock.is_free() && transaction == nullptr && unblocked == nullptr &&
           pending.empty();
  }
  Sharer* sharer(NodeId node);
  const Sharer* sharer(NodeId node) const;
  void strike_off(NodeId node) {
    std::erase_if(sharers, [&](const Sharer& s) { return s.node == node; });
  }
};

class Directory {
 public:
  Directory(Shared& shared, Node& node);

  /// An access or a lock of a line by the home's own thread.
  void access(Request& request);
  void unlock(sim::Key line);
  /// A control message of another node.
  void take(const Message& message);
  /// A notification; what data it brings are in memory.
  void take(const Immediate& immediate, NodeId from);

  /// What is known of a line; null if that is nothing.
  const Entry* find(sim::Key line) const;
  /// For warming up: the same, made if there was none, and forgotten again if it says nothing.
  Entry& entry(sim::Key line) { return entries_[line]; }
  void forget_if_empty(sim::Key line);
  /// Calls `visit(line, entry)` in the order of lines.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::uint64_t line : sorted_lines()) visit(sim::Key{line}, entries_.at(line));
  }
  /// What a transaction under way is about; nothing if there is none of this number.
  std::optional<sim::Key> line_of(std::uint32_t number) const;

  // Failures of other nodes, and recovery (recovery.hpp).
  /// A node is taken for dead: it shares nothing, and what it has asked for is void.
  void cut_off(NodeId lost);
  /// The counter of a new ownership of the line.
  std::uint32_t raise_counter(sim::Key line);
  void set_counter(sim::Key line, std::uint32_t counter) { counters_[line] = counter; }
  /// The counter under which the home itself writes.
  std::uint32_t counter_of(sim::Key line) const;
  /// The lines that recovery has to find the content of: owned by a node that has been cut off, or given to one.
  std::vector<sim::Key> lines_to_recover() const;
  /// The line is owned by who the log says.
  void promote(sim::Key line, const Sharer& owner);
  /// It is in memory, and nobody else has it but those sharers. What was under way about it begins anew.
  void restore(sim::Key line, const std::vector<Sharer>& sharers);
  /// Recovers a line that its owner has given to a node that is dead, if the owner lives: its log has the content.
  void recover_void(std::uint64_t line);
  /// Looks at what waits for the line.
  void go_on(sim::Key line);

  void crash();
  bool quiescent() const { return transactions_.size() == 0; }
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  friend struct DirectoryStep;

  template <class Work>
  void with_entry(sim::Key line, Work&& work);
  void raise(DirectoryEvent event, Entry& entry, sim::Key line, Request* request, const Message* message,
             NodeId from = 0);
  void execute(Request& request, Entry& entry);
  void settle(Entry& entry, sim::Key line);
  void record(sim::Key line, sim::OperationId operation, sim::Permission permission);
  std::uint32_t next_number();
  std::vector<std::uint64_t> sorted_lines() const;
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  Node& node_;
  std::unordered_map<std::uint64_t, Entry> entries_;  // by line
  sim::FlatMap<std::uint64_t> transactions_;          // lines, by number
  sim::FlatMap<std::uint32_t> counters_;              // of ownerships, by line, with logging
  std::uint32_t next_number_ = 0;
};

// Most accesses of a home's own are of lines without an entry, and leave none.
template <class Work>
void Directory::with_entry(sim::Key line, Work&& work) {
  if (const auto found = entries_.find(line); found != entries_.end()) {
    work(found->second);
    if (found->second.says_nothing()) entries_.erase(found);
    return;
  }
  Entry entry;
  work(entry);
  if (!entry.says_nothing()) entries_.emplace(line, std::move(entry));
}

}  // namespace racksim::gam
