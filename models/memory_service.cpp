// The recording face of the memory service. See memory_service.hpp.
#include "models/memory_service.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "sim/history.hpp"

namespace racksim::models {

namespace {
sim::OperationKind kind_of(bool write) {
  return write ? sim::OperationKind::write : sim::OperationKind::read;
}
}  // namespace

MemoryService::MemoryService(sim::Calendar& calendar, sim::Journal& journal, sim::Metrics& metrics,
                             const MemoryShape& shape)
    : calendar_(calendar),
      journal_(journal),
      shape_(shape),
      block_bits_(static_cast<unsigned>(std::countr_zero(shape.block_bytes))),
      latency_(metrics.histogram("latency", "time from the begin of an operation to its end, while measuring")),
      read_latency_(metrics.histogram("latency.read", "the same for reads")),
      write_latency_(metrics.histogram("latency.write", "the same for writes")) {
  if (!std::has_single_bit(shape.block_bytes) || shape.block_bytes < 8) {
    throw std::runtime_error(fmt::format("a block of {} bytes is no power of two from 8", shape.block_bytes));
  }
  for (unsigned node = 0; node < shape.nodes; ++node) {
    for (unsigned thread = 0; thread < shape.threads_per_node; ++thread) {
      sessions_.push_back({journal.add_source(fmt::format("node{}/thread{}", node, thread)), 0, 0});
    }
  }
}

sim::Task<std::uint64_t> MemoryService::read(Session session, GlobalAddress address) {
  const sim::Time begun = calendar_.now();
  const std::uint64_t block = block_of(address);
  const std::uint64_t operation = begin(session, false, block, 0);
  const std::uint64_t value = co_await do_read(session, block, operation);
  end(session, operation, false, block, value, begun);
  co_return value;
}

sim::Task<std::uint64_t> MemoryService::write(Session session, GlobalAddress address) {
  const sim::Time begun = calendar_.now();
  const std::uint64_t block = block_of(address);
  const std::uint64_t value = next_value(session);
  const std::uint64_t operation = begin(session, true, block, value);
  co_await do_write(session, block, value, operation);
  end(session, operation, true, block, value, begun);
  co_return value;
}

std::uint64_t MemoryService::next_value(Session session) {
  // Unique in the run and never 0, which stands for memory that nobody has written.
  const std::size_t index = index_of(session);
  return static_cast<std::uint64_t>(index + 1) << 40 | ++sessions_[index].writes;
}

std::uint64_t MemoryService::begin(Session session, bool write, std::uint64_t block, std::uint64_t value) {
  const std::size_t index = index_of(session);
  SessionState& state = sessions_[index];
  const std::uint64_t operation = static_cast<std::uint64_t>(index + 1) << 40 | ++state.operations;
  ++pending_;
  sim::record_begun(journal_, state.source, calendar_.now(), operation, kind_of(write), block, value);
  return operation;
}

void MemoryService::end(Session session, std::uint64_t operation, bool write, std::uint64_t block, std::uint64_t value,
                        sim::Time begun) {
  --pending_;
  sim::record_ended(journal_, sessions_[index_of(session)].source, calendar_.now(), operation, kind_of(write), block,
                    value);
  if (!measuring_) return;
  ++measured_;
  const sim::Duration took = calendar_.now() - begun;
  latency_.record(took);
  (write ? write_latency_ : read_latency_).record(took);
}

void MemoryService::start_measuring() {
  measuring_ = true;
  measured_ = 0;
  latency_.clear();
  read_latency_.clear();
  write_latency_.clear();
}

void MemoryService::stop_measuring() {
  measuring_ = false;
}

}  // namespace racksim::models
