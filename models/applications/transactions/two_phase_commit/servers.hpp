// How nodes reach each other's rows: calls over datagrams (models/rack/mesh.hpp) from the threads of applications to
// those of a node that serve it, and back. What the network loses is asked for again, what comes twice is carried out
// once, however long that takes.
//
// A node's servers have cores and memory sessions of their own, behind those of its application threads; without any, an
// application thread serves those of its number beside its own transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/applications/transactions/two_phase_commit/commit_options.hpp"
#include "models/applications/transactions/two_phase_commit/messages.hpp"
#include "models/applications/transactions/two_phase_commit/participant.hpp"
#include "models/applications/transactions/two_phase_commit/seat.hpp"
#include "models/rack/mesh.hpp"
#include "models/rack/rack.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::app::two_phase_commit {

class Servers {
 public:
  /// On the first nodes, as many as there are participants, each with `threads` application threads. `least_bytes` is how
  /// long a message must be able to be. Throws sim::OptionError if the network's are shorter.
  Servers(models::Rack& rack, std::vector<Participant*> participants, unsigned threads, std::uint32_t least_bytes,
          const CommitOptions& options);
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  /// Has a call carried out at another node, for an application thread; rows that do not fit in one message go before it.
  sim::Task<Reply> call(models::NodeId from, unsigned thread, models::NodeId to, Request request);
  /// What an application thread accesses memory by.
  Seat& seat(models::NodeId node, unsigned thread) { return *all_[node * per_node_ + thread].seat; }

  /// Calls that are being served.
  std::size_t running() const;
  std::uint64_t calls() const { return calls_; }  ///< that have been answered
  /// The calls that it serves are gone.
  void node_crashed(models::NodeId node);

 private:
  struct Thread {
    std::unique_ptr<Seat> seat;
    unsigned end = 0;  // its number in the mesh
  };
  void came(models::NodeId node, unsigned thread, const models::RpcEnd::Call& call);
  sim::Task<void> serve(models::NodeId node, unsigned thread, models::RpcEnd::Call call);
  sim::Task<Reply> call_once(unsigned from, unsigned to, const Request& request);

  models::Rack& rack_;
  std::vector<Participant*> participants_;  // by node
  CommitOptions options_;
  unsigned threads_, per_node_;  // application threads; these and servers
  models::Mesh mesh_;
  std::vector<Thread> all_;
  std::vector<std::unique_ptr<sim::Scope>> tasks_;  // by node
  std::uint64_t calls_ = 0;
};

}  // namespace racksim::app::two_phase_commit
