// The options of the write-through directory.
#pragma once

#include "models/service/protocol.hpp"

namespace racksim::write_through {

using namespace sim::literals;

/// Whether writes wait in a buffer of their session, and in which order they leave it.
enum class StoreBuffer : std::uint8_t { none, in_order, by_line };

/// Where a defect is that throws, or that breaks an invariant and does nothing else.
enum class Defect : std::uint8_t { none, task, actor, observer, buffer };

struct Options final : models::ProtocolOptions {
  std::uint64_t block_bytes = 64;
  StoreBuffer store_buffer = StoreBuffer::none;
  std::uint64_t buffer_entries = 8;
  bool await_invalidations = true;
  bool free_locks = true;
  sim::Duration local_access = 100_ns;
  sim::Duration heartbeat{};
  Defect defect = Defect::none;

  void declare(sim::Parameters& p) override {
    p.size("block_bytes", block_bytes, 8, 65'536, "unit of coherence, a power of two");
    p.choice("store_buffer", store_buffer,
             {{"none", StoreBuffer::none}, {"in-order", StoreBuffer::in_order}, {"by-line", StoreBuffer::by_line}},
             "where writes wait after they have returned");
    p.integer("buffer_entries", buffer_entries, 1, 1024, "writes that a session's buffer holds");
    p.flag("await_invalidations", await_invalidations, "off: a write does not wait until all copies are gone");
    p.flag("free_locks", free_locks, "off: a node that has crashed keeps its locks and its places in their queues");
    p.choice("defect", defect,
             {{"none", Defect::none},
              {"task", Defect::task},
              {"actor", Defect::actor},
              {"observer", Defect::observer},
              {"buffer", Defect::buffer}},
             "what throws an exception, soon after 50us; or store buffers that take one write too many");
    p.length("heartbeat", heartbeat, 0_ns, 1_s, "how often an actor on each node beats; 0ns: there is none");
    p.length("local_access", local_access, 1_ns, 1_ms, "processor time of an access to the local cache");
  }
  /// Reads are of what memory holds; a buffer delays writes past later reads and, by line, past each other.
  std::vector<std::string> promises() const override {
    if (store_buffer == StoreBuffer::in_order) return {"tso", "mutual-exclusion"};
    if (store_buffer == StoreBuffer::by_line) return {"pso", "mutual-exclusion"};
    return {"data-value", "sc", "mutual-exclusion"};
  }
  /// Whoever finds a lock taken asks again; 256 for each session is more than any run here has seen.
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions&) const override {
    return sim::WaitingBounds{.overtakings = 256};
  }
  models::StateSize state_size(std::uint64_t) const override {
    return {.block_bytes = block_bytes, .bytes_per_object = 200};
  }
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

}  // namespace racksim::write_through
