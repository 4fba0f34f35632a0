#include "tests/write_through/home.hpp"

#include <algorithm>

namespace racksim::write_through {

sim::Task<Reply> Home::serve(Request request, models::NodeId from, std::uint64_t operation) {
  Line& l = line(request.block);
  switch (request.kind) {
    case Kind::lock:
      if (l.queue.empty() && may_hold(l, request.mode)) {
        hold(l, request.mode);
      } else {
        sim::Signal granted(calendar_);
        l.queue.push_back({request.mode, &granted});
        co_await granted.wait();
      }
      co_return Reply{};
    case Kind::try_lock: {
      const bool granted = l.queue.empty() && may_hold(l, request.mode);
      if (granted) hold(l, request.mode);
      co_return Reply{0, granted};
    }
    case Kind::unlock:
      unlock(l);
      co_return Reply{};
    default:
      break;
  }
  while (l.busy) co_await l.free.wait();
  l.busy = true;
  const std::uint64_t before = l.value;
  if (request.kind == Kind::read) {
    l.sharers.insert(from);
  } else if (request.kind == Kind::add) {
    co_await change(l, request, before + request.value, operation);
  } else if (request.kind != Kind::swap || before == request.expected) {
    co_await change(l, request, request.value, operation);
  }
  co_return Reply{before, true};
}

void Home::answered(const Request& request) {
  if (request.kind > Kind::add) return;
  Line& l = line(request.block);
  l.busy = false;
  l.free.notify_all();
}

sim::Task<void> Home::change(Line& line, const Request& request, std::uint64_t value, std::uint64_t operation) {
  std::vector<sim::Task<void>> invalidations;
  for (const models::NodeId holder : std::exchange(line.sharers, {})) {
    invalidations.push_back(invalidate_(holder, request.block, operation));
  }
  if (await_invalidations_) {
    co_await sim::gather(std::move(invalidations));
  } else {
    for (sim::Task<void>& invalidation : invalidations) background_.spawn(std::move(invalidation));
  }
  line.value = value;
  memory_.performed(operation, request.block, value);
}

void Home::unlock(Line& line) {
  line.writer ? static_cast<void>(line.writer = false) : static_cast<void>(--line.readers);
  while (!line.queue.empty() && may_hold(line, line.queue.front().mode)) {
    hold(line, line.queue.front().mode);
    line.queue.front().granted->notify_all();
    line.queue.pop_front();
  }
}

bool Home::quiescent() const {
  return background_.running() == 0 &&
         std::all_of(lines_.begin(), lines_.end(), [](const auto& l) { return !l.second.busy; });
}

std::vector<std::uint64_t> Home::locked() const {
  std::vector<std::uint64_t> blocks;
  for (const auto& [block, line] : lines_) {
    if (line.writer || line.readers > 0 || !line.queue.empty()) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace racksim::write_through
