// The home of blocks: memory, directory and locks. Accesses to one block are carried out one after the other, so that
// nobody reads between the invalidation of the copies and the write.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/write_through/messages.hpp"

namespace racksim::write_through {

class Home {
 public:
  /// Takes the block's copy from a node.
  using Invalidate = std::function<sim::Task<void>(models::NodeId holder, sim::Key block, sim::OperationId operation)>;

  Home(sim::Calendar& calendar, models::MemoryService& memory, Invalidate invalidate, bool await_invalidations)
      : calendar_(calendar),
        memory_(memory),
        invalidate_(std::move(invalidate)),
        await_invalidations_(await_invalidations),
        background_(calendar) {}

  /// An access or a request for a lock, by a node, for an operation. What is no longer asked is not carried out.
  sim::Task<Reply> serve(Request request, models::NodeId from, sim::OperationId operation);
  /// Its answer is on the way. Only now may another access to the block begin: its invalidations must not be sent
  /// before the copies that they are to take away.
  void answered(const Request& request);

  /// A node is gone: it has no copies, waits for no lock and, with `frees_locks`, holds none. `freed` is told of each
  /// that it held.
  void node_crashed(models::NodeId node, bool frees_locks,
                    const std::function<void(models::Session holder, sim::Key block)>& freed);

  bool quiescent() const;
  void visit(const std::function<void(sim::Key block, sim::Value value)>& visitor) const {
    for (const auto& [block, line] : lines_) visitor(sim::Key{block}, line.value);
  }
  /// Blocks whose locks are held.
  std::vector<sim::Key> locked() const;

 private:
  struct Hold {
    models::Session session;
    models::LockMode mode;
  };
  struct Waiting {
    Hold wanted;
    sim::Signal* over;
  };
  struct Line {
    explicit Line(sim::Calendar& calendar) : free(calendar) {}
    sim::Value value = 0;
    std::set<models::NodeId> sharers;
    bool busy = false;
    sim::Signal free;
    std::vector<Hold> holds;    // of the lock: one, or several that share it
    std::deque<Waiting> queue;  // first come, first served
  };

  Line& line(sim::Key block) { return lines_.try_emplace(block, calendar_).first->second; }
  sim::Task<void> change(Line& line, const Request& request, sim::Value value, sim::OperationId operation);
  static bool may_hold(const Line& line, models::LockMode mode) {
    return line.holds.empty() || (mode == models::LockMode::shared && line.holds[0].mode == models::LockMode::shared);
  }
  static void grant_next(Line& line);

  sim::Calendar& calendar_;
  models::MemoryService& memory_;
  Invalidate invalidate_;
  bool await_invalidations_;
  std::map<std::uint64_t, Line> lines_;
  sim::Scope background_;  // invalidations that nobody waits for
};

}  // namespace racksim::write_through
