// What all nodes of GAM have in common: the rack, where lines and their data lie, and what is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/permissions.hpp"
#include "protocols/gam/rules/counters.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/options.hpp"
#include "protocols/latched_memory/line_data.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::models {
class Membership;
}

namespace racksim::gam {

using latched_memory::LineData;

/// Keys of a node's memory that others write into, as it has told them.
struct MemoryKeys {
  std::uint32_t memory = 0, frames = 0, write_backs = 0;
};

struct Shared {
  static constexpr std::uint64_t kObjectBytes = 8;

  models::Rack& rack;
  const Options& options;
  models::MemoryService& memory;
  models::MemoryAllocator* allocator;
  Counters& counters;
  sim::CoverageProbe coverage{};
  models::Permissions permissions;
  std::vector<MemoryKeys> keys{};            ///< by node
  models::Membership* membership = nullptr;  ///< null without logging
  std::uint64_t allocations = 0;             ///< that were made and not freed, as sessions know

  NodeId home_of(sim::Key line) const { return memory.home_of(line); }
  std::uint64_t objects_per_line() const { return options.line_bytes / kObjectBytes; }
  sim::Key line_of(sim::Key object) const { return memory.block_of_object(object); }
  std::uint16_t index_of(sim::Key object) const {
    return static_cast<std::uint16_t>(object.number() % objects_per_line());
  }
  sim::Key object_of(sim::Key line, std::uint16_t index) const {
    return sim::Key{line.number() * objects_per_line() + index};
  }
  /// Of a line the objects from this one on, as histories name them.
  models::MemoryAccess access_of(sim::Key line, std::uint16_t object, std::uint16_t objects) const {
    return {object_of(line, object), objects, static_cast<std::uint32_t>(kObjectBytes * objects)};
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

  // Where data go.
  models::RemoteAddress frame_at(NodeId node, std::uint32_t frame) const {
    return {frame * options.line_bytes, keys[node].frames};
  }
  models::RemoteAddress memory_at(sim::Key line) const { return {offset_of(line), keys[home_of(line)].memory}; }
  /// A buffer in which a node's write-backs to this home land.
  models::RemoteAddress write_back_at(NodeId home, NodeId from, std::uint32_t buffer) const {
    return {(from * options.write_back_buffers + buffer) * write_back_bytes(), keys[home].write_backs};
  }
  std::uint64_t write_back_bytes() const { return sizeof(WriteBackHeader) + options.line_bytes; }

  models::Memory& memory_of(NodeId node) const { return rack.server(node).nic().memory(); }
  /// The line as it lies in its home's memory.
  models::Content content_of(sim::Key line) const {
    return memory_of(home_of(line)).read(offset_of(line), options.line_bytes);
  }
  /// A line as it goes over the wire.
  models::Content bytes_of(const LineData& data) const {
    return models::Content::filled(options.line_bytes, [&](std::span<std::byte> room) { store(data, room); });
  }
  void store(const LineData& data, std::span<std::byte> room) const {
    data.store({.low = 0, .high = static_cast<std::uint16_t>(objects_per_line())}, room);
  }
};

}  // namespace racksim::gam
