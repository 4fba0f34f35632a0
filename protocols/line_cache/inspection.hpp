// What a cache of lines shows of itself to oracles.
#pragma once

#include "protocols/line_cache/line_cache.hpp"
#include "sim/record/history.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::line_cache {

/// Shows the copies that a node may read. Each shows its first object, be it unwritten, so that there is one a line.
/// `object_of(line, index)` names a line's objects.
template <class Frame, class ObjectOf>
void show_copies(sim::StateVisitor& visitor, const LineCache<Frame>& cache, std::uint16_t node, ObjectOf&& object_of) {
  cache.for_each([&](const Frame& frame) {
    const sim::Permission permission = permission_of(frame.state);
    if (permission == sim::Permission::none) return;
    const auto state = permission == sim::Permission::write ? sim::CopyState::dirty : sim::CopyState::clean;
    bool first = false;
    frame.data.for_each([&](std::uint16_t object, sim::Value value) {
      first = first || object == 0;
      visitor.copy(object_of(frame.line, object), sim::Holder::node(node), value, state);
    });
    if (!first) visitor.copy(object_of(frame.line, 0), sim::Holder::node(node), 0, state);
  });
}

}  // namespace racksim::line_cache
