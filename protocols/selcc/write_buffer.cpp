// See write_buffer.hpp.
#include "protocols/selcc/write_buffer.hpp"

#include <algorithm>

namespace racksim::selcc {

WriteBuffer::WriteBuffer(ComputeNode& node, unsigned thread, const Options& options, sim::Clock& clock)
    : node_(node),
      thread_(thread),
      options_(options),
      clock_(clock),
      wanted_(clock.calendar()),
      moved_(clock.calendar()),
      tasks_(clock.calendar()) {
  begin();
}

sim::Task<void> WriteBuffer::put(models::MemoryAccess access, sim::Value value, sim::OperationId operation) {
  while (writes_.size() >= options_.buffered_writes) {
    urgent_ = true;
    wanted_.notify_all();
    co_await moved_.wait();
  }
  writes_.push_back({operation, access, value, clock_.calendar().now()});
  wanted_.notify_all();
}

std::uint32_t WriteBuffer::copy_newest(models::MemoryAccess access, std::span<sim::Value> values) const {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < access.objects; ++i) {
    const std::uint64_t object = access.first + i;
    const auto newest = std::find_if(writes_.rbegin(), writes_.rend(), [&](const Write& write) {
      return object - write.access.first < write.access.objects;
    });
    if (newest == writes_.rend()) continue;
    values[i] = sim::Value{newest->value + (object - newest->access.first)};
    ++found;
  }
  return found;
}

sim::Task<void> WriteBuffer::drain() {
  while (!writes_.empty()) {
    urgent_ = true;
    wanted_.notify_all();
    co_await moved_.wait();
  }
}

// A write leaves the buffer once it is performed: until then its thread reads it here.
sim::Task<void> WriteBuffer::perform_in_order() {
  for (;;) {
    if (writes_.empty()) {
      urgent_ = false;
      co_await wanted_.wait();
      continue;
    }
    const Write write = writes_.front();
    const sim::Duration waited = clock_.calendar().now() - write.put;
    if (!urgent_ && !due_ && waited < options_.buffer_deadline) {
      clock_.calendar().cancel(timer_);
      timer_ = clock_.after<&WriteBuffer::head_is_due>(options_.buffer_deadline - waited, *this, 0);
      co_await wanted_.wait();
      continue;
    }
    clock_.calendar().cancel(timer_);
    due_ = false;
    co_await node_.write(thread_, write.access, write.value, write.operation);
    writes_.pop_front();
    moved_.notify_all();
  }
}

// By the node's clock, which may be ahead of the rack's.
void WriteBuffer::head_is_due(std::uint64_t) {
  due_ = true;
  wanted_.notify_all();
}

void WriteBuffer::crash() {
  tasks_.cancel_all();
  clock_.calendar().cancel(timer_);
  writes_.clear();
  urgent_ = due_ = false;
}

}  // namespace racksim::selcc
