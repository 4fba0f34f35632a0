// What a cache agent does with the requests that owners pass on to it (Concordia §5.1.1, "Invalidation and Data
// Transfer"; §5.3.1): it invalidates or downgrades the node's copy, supplies the data, acknowledges. A state machine
// without network, core and time, which cache_agent.hpp gives it.
#pragma once

#include "protocols/flowcc/rules/counters.hpp"
#include "protocols/flowcc/rules/coverage.hpp"
#include "protocols/flowcc/rules/last_executed.hpp"
#include "protocols/flowcc/rules/local_cache.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/options.hpp"
#include "sim/record/history.hpp"

namespace racksim::flowcc {

/// What a cache agent lends to its responder.
class ResponderHost {
 public:
  /// Sends an acknowledgement to a requester's node.
  virtual void acknowledge(const FlowCcHeader& ack, NodeId to, sim::OperationId operation) = 0;
  /// Writes a block to the requester that asks for it.
  virtual void provide(const FlowCcHeader& request, const BlockData& block, sim::OperationId operation) = 0;
  /// A request of an event that is new here.
  virtual void began(RequesterId requester) = 0;
  /// A dirty block has been given away for an event, or downgraded.
  virtual void gave_away(RequesterId requester, const BlockData& block) = 0;
  /// A copy is gone by this request.
  virtual void invalidated(const FlowCcHeader& request) = 0;
  /// What the node may do with a block has changed.
  virtual void permission_changed(Tag tag, sim::Permission permission, sim::OperationId operation) = 0;

 protected:
  ~ResponderHost() = default;
};

class CacheResponder {
 public:
  /// What it has to know of the rack and of the run. All that is referred to must outlive it.
  struct Setting {
    const FlowCcOptions& options;
    const CoverageMarks& coverage;
    Counters& counters;
    LocalCache& cache;
    NodeId node;
    unsigned requesters;  ///< of the rack: threads, home agents and locks (network.hpp)
  };
  CacheResponder(const Setting& setting, ResponderHost& host)
      : setting_(setting), host_(host), last_executed_(setting.requesters, setting.options.last_executed) {}

  void handle(const FlowCcHeader& request, sim::OperationId operation);

  /// The node has crashed, and knows nothing any more.
  void crash() { last_executed_.forget_all(); }
  /// This requester begins with number 1 again.
  void forget_requester(RequesterId requester) { last_executed_.forget(requester); }

  /// Passes all to `archive` (sim/exploration/archive.hpp).
  template <class Archive>
  void archive(Archive& archive) {
    last_executed_.archive(archive);
  }

 private:
  const Setting setting_;
  ResponderHost& host_;
  LastExecuted last_executed_;
};

}  // namespace racksim::flowcc
