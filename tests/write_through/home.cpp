#include "tests/write_through/home.hpp"

#include <algorithm>

namespace racksim::write_through {

sim::Task<Reply> Home::serve(Request request, models::NodeId from, sim::OperationId operation) {
  Line& l = line(request.block);
  switch (request.opcode) {
    case Opcode::lock:
      if (l.queue.empty() && may_hold(l, request.mode)) {
        l.holds.push_back({request.session, request.mode});
      } else {
        sim::Signal over(calendar_);
        l.queue.push_back({{request.session, request.mode}, &over});
        co_await over.wait();
      }
      co_return Reply{};
    case Opcode::try_lock: {
      const bool granted = l.queue.empty() && may_hold(l, request.mode);
      if (granted) l.holds.push_back({request.session, request.mode});
      co_return Reply{0, granted};
    }
    case Opcode::unlock:
      std::erase_if(l.holds, [&](const Hold& hold) {
        return hold.session.node == request.session.node && hold.session.thread == request.session.thread;
      });
      grant_next(l);
      co_return Reply{};
    default:
      break;
  }
  while (l.busy) co_await l.free.wait();
  l.busy = true;
  const sim::Value before = l.value;
  if (request.opcode == Opcode::read) {
    l.sharers.insert(from);
  } else if (request.opcode == Opcode::add) {
    co_await change(l, request, sim::Value{before + request.value}, operation);
  } else if (request.opcode != Opcode::swap || before == request.expected) {
    co_await change(l, request, request.value, operation);
  }
  co_return Reply{before, true};
}

void Home::answered(const Request& request) {
  if (request.opcode > Opcode::add) return;
  Line& l = line(request.block);
  l.busy = false;
  l.free.notify_all();
}

sim::Task<void> Home::change(Line& line, const Request& request, sim::Value value, sim::OperationId operation) {
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

void Home::grant_next(Line& line) {
  while (!line.queue.empty() && may_hold(line, line.queue.front().wanted.mode)) {
    line.holds.push_back(line.queue.front().wanted);
    line.queue.front().over->notify_all();
    line.queue.pop_front();
  }
}

void Home::node_crashed(models::NodeId node, bool frees_locks,
                        const std::function<void(models::Session, sim::Key)>& freed) {
  for (auto& [block, line] : lines_) {
    line.sharers.erase(node);
    if (!frees_locks) continue;
    std::erase_if(line.queue, [&](const Waiting& waiting) {
      if (waiting.wanted.session.node != node) return false;
      waiting.over->notify_all();
      return true;
    });
    std::erase_if(line.holds, [&, at = block](const Hold& hold) {
      if (hold.session.node != node) return false;
      freed(hold.session, sim::Key{at});
      return true;
    });
    grant_next(line);
  }
}

bool Home::quiescent() const {
  return background_.running() == 0 &&
         std::all_of(lines_.begin(), lines_.end(), [](const auto& l) { return !l.second.busy; });
}

std::vector<sim::Key> Home::locked() const {
  std::vector<sim::Key> blocks;
  for (const auto& [block, line] : lines_) {
    if (!line.holds.empty() || !line.queue.empty()) blocks.push_back(sim::Key{block});
  }
  return blocks;
}

}  // namespace racksim::write_through
