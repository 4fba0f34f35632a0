// The directory of a home: what it knows of the copies of its lines, and its own threads' accesses of them (GAM §2.2).
//
// A line that nobody else has, and about which nothing is under way, is UnShared and has no entry. As in the cache
// (cache.hpp) the worker calls, nothing waits, and pending lists are looked at again whenever their line is stable.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/home/directory_step.hpp"
#include "protocols/line_cache/line_entries.hpp"

namespace racksim::gam {

/// Finds the owner or the content of a line by its home's log and those that it names (recovery.hpp).
class LineRecovery {
 public:
  virtual void recover_line(NodeId home, sim::Key line) = 0;

 protected:
  ~LineRecovery() = default;
};

class Directory {
 public:
  Directory(Shared& shared, Output& output);

  /// An access or a lock of a line by the home's own thread.
  void access(Request& request);
  void unlock(sim::Key line);
  /// A control message of another node.
  void take(const Message& message);
  /// A WRITE_BACK with its data, which lie in a buffer until it is handled.
  void take(const Message& message, models::Content landed);
  /// A notification; what data it brings are in memory.
  void take(const Immediate& immediate, NodeId from);

  /// What is known of a line; null if that is nothing.
  const Entry* find(sim::Key line) const { return entries_.find(line); }
  /// For warming up: the same, made if there was none, and forgotten again if it says nothing.
  Entry& entry(sim::Key line) { return entries_[line]; }
  void forget_if_empty(sim::Key line);
  /// The counter of a new ownership of the line.
  std::uint32_t raise_counter(sim::Key line) { return ++home_.counters[line]; }
  /// Calls `visit(line, entry)`, in no particular order.
  template <class Visit>
  void for_each_unordered(Visit&& visit) const {
    entries_.for_each(visit);
  }
  /// The same in the order of lines.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const sim::Key line : all_lines()) visit(line, *find(line));
  }
  /// What a transaction under way is about; nothing if there is none of this number.
  std::optional<sim::Key> line_of(std::uint32_t number) const { return home_.transactions.line_of(number); }

  // Failures of other nodes, and recovery (recovery.hpp).
  /// A node is taken for dead: it shares nothing, and what it has asked for is void.
  void cut_off(NodeId lost);
  /// The counter of a line's ownership: the home's own, and what a log says of it.
  std::uint32_t counter_of(sim::Key line) const { return home_.counter_of(line); }
  void set_counter(sim::Key line, std::uint32_t counter) { home_.counters[line] = counter; }
  /// The lines that recovery has to find the content of: owned by a node that has been cut off, or given to one.
  std::vector<sim::Key> lines_to_recover() const;
  /// Who recovers lines that their owner has given to a node that is dead.
  void recovered_by(LineRecovery& recovery) { recovery_ = &recovery; }
  /// The line is owned by who the log says.
  void promote(sim::Key line, const Sharer& owner);
  /// It is in memory, and nobody else has it but those sharers. What was under way about it begins anew, if it is
  /// still awaited.
  void restore(sim::Key line, const std::vector<Sharer>& sharers, bool awaited);
  /// Looks at what waits for the line.
  void go_on(sim::Key line);

  void crash();
  bool quiescent() const { return home_.transactions.empty(); }
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  template <class Work>
  void with_entry(sim::Key line, Work&& work);
  void raise(DirectoryEvent event, DirectoryStep step);
  void execute(Request& request, Entry& entry);
  void settle(Entry& entry, sim::Key line);
  void recover_void(std::uint64_t line);
  /// Lines whose entry is `wanted(entry)`, in their order.
  template <class Wanted>
  std::vector<sim::Key> lines_where(const Wanted& wanted) const {
    std::vector<sim::Key> lines;
    entries_.for_each([&](sim::Key line, const Entry& entry) {
      if (wanted(entry)) lines.push_back(line);
    });
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::vector<sim::Key> all_lines() const {
    return lines_where([](const Entry&) { return true; });
  }

  Shared& shared_;
  Output& output_;
  Home home_;
  line_cache::LineEntries<Entry> entries_;
  LineRecovery* recovery_ = nullptr;  // null without logging
};

// Most accesses of a home's own are of lines without an entry, and leave none.
template <class Work>
void Directory::with_entry(sim::Key line, Work&& work) {
  if (Entry* found = entries_.find(line)) {
    work(*found);
    if (found->says_nothing()) entries_.erase(line);
    return;
  }
  Entry entry;
  work(entry);
  if (!entry.says_nothing()) entries_[line] = std::move(entry);
}

}  // namespace racksim::gam
