// What all nodes of GAM have in common: the rack, where lines and their data lie, and what is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "protocols/gam/rules/counters.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/options.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::gam {

class Node;
class Recovery;

struct Shared {
  static constexpr std::uint64_t kObjectBytes = 8;

  models::Rack& rack;
  const Options& options;
  models::MemoryService& memory;
  models::MemoryAllocator* allocator;
  Counters& counters;
  sim::CoverageProbe coverage{};
  sim::Source source{};          ///< of permissions
  std::vector<Node*> nodes{};    ///< in their order
  Recovery* recovery = nullptr;  ///< null without logging

  NodeId home_of(sim::Key line) const { return memory.home_of(line); }
  std::uint64_t objects_per_line() const { return options.line_bytes / kObjectBytes; }
  sim::Key line_of(sim::Key object) const { return memory.block_of_object(object); }
  std::uint16_t index_of(sim::Key object) const {
    return static_cast<std::uint16_t>(object.number() % objects_per_line());
  }
  sim::Key object_of(sim::Key line, std::uint16_t index) const {
    return sim::Key{line.number() * objects_per_line() + index};
  }
  /// Where the line lies in its home's memory.
  std::uint64_t offset_of(sim::Key line) const {
    constexpr std::uint64_t kOffsets = std::uint64_t{1} << models::GlobalAddress::kOffsetBits;
    return line.number() % (kOffsets / options.line_bytes) * options.line_bytes;
  }
  /// The object at an offset of a home's memory.
  sim::Key object_at(NodeId home, std::uint64_t offset) const {
    return memory.object_of(models::GlobalAddress::at(home, offset));
  }
};

}  // namespace racksim::gam
