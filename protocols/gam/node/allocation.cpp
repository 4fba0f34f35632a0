// Where memory is allocated, and the messages that it takes. See allocation.hpp.
#include "protocols/gam/node/allocation.hpp"

#include <fmt/core.h>

#include <new>
#include <stdexcept>

#include "models/host/core_wait.hpp"
#include "models/membership/membership.hpp"

namespace racksim::gam {

namespace {
/// A node has memory pressure with less than this share of its memory free (the public implementation).
constexpr double kPressure = 0.15;
}  // namespace

Allocation::Allocation(Shared& shared, Output& output)
    : shared_(shared), output_(output), self_(output.self()), free_(shared.rack.nodes(), shared.options.memory_bytes) {
  server().clock().after<&Allocation::tell_statistics>(shared.options.statistics_period, *this);
}

std::uint64_t Allocation::free_here() const {
  return shared_.memory.shape().roles.holds_memory(self_) ? shared_.allocator->free_bytes(self_) : 0;
}

bool Allocation::under_pressure() const {
  return static_cast<double>(free_here()) < kPressure * static_cast<double>(shared_.options.memory_bytes);
}

NodeId Allocation::most_free(bool others_only) const {
  const models::Roles& roles = shared_.memory.shape().roles;
  NodeId best = self_;
  std::uint64_t most = 0;
  bool found = !others_only && roles.holds_memory(best);
  if (found) most = free_here();
  for (unsigned i = 0; i < roles.memory_nodes; ++i) {
    const auto other = static_cast<NodeId>(roles.first_memory_node + i);
    if (other == self_ || (found && free_[other] <= most)) continue;
    best = other;
    most = free_[other];
    found = true;
  }
  return best;
}

NodeId Allocation::choose(const models::AllocationHint& hint) const {
  using Locality = models::AllocationHint::Locality;
  if (hint.home) return *hint.home;
  if (hint.locality == Locality::remote) return most_free(true);
  if (hint.locality == Locality::local && shared_.memory.shape().roles.holds_memory(self_)) return self_;
  return under_pressure() ? most_free(false) : self_;
}

sim::Task<models::GlobalAddress> Allocation::allocate(unsigned thread, std::uint64_t bytes, models::AllocationHint hint,
                                                      sim::OperationId operation) {
  co_await models::occupy(server().core(thread), shared_.options.hand_over);
  if (shared_.membership != nullptr) co_await shared_.membership->lease(self_);
  co_await models::occupy(output_.core(), shared_.options.hit);
  const NodeId home = choose(hint);
  if (home == self_) {
    const models::GlobalAddress first = shared_.allocator->allocate(bytes, {.home = home, .shared = hint.shared});
    ++shared_.allocations;
    co_return first;
  }
  if (!shared_.memory.shape().roles.holds_memory(home)) {
    throw std::invalid_argument(fmt::format("node {} holds no memory", home));
  }
  Waiter waiter{.over = sim::Signal(shared_.rack.calendar()),
                .whom = home,
                .asked = {.bytes = bytes,
                          .request = ++next_request_,
                          .sender = self_,
                          .kind = MessageKind::malloc,
                          .locks = hint.shared,
                          .operation = operation}};
  if (output_.is_cut_off(home)) throw std::bad_alloc();
  ask(waiter);
  co_await waiter.over.wait();
  if (!waiter.done) throw std::bad_alloc();
  ++shared_.allocations;
  co_return models::GlobalAddress{waiter.address};
}

sim::Task<void> Allocation::free(unsigned thread, models::GlobalAddress address, sim::OperationId operation) {
  co_await models::occupy(server().core(thread), shared_.options.hand_over);
  if (shared_.membership != nullptr) co_await shared_.membership->lease(self_);
  co_await models::occupy(output_.core(), shared_.options.hit);
  if (address.home() == self_ || !shared_.memory.shape().roles.holds_memory(address.home())) {
    shared_.allocator->free(address);
    --shared_.allocations;
    co_return;
  }
  Waiter waiter{.over = sim::Signal(shared_.rack.calendar()),
                .whom = address.home(),
                .asked = {.bytes = address.value,
                          .request = ++next_request_,
                          .sender = self_,
                          .kind = MessageKind::free,
                          .operation = operation}};
  ask(waiter);
  co_await waiter.over.wait();
  if (!waiter.done) throw std::invalid_argument(fmt::format("address {:#x} is no allocation's", address.value));
  --shared_.allocations;
}

void Allocation::ask(Waiter& waiter) {
  waiting_[waiter.asked.request] = &waiter;
  output_.send(waiter.whom, waiter.asked);
}

void Allocation::take(const Message& message) {
  if (message.kind == MessageKind::memory_statistics) {
    free_[message.sender] = message.bytes;
    return;
  }
  if (message.kind == MessageKind::malloc_reply || message.kind == MessageKind::free_reply) {
    const auto waiting = waiting_.find(message.request);
    if (waiting == waiting_.end() && output_.has_cut_off()) return ++shared_.counters.late.value, void();
    Waiter& waiter = *waiting->second;
    waiting_.erase(waiting);
    waiter.done = !message.tries || waiter.again;
    waiter.address = message.bytes;
    waiter.over.notify_all();
    return;
  }
  Message reply = message;
  reply.sender = self_;
  const bool allocates = message.kind == MessageKind::malloc;
  reply.kind = allocates ? MessageKind::malloc_reply : MessageKind::free_reply;
  reply.tries = false;
  try {
    if (allocates) {
      reply.bytes = shared_.allocator->allocate(message.bytes, {.home = self_, .shared = message.locks}).value;
    } else {
      shared_.allocator->free({message.bytes});
    }
  } catch (const std::bad_alloc&) {
    reply.tries = true;  // in vain
  } catch (const std::invalid_argument&) {
    reply.tries = true;
  }
  output_.send(message.sender, reply);
}

void Allocation::tell_statistics() {
  server().clock().after<&Allocation::tell_statistics>(shared_.options.statistics_period, *this);
  if (!server().is_on() || !shared_.memory.shape().roles.holds_memory(self_)) return;
  for (NodeId other = 0; other < shared_.rack.nodes(); ++other) {
    if (other == self_) continue;
    output_.send(other, {.bytes = free_here(), .sender = self_, .kind = MessageKind::memory_statistics});
  }
}

void Allocation::cut_off(NodeId lost) {
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    Waiter& waiter = *waiting->second;
    const bool fails = waiter.whom == lost && waiter.asked.kind == MessageKind::malloc;
    waiting = fails ? waiting_.erase(waiting) : std::next(waiting);
    if (fails) waiter.over.notify_all();
  }
}

void Allocation::ask_again(NodeId home) {
  for (auto& [request, waiter] : waiting_) {
    if (waiter->whom != home) continue;
    waiter->again = true;
    output_.send(home, waiter->asked);
  }
}

void Allocation::crash() {
  waiting_.clear();
}

}  // namespace racksim::gam
