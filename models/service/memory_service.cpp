// The recording face of the memory service. See memory_service.hpp.
#include "models/service/memory_service.hpp"

#include <fmt/core.h>

#include <bit>
#include <stdexcept>

namespace racksim::models {

MemoryService::MemoryService(sim::Calendar& calendar, sim::Journal& journal, sim::Metrics& metrics,
                             const MemoryShape& shape)
    : Service(calendar, journal, metrics, shape.nodes, shape.threads_per_node),
      shape_(shape),
      block_bits_(static_cast<unsigned>(std::countr_zero(shape.block_bytes))) {
  if (!std::has_single_bit(shape.block_bytes) || shape.block_bytes < 8) {
    throw std::runtime_error(fmt::format("a block of {} bytes is no power of two from 8", shape.block_bytes));
  }
}

sim::Task<std::uint64_t> MemoryService::read(Session session, GlobalAddress address) {
  const Begun begun = begin(session, false, block_of(address));
  const std::uint64_t value = co_await do_read(session, begun.key, begun.operation);
  end(session, begun, value);
  co_return value;
}

sim::Task<std::uint64_t> MemoryService::write(Session session, GlobalAddress address) {
  const Begun begun = begin(session, true, block_of(address));
  co_await do_write(session, begun.key, begun.value, begun.operation);
  end(session, begun, begun.value);
  co_return begun.value;
}

}  // namespace racksim::models
