// The recording face of the memory service. See memory_service.hpp.
#include "models/service/memory_service.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::models {

namespace {

constexpr OperationSet kAlways{sim::OperationKind::read, sim::OperationKind::write, sim::OperationKind::allocate,
                               sim::OperationKind::free};

/// With all that follows from what is given.
MemoryShape completed(MemoryShape shape) {
  const auto fits = [](std::uint64_t bytes) {
    return std::has_single_bit(bytes) && bytes >= MemoryService::kWordBytes;
  };
  if (!fits(shape.block_bytes)) {
    throw sim::OptionError("", fmt::format("a block of {} bytes", shape.block_bytes), "a power of two from 8");
  }
  if (shape.object_bytes == 0) shape.object_bytes = shape.block_bytes;
  if (!fits(shape.object_bytes) || shape.object_bytes > shape.block_bytes) {
    throw sim::OptionError("", fmt::format("an object of {} bytes", shape.object_bytes),
                           fmt::format("a power of two from 8 up to a block of {}", shape.block_bytes));
  }
  shape.offers = shape.offers.with(kAlways);
  // Where writes are performed before they return a fence has nothing to do; else the protocol says that it has one.
  if (!shape.writes_return_early) shape.offers = shape.offers.with({sim::OperationKind::fence});
  return shape;
}

}  // namespace

MemoryService::MemoryService(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics,
                             const MemoryShape& shape)
    : Service(calendar, event_log, metrics, shape.roles.compute_nodes, shape.threads_per_node),
      shape_(completed(shape)),
      block_bits_(static_cast<unsigned>(std::countr_zero(shape_.block_bytes))),
      object_bits_(static_cast<unsigned>(std::countr_zero(shape_.object_bytes))),
      allocator_(shape.roles.first_memory_node, shape.roles.memory_nodes, shape_.block_bytes, shape_.memory_bytes),
      performed_(sessions()),
      values_(sessions()),
      contents_(shape_.object_bytes),
      buffered_(sessions()) {}

std::uint64_t MemoryService::bytes_of(const sim::OperationView& begun) const {
  if (sim::accesses_memory(begun.kind)) return shape_.object_bytes * begun.objects;
  if (sim::requests_lock(begun.kind) || begun.kind == sim::OperationKind::unlock) return shape_.block_bytes;
  return begun.kind == sim::OperationKind::allocate ? begun.value.number() : 0;
}

void MemoryService::require(OperationSet needed) const {
  const OperationSet missing = needed.without(shape_.offers);
  if (missing.empty()) return;
  throw sim::OptionError("", fmt::format("a workload that needs {}", missing.names()),
                         fmt::format("one that needs no more than the protocol offers: {}", shape_.offers.names()));
}

void MemoryService::check_call(Session session, sim::OperationKind kind, sim::Key block) const {
  const NodeId home = home_of(block);
  const Roles& roles = shape_.roles;
  if (!roles.holds_memory(home)) {
    throw std::invalid_argument(fmt::format("an address out of range: node {} of {}, but memory is at nodes {} to {}",
                                            home, sim::printed_key(block), roles.first_memory_node,
                                            roles.first_memory_node + roles.memory_nodes - 1));
  }
  const GlobalAddress first{block.number() << block_bits_};
  if (first.offset() >= shape_.memory_bytes) {
    throw std::invalid_argument(fmt::format("an address out of range: offset {:#x} of {}, but a node has {} bytes",
                                            first.offset(), sim::printed_key(block), shape_.memory_bytes));
  }
  check(session, kind, block);
}

void MemoryService::check(Session, sim::OperationKind, sim::Key) const {}

MemoryAccess MemoryService::access_at(GlobalAddress address, std::uint64_t bytes) const {
  const std::uint64_t here = std::min(bytes, shape_.block_bytes - (address.value & (shape_.block_bytes - 1)));
  const sim::Key first = object_of(address);
  return {first, static_cast<std::uint32_t>(object_of({address.value + here - 1}) - first + 1),
          static_cast<std::uint32_t>(here)};
}

std::span<sim::Value> MemoryService::room_for(Session session, const MemoryAccess& access) {
  std::vector<sim::Value>& values = values_[index_of(session)];
  if (values.size() < access.objects) values.resize(std::size_t{1} << objects_bits());
  return std::span(values).first(access.objects);
}

sim::Task<sim::Value> MemoryService::read(Session session, GlobalAddress address, std::uint64_t bytes) {
  for (;;) {
    const MemoryAccess access = access_at(address, bytes);
    const std::span<sim::Value> values = room_for(session, access);
    co_await read_access(session, access, values);
    if (access.bytes == bytes) co_return values.back();
    bytes -= access.bytes;
    address.value += access.bytes;
  }
}

sim::Task<void> MemoryService::read_values(Session session, GlobalAddress address, std::span<sim::Value> values) {
  const MemoryAccess access = access_at(address, values.size() * shape_.object_bytes);
  if (access.objects != values.size()) throw std::invalid_argument("objects of several blocks in one call");
  return read_access(session, access, values);
}

sim::Task<sim::Value> MemoryService::write(Session session, GlobalAddress address, std::uint64_t bytes) {
  for (;;) {
    const MemoryAccess access = access_at(address, bytes);
    const sim::Value first = co_await write_access(session, access, {}, 0);
    if (access.bytes == bytes) co_return sim::Value{first + (access.objects - 1)};
    bytes -= access.bytes;
    address.value += access.bytes;
  }
}

void MemoryService::keep_bytes(FirstBytes first) {
  keeps_bytes_ = true;
  if (!first) return;
  contents_.begin_with(
      [this, first = std::move(first)](sim::Key object, std::size_t offset, std::span<std::byte> into) {
        first({(object.number() << object_bits_) + offset}, into);
      });
}

sim::Task<void> MemoryService::load(Session session, GlobalAddress address, std::span<std::byte> into) {
  while (!into.empty()) {
    const MemoryAccess access = access_at(address, into.size());
    const std::span<sim::Value> values = room_for(session, access);
    co_await read_access(session, access, values);
    std::size_t offset = address.value & (shape_.object_bytes - 1);
    std::span<std::byte> rest = into.first(access.bytes);
    for (std::uint32_t i = 0; i < access.objects; ++i, offset = 0) {
      const std::size_t here = std::min<std::size_t>(rest.size(), shape_.object_bytes - offset);
      copy_bytes(session, sim::Key{access.first + i}, values[i], offset, rest.first(here));
      rest = rest.subspan(here);
    }
    into = into.subspan(access.bytes);
    address.value += access.bytes;
  }
}

// A value that is not performed has no bytes of its own yet. Its session sees what all others see, and over it what it
// has written itself, as a core that merges its store buffer with its cache.
void MemoryService::copy_bytes(Session session, sim::Key object, sim::Value value, std::size_t offset,
                               std::span<std::byte> into) const {
  const std::vector<BufferedWrite>& buffered = buffered_[index_of(session)];
  const auto read = std::find_if(buffered.begin(), buffered.end(),
                                 [&](const BufferedWrite& w) { return w.object == object && w.value == value; });
  if (read == buffered.end()) return contents_.copy(object, value, offset, into);
  std::vector<std::byte> bytes(shape_.object_bytes);
  contents_.copy(object, contents_.current(object), 0, bytes);
  for (auto write = buffered.begin(); write <= read; ++write) {
    if (write->object != object) continue;
    if (const auto patch = patches_.find(write->operation); patch != patches_.end()) {
      std::copy(patch->second.bytes.begin(), patch->second.bytes.end(),
                bytes.begin() + static_cast<std::ptrdiff_t>(patch->second.offset));
    } else {
      contents_.copy(object, write->value, 0, bytes);  // its number
    }
  }
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
}

sim::Task<void> MemoryService::store(Session session, GlobalAddress address, std::span<const std::byte> bytes) {
  if (!keeps_bytes_) throw std::logic_error("real bytes are stored in a memory service that keeps none");
  while (!bytes.empty()) {
    const MemoryAccess access = access_at(address, bytes.size());
    co_await write_access(session, access, bytes.first(access.bytes), address.value & (shape_.object_bytes - 1));
    bytes = bytes.subspan(access.bytes);
    address.value += access.bytes;
  }
}

sim::Task<void> MemoryService::read_access(Session session, MemoryAccess access, std::span<sim::Value> values) {
  check_call(session, sim::OperationKind::read, block_of_object(access.first));
  const PendingOperation begun = begin(session, sim::OperationKind::read, access.first, 0, access.objects);
  Guard guard(*this, session, begun);
  try {
    co_await port(session).read(access, values, begun.operation);
    guard.over();
    end(session, begun, values);
  } catch (const Unavailable&) {
    guard.over();
    give_up(session, begun);
    throw;
  }
}

sim::Task<sim::Value> MemoryService::write_access(Session session, MemoryAccess access,
                                                  std::span<const std::byte> bytes, std::size_t offset) {
  check_call(session, sim::OperationKind::write, block_of_object(access.first));
  const PendingOperation begun =
      begin(session, sim::OperationKind::write, access.first, next_value(session, access.objects), access.objects);
  if (keeps_bytes_) note_patches(session, begun, bytes, offset);
  Guard guard(*this, session, begun);
  try {
    co_await port(session).write(access, begun.value, begun.operation);
  } catch (const Unavailable&) {
    guard.over();
    give_up(session, begun);
    throw;
  }
  guard.over();
  perform_at_return(begun, begun.value);
  end(session, begun, begun.value);
  co_return begun.value;
}

void MemoryService::note_patches(Session session, const PendingOperation& begun, std::span<const std::byte> bytes,
                                 std::size_t offset) {
  for (std::uint32_t i = 0; i < begun.objects; ++i, offset = 0) {
    const sim::OperationId part{begun.operation + i};
    const std::size_t here = std::min<std::size_t>(bytes.size(), shape_.object_bytes - offset);
    if (here > 0) {
      patches_[part] = {offset, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(here)}};
      bytes = bytes.subspan(here);
    }
    if (!shape_.writes_return_early) continue;
    buffered_[index_of(session)].push_back({part, sim::Key{begun.key + i}, sim::Value{begun.value + i}});
  }
}

sim::Task<sim::Value> MemoryService::compare_and_swap(Session session, GlobalAddress address, sim::Value expected) {
  check_call(session, sim::OperationKind::compare_and_swap, block_of(address));
  const PendingOperation begun =
      begin(session, sim::OperationKind::compare_and_swap, object_of(address), next_value(session));
  Guard guard(*this, session, begun);
  sim::Value before = 0;
  try {
    before = co_await port(session).compare_and_swap(begun.key, expected, begun.value, begun.operation);
  } catch (const Unavailable&) {
    guard.over();
    give_up(session, begun);
    throw;
  }
  guard.over();
  if (before == expected) perform_at_return(begun, begun.value);
  end_atomic(session, begun, before, before == expected);
  co_return before;
}

sim::Task<sim::Value> MemoryService::fetch_and_add(Session session, GlobalAddress address, std::uint64_t operand) {
  check_call(session, sim::OperationKind::fetch_and_add, block_of(address));
  const PendingOperation begun = begin(session, sim::OperationKind::fetch_and_add, object_of(address), operand);
  Guard guard(*this, session, begun);
  sim::Value before = 0;
  try {
    before = co_await port(session).fetch_and_add(begun.key, operand, begun.operation);
  } catch (const Unavailable&) {
    guard.over();
    give_up(session, begun);
    throw;
  }
  guard.over();
  perform_at_return(begun, sim::Value{before + operand});
  end_atomic(session, begun, before, true);
  co_return before;
}

sim::Task<void> MemoryService::fence(Session session) {
  if (!shape_.offers.has(sim::OperationKind::fence)) not_offered(sim::OperationKind::fence);
  const PendingOperation begun = begin(session, sim::OperationKind::fence, 0);
  Guard guard(*this, session, begun);
  co_await port(session).fence(begun.operation);
  guard.over();
  end(session, begun, 0);
}

sim::Task<GlobalAddress> MemoryService::allocate(Session session, std::uint64_t bytes, AllocationHint hint) {
  if (bytes == 0) throw std::invalid_argument("an allocation of 0 bytes");
  if (hint.home && !shape_.roles.holds_memory(*hint.home)) {
    throw std::invalid_argument(fmt::format("node {} holds no memory", *hint.home));
  }
  const PendingOperation begun = begin(session, sim::OperationKind::allocate, 0, bytes);
  Guard guard(*this, session, begun);
  try {
    const GlobalAddress address = co_await port(session).allocate(allocator_, bytes, hint, begun.operation);
    guard.over();
    end(session, begun, sim::Value(address.value));
    co_return address;
  } catch (const std::bad_alloc&) {  // nothing has been allocated
    guard.over();
    end(session, begun, 0);
    throw;
  }
}

sim::Task<void> MemoryService::free(Session session, GlobalAddress address) {
  const PendingOperation begun = begin(session, sim::OperationKind::free, block_of(address));
  Guard guard(*this, session, begun);
  try {
    co_await port(session).free(allocator_, address, begun.operation);
  } catch (const std::invalid_argument&) {  // nothing has been freed
    guard.over();
    end(session, begun, 0);
    throw;
  }
  guard.over();
  end(session, begun, 0);
}

GlobalAddress MemoryService::reserve(std::uint64_t bytes, const AllocationHint& hint) {
  try {
    const GlobalAddress first = allocator_.allocate(bytes, hint);
    reserved(first, bytes, hint);
    return first;
  } catch (const std::bad_alloc&) {
    throw sim::OptionError("", fmt::format("a workload that needs {} more bytes at one node", bytes),
                           fmt::format("one that needs no more than the {} bytes of each", shape_.memory_bytes));
  }
}

void MemoryService::warm_access(Session session, GlobalAddress address, bool write) {
  run_before(warm(session, object_of(address), write));
}

sim::Task<void> MemoryService::warm(Session session, sim::Key object, bool write) {
  const sim::Value value = write ? next_value(session) : sim::kNeverWritten;
  const MemoryAccess access{object};
  if (write) {
    co_await port(session).write(access, value, kWarmOperation);
  } else {
    co_await port(session).read(access, room_for(session, access), kWarmOperation);
  }
  co_await port(session).fence(kWarmOperation);
  if (write) performed(kWarmOperation, object, value);
}

void MemoryService::reserved(GlobalAddress, std::uint64_t, const AllocationHint&) {}

void MemoryService::performed(sim::OperationId operation, sim::Key object, sim::Value value) {
  if (operation != kWarmOperation) {
    const std::size_t session = session_of(operation);
    performed_[session] = operation;
    sim::record_performed(event_log(), source_of(session), calendar().now(), operation, object, value);
  }
  if (!keeps_bytes_) return;
  if (operation == kWarmOperation) return contents_.write(object, value, 0, {});
  if (const auto patch = patches_.find(operation); patch != patches_.end()) {
    contents_.write(object, value, patch->second.offset, patch->second.bytes);
    patches_.erase(patch);
  } else {
    contents_.count(object, value);
  }
  std::erase_if(buffered_[session_of(operation)],
                [operation](const BufferedWrite& write) { return write.operation == operation; });
}

void MemoryService::lost_write(sim::Key object, sim::Value value, sim::Loss why, sim::Value recovered) {
  Service::lost_write(object, value, why, recovered);
  if (keeps_bytes_) contents_.lose(object, value, recovered);
}

void MemoryService::sessions_died(NodeId node) {
  Service::sessions_died(node);
  for (std::size_t index = 0; index < sessions(); ++index) {
    if (session_number(index).node == node) buffered_[index].clear();
  }
  std::erase_if(taken_back_, [&](const HeldLock& lock) { return session_number(lock.session).node == node; });
}

void MemoryService::perform_at_return(const PendingOperation& begun, sim::Value value) {
  const std::uint64_t last = begun.operation + (begun.objects - 1);
  if (shape_.writes_return_early || performed_[session_of(begun.operation)] == last) return;
  performed(begun.operation, {begun.key, begun.objects}, value);
}

}  // namespace racksim::models
