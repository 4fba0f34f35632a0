// The directory of a home: what it knows of the copies of its lines, and its own threads' accesses of them (GAM §2.2).
//
// A line that nobody else has, and about which nothing is under way, is UnShared and has no entry. As in the cache
// (cache.hpp) the worker calls, nothing waits, and pending lists are looked at again whenever their line is stable.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/directory_step.hpp"
#include "protocols/gam/line_lock.hpp"
#include "protocols/gam/pending_list.hpp"
#include "protocols/gam/shared.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::gam {

class Node;

/// A copy, as the home knows it.
struct Sharer {
  NodeId node = 0;
  std::uint32_t request = 0;  ///< that it came by
};

/// A request that takes more than one message.
struct Transaction {
  std::uint32_t number = 0;
  Request* local = nullptr;  ///< of the home's own thread,
  Message request{};         ///< or of another node
  std::size_t awaited = 0;   ///< sharers' answers
  bool denied = false;       ///< by one of them
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
  std::uint32_t next_number();
  std::vector<std::uint64_t> sorted_lines() const;
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  Node& node_;
  std::unordered_map<std::uint64_t, Entry> entries_;  // by line
  sim::FlatMap<std::uint64_t> transactions_;          // lines, by number
  std::uint32_t next_number_ = 0;
};

}  // namespace racksim::gam
