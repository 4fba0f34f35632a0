// Draws, calls and locks of a thread. See client.hpp.
#include "models/applications/client.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::app {

/// Lives as long as the call; one that throws or dies is none.
class Client::Call {
 public:
  explicit Call(const Client& client) : client_(client), began_(now()) {}
  void over() const {
    ++client_.context_.calls;
    if ((now() - began_) * 2 >= client_.context_.rack.options().rtt) ++client_.context_.long_calls;
  }

 private:
  sim::Time now() const { return client_.context_.rack.calendar().now(); }
  const Client& client_;
  sim::Time began_;
};

Client::Client(const ClientContext& context, models::Session session)
    : context_(context),
      session_(session),
      heap_(context.memory, session),
      random_(context.rack.seed(), fmt::format("node{}/thread{}/application", session.node, session.thread)),
      at_begin_(random_) {}

void Client::begin(bool again) {
  refused_ = unavailable_ = false;
  cause_.reset();
  again_ = again;
  if (again) {
    random_ = at_begin_;
  } else {
    at_begin_ = random_;
    began_ = context_.rack.calendar().now();
  }
}

Slot Client::draw(std::string_view region) {
  const std::uint32_t number = context_.regions.number(region);
  return {number, context_.popularity[number].draw(random_, began_)};
}

Slot Client::draw_other(std::string_view region, Slot other) {
  const std::uint32_t number = context_.regions.number(region);
  if (number == other.region && context_.regions.region(number).slots == 1) {
    throw std::logic_error(fmt::format("another slot of region '{}', which has one", region));
  }
  for (;;) {
    const Slot slot = draw(region);
    if (slot != other) return slot;
  }
}

sim::Task<void> Client::read(models::GlobalAddress address, std::span<std::byte> into) {
  const Call call(*this);
  co_await context_.memory.load(session_, address, into);
  call.over();
}

sim::Task<void> Client::write(models::GlobalAddress address, std::span<const std::byte> bytes) {
  const Call call(*this);
  co_await context_.memory.store(session_, address, bytes);
  call.over();
}

models::GlobalAddress Client::begin_of(sim::Key block) const {
  return {block.number() * context_.memory.shape().block_bytes};
}

sim::Task<Locks> Client::take(std::initializer_list<Slot> slots, models::LockMode mode, bool tries) {
  std::vector<sim::Key> blocks;
  for (const Slot& slot : slots) {
    const models::GlobalAddress begin = context_.regions.address(slot);
    const std::uint64_t last = context_.memory.block_of({begin.value + context_.regions.region(slot.region).bytes - 1});
    for (std::uint64_t block = context_.memory.block_of(begin); block <= last; ++block) {
      blocks.push_back(sim::Key{block});
    }
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return take_blocks(std::move(blocks), mode, tries);
}

sim::Task<Locks> Client::take_blocks(std::vector<sim::Key> blocks, models::LockMode mode, bool tries) {
  std::vector<sim::Key> taken;
  for (const sim::Key block : blocks) {
    const bool granted = co_await take_one(block, mode, tries);
    if (!granted) {
      refused_ = true;
      co_await give_back(std::move(taken));
      co_return Locks{};
    }
    taken.push_back(block);
  }
  co_return Locks(*this, std::move(taken));
}

sim::Task<bool> Client::take_one(sim::Key block, models::LockMode mode, bool tries) {
  const Call call(*this);
  bool granted = true;
  if (tries) {
    granted = co_await context_.memory.try_lock(session_, begin_of(block), mode);
  } else {
    co_await context_.memory.lock(session_, begin_of(block), mode);
  }
  if (granted) held_.push_back(block);
  call.over();
  co_return granted;
}

sim::Task<std::uint64_t> Client::fetch_and_add(models::GlobalAddress address, std::uint64_t operand) {
  const Call call(*this);
  const sim::Value before = co_await context_.memory.fetch_and_add(session_, address, operand);
  call.over();
  co_return before.number();
}

sim::Task<void> Client::lock_line(sim::Key line, models::LockMode mode) {
  co_await take_one(line, mode, false);
}

sim::Task<void> Client::unlock_line(sim::Key line) {
  const Call call(*this);
  std::erase(held_, line);
  co_await context_.memory.unlock(session_, begin_of(line));
  call.over();
}

sim::Task<void> Client::give_back(std::vector<sim::Key> blocks) {
  while (!blocks.empty()) {
    const Call call(*this);
    const sim::Key block = blocks.back();
    blocks.pop_back();
    std::erase(held_, block);
    co_await context_.memory.unlock(session_, begin_of(block));
    call.over();
  }
}

sim::Task<void> Client::release_all() {
  return give_back(held_);
}

sim::Task<void> Locks::release() {
  Client& client = *std::exchange(client_, nullptr);
  return client.give_back(std::move(blocks_));
}

}  // namespace racksim::app
