// What a node may do with a block without asking anybody, as a protocol tells it to the oracles: `single-writer` judges
// nothing else. A protocol that caches blocks says so whenever that changes, at the instant from which on the node acts
// by it.
#pragma once

#include "models/packets/rack_context.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

class Permissions {
 public:
  /// In the name of `source`, as in event_log.add_source("mine/permissions"). Both must outlive this.
  Permissions(sim::Calendar& calendar, sim::EventLog& event_log, sim::Source source)
      : calendar_(calendar), event_log_(event_log), source_(source) {}

  /// From now on `node` may do this with `block`: a key as operations name it, so the first object of a block. The
  /// operation is the one that asked for it, if one did.
  void set(NodeId node, sim::Key block, sim::Permission permission, sim::OperationId operation = 0) const {
    sim::record_permission(event_log_, source_, calendar_.now(), operation, block, node, permission);
  }

 private:
  sim::Calendar& calendar_;
  sim::EventLog& event_log_;
  sim::Source source_;
};

}  // namespace racksim::models
