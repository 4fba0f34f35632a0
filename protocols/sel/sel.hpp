// SEL: one-sided access to disaggregated memory under a shared-exclusive latch, without caches (SELCC §2 and §7.1,
// after Ziegler et al., "Design Guidelines for Correct, Efficient, and Scalable Synchronization using One-Sided RDMA",
// SIGMOD 2023). The baseline that SELCC is measured against.
//
// A reader adds its bit to the line's word and reads the line, in one round trip; if the word shows a writer, it takes
// the bit away and tries again. A writer swaps its id in for 0 and reads the line. Right after the access the latch is
// released, a writer's behind the WRITE of what it has changed. Two atomics an access.
//
// The word is SELCC's (protocols/latched_memory/latch_word.hpp), whose ids are those of nodes: a second bit of the same
// node would carry into its neighbour's. So the threads of a node take turns at a line, in the order of asking. An
// access returns when its release has completed, and a write is performed when its WRITE is in memory.
//
// A try-lock waits for no turn: it is refused while another thread of its node has one or waits for one, even where both
// would read, for two bits of a node cannot be in the word. Else it makes a few attempts, as the published code of SELCC.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/permissions.hpp"
#include "protocols/latched_memory/memory_servers.hpp"
#include "protocols/sel/options.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/record/coverage.hpp"
#include "sim/record/history.hpp"

namespace racksim::sel {

using latched_memory::LatchWord;
using models::NodeId;

/// Counters under "sel.".
struct Counters {
  sim::Metrics& m;
  sim::Counter& reads = m.counter("sel.verbs.read", "verbs", "READs of lines");
  sim::Counter& writes = m.counter("sel.verbs.write", "verbs", "WRITEs of what was changed");
  sim::Counter& swaps = m.counter("sel.verbs.compare_swap", "verbs", "compare-and-swaps of latch words");
  sim::Counter& adds = m.counter("sel.verbs.fetch_add", "verbs", "fetch-and-adds to latch words");
  sim::Counter& retries = m.counter("sel.retries", "attempts", "latch operations that found the line latched");
  sim::Counter& undone = m.counter("sel.undone", "verbs", "reader bits taken away since a writer was in the word");
  sim::Counter& refused = m.counter("sel.refused", "try-locks", "try-locks that found their line in use");
  sim::Counter& local_waits =
      m.counter("sel.local_waits", "accesses", "accesses that waited for another thread of their node");
};

class Sel final : public models::Protocol,
                  public models::MemoryService,
                  public latched_memory::LatchedMemory,
                  latched_memory::LineObserver {
 public:
  Sel(models::ProtocolContext& context, const Options& options);
  ~Sel() override;

  models::Service& service() override { return *this; }
  /// Caches nothing: a read leaves everything as it is.
  void warm_access(models::Session session, models::GlobalAddress address, bool write) override;
  void show_state(sim::StateVisitor& visitor) const override;
  /// A node that crashes leaves the latches that it holds: whoever needs one waits for ever.
  void node_crashed(NodeId node) override;
  bool quiescent() const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override {
    return lines_.describe(packet);
  }

  latched_memory::MemoryServers& memory_servers() override { return lines_; }
  bool words_are_decodable() const override { return true; }
  bool has_part_in(NodeId node, sim::Key line) const override { return turns_[node].contains(line); }

 protected:
  void check(models::Session session, sim::OperationKind kind, sim::Key line) const override;
  models::MemoryPort& port(models::Session session) override;

 private:
  class Thread;
  /// A line that a thread has latched, and its buffer.
  struct Held {
    sim::Key line;
    bool exclusive = false;
    latched_memory::LineData data{};
    latched_memory::ObjectRange dirty{};
  };
  /// The threads of one node that want one line.
  struct Turns {
    explicit Turns(sim::Calendar& calendar) : next(calendar) {}
    std::deque<std::uint64_t> tickets{};
    std::uint64_t issued = 0;
    sim::Signal next;
  };
  /// Takes the turn at a line back when its task dies.
  class Turn;

  sim::Task<void> wait_for_turn(NodeId node, sim::Key line);
  /// Takes a turn if nobody has one or waits for one; returns whether it has.
  bool try_turn(NodeId node, sim::Key line);
  void end_turn(NodeId node, sim::Key line);
  /// For the oracles: what a node may do with a line from now on.
  void note_permission(NodeId node, sim::Key line, sim::Permission permission, sim::OperationId operation);

  /// That is when a write is performed.
  void written(sim::Key line, latched_memory::ObjectRange objects) override;

  models::Rack& rack_;
  Options options_;
  latched_memory::MemoryServers lines_;
  Counters counters_;
  sim::CoverageProbe coverage_;
  std::vector<std::unique_ptr<Thread>> threads_;                             // by session
  std::vector<std::map<std::uint64_t, std::unique_ptr<Turns>>> turns_;       // by node and line
  std::map<std::uint64_t, std::pair<sim::OperationId, sim::Value>> writes_;  // by object: on their way to memory
  models::Permissions permissions_;
  sim::Source final_source_;
};

}  // namespace racksim::sel
