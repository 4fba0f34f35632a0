// What the caches of nodes show of themselves: to oracles, and to the run hash.
#pragma once

#include "protocols/latched_memory/line_layout.hpp"
#include "sim/record/history.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::line_cache {

/// Shows the copies that nodes may read. Each shows its first object, be it unwritten, so that there is one a line.
template <class Nodes>
void show_copies(sim::StateVisitor& visitor, const Nodes& nodes, const latched_memory::LineLayout& lines) {
  for (const auto& node : nodes) {
    node->cache().for_each([&](const auto& frame) {
      const sim::Permission permission = permission_of(frame.state);
      if (permission == sim::Permission::none) return;
      const auto state = permission == sim::Permission::write ? sim::CopyState::dirty : sim::CopyState::clean;
      const sim::Holder holder = sim::Holder::node(node->id());
      bool first = false;
      frame.data.for_each([&](std::uint16_t object, sim::Value value) {
        first = first || object == 0;
        visitor.copy(lines.object_of(frame.line, object), holder, value, state);
      });
      if (!first) visitor.copy(lines.object_of(frame.line, 0), holder, 0, state);
    });
  }
}

/// Folds all copies into the run hash: of each frame what `record(put, frame)` puts, and its objects.
template <class Nodes, class Record>
void record_copies(sim::EventLog& log, sim::Source source, sim::Time now, const Nodes& nodes,
                   const latched_memory::LineLayout& lines, Record&& record) {
  for (const auto& node : nodes) {
    const sim::OperationId id{node->id()};
    const auto put = [&](sim::Key key, std::uint64_t value, std::uint64_t more = 0) {
      log.record(sim::Observed::final_state, source, now, id, key, value, more);
    };
    node->cache().for_each([&](const auto& frame) {
      record(put, frame);
      frame.data.for_each(
          [&](std::uint16_t object, sim::Value value) { put(lines.object_of(frame.line, object), value); });
    });
  }
}

}  // namespace racksim::line_cache
