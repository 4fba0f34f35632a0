// What a trace is replayed on: a key-value store, the protocol's or one that stands on its shared memory, or that memory
// itself, behind one face.
//
// On a memory a key that is given is what recordings have: the number of an object or, of a lock, of a block, unless the
// option `unit` says in how many bytes keys count. Others become slots, dealt out to the homes one after the other. An
// access of no size is of 8 bytes; one that is larger than its slot is cut to it. What a session allocates lies where the
// protocol puts it, apart from the keys; a free gives back the oldest of the session's allocations. An unlock of what the
// session does not hold, since a try-lock was refused here and granted there, is left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "models/service/operation_set.hpp"
#include "models/service/service.hpp"
#include "models/workloads/trace/trace_keys.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/task.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::models {

struct TraceOptions;

/// A record, as the rack knows it.
struct TraceStep {
  std::uint64_t at_ps = 0;
  std::uint64_t key = 0;
  std::uint64_t position = 0;  ///< in the file (TraceReader::position)
  std::uint32_t session = 0;   ///< counted over nodes and threads
  std::uint32_t size = 0;
  sim::OperationKind kind = sim::OperationKind::read;
};

/// Bytes of the values, by key.
using ValueSizes = sim::FlatMap<std::uint32_t>;

/// Why a step cannot be carried out.
struct TraceRefusal {
  std::string found, expected;
};

class TraceTarget {
 public:
  virtual ~TraceTarget() = default;
  /// Sessions are on the first so many nodes.
  virtual unsigned session_nodes() const = 0;
  virtual OperationSet offers() const = 0;
  virtual bool one_at_a_time() const = 0;  ///< of a session
  /// How many keys there is room for.
  virtual std::uint64_t room() const = 0;
  /// Why this could never be carried out; nothing if it could.
  virtual std::optional<TraceRefusal> refusal(const TraceStep& step) const = 0;
  /// Once, before all that follows: the sizes of values, if the trace gives them, and the largest of them.
  virtual void describe(std::shared_ptr<const ValueSizes> sizes, std::uint32_t largest) = 0;

  /// Throws TraceRefusal if it cannot be carried out now, and Unavailable as the memory service does.
  virtual sim::Task<void> perform(Session session, const TraceStep& step) = 0;

  /// Before the run: a record of the head, in their order; and that it is over.
  virtual void warm(Session session, const TraceStep& step) = 0;
  virtual void end_warming() = 0;

  /// Whether the session holds locks.
  virtual bool holds_locks(Session session) const = 0;
  /// Gives them back.
  virtual sim::Task<void> give_back(Session session) = 0;
  /// The node has crashed: its sessions hold nothing any more.
  virtual void node_crashed(NodeId node) = 0;
  /// As those of Workload.
  virtual Service* own_service() { return nullptr; }
  virtual std::shared_ptr<sim::Oracle> oracle() { return nullptr; }
  /// Whether the sessions of a node that is back may go on.
  virtual bool takes_back(NodeId node) const = 0;

  virtual bool uses(sim::Key key) const = 0;
  virtual std::string used_keys() const = 0;
};

/// For what the protocol offers.
std::unique_ptr<TraceTarget> trace_target(WorkloadContext& context, const TraceOptions& options);

}  // namespace racksim::models
