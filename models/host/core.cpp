// The core's queue. See core.hpp.
#include "models/host/core.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

Core::Core(sim::Calendar& calendar, std::string name)
    : calendar_(calendar), lane_(calendar.add_lane(std::move(name))) {}

void Core::queue() {
  Work& work = waiting_.back();
  if (serving_ && start_ > calendar_.now() && work.ready < current_.ready) {
    // The piece chosen so far has not begun: it waits for its own readiness, and this one is ready before it.
    calendar_.cancel(end_event_);
    std::swap(current_, work);
    std::push_heap(waiting_.begin(), waiting_.end(), later);
    return begin();
  }
  std::push_heap(waiting_.begin(), waiting_.end(), later);
  if (!serving_ && !in_handler_) serve_next();
}

void Core::refuse_negative(bool begins) {
  const sim::Duration cost = begins ? current_.cost : waiting_.back().cost;
  if (!begins) waiting_.pop_back();
  throw std::logic_error(fmt::format("{}: work of a negative cost of {} ps", name(), cost.ps()));
}

void Core::serve_next() {
  RACKSIM_INVARIANT(!serving_ && !waiting_.empty(), "a core does one piece of work at a time, of those that wait");
  std::pop_heap(waiting_.begin(), waiting_.end(), later);
  current_ = waiting_.back();
  waiting_.pop_back();
  begin();
}

void Core::begin() {
  serving_ = true;
  start_ = std::max({current_.ready, charged_until_, calendar_.now()});
  const sim::Duration more =
      current_.more == nullptr ? sim::Duration{} : current_.more(current_.target, current_.words);
  served_ = time_for(current_.cost + more);
  end_ = start_ + served_;
  end_event_ = calendar_.at<&Core::finish>(end_, lane_, *this);
}

void Core::finish() {
  RACKSIM_INVARIANT(serving_ && end_ == calendar_.now(), "a piece of work ends when its cost has passed");
  RACKSIM_INVARIANT(!in_handler_, "nothing interrupts a handler");
  serving_ = false;
  busy_ += served_;
  if (start_ > current_.ready) waits_.add(current_.ready, start_);
  in_handler_ = true;
  current_.call(current_.target, current_.words);  // what comes meanwhile waits, so current_ stays
  in_handler_ = false;
  if (!waiting_.empty()) serve_next();
}

sim::Duration Core::worked() const {
  const sim::Time now = calendar_.now();
  const sim::Duration ahead = std::max(charged_until_ - std::max(now, rested_until_), sim::Duration{});
  const bool at_work = serving_ && start_ < now;
  return std::max(busy_ + (at_work ? std::min(now - start_, served_) : sim::Duration{}) - ahead, sim::Duration{});
}

sim::Duration Core::waited() const {
  const sim::Time now = calendar_.now();
  sim::Duration sum = waits_.sum();
  const auto add = [&](const Work& work, sim::Time until) {
    sum += std::max(std::min(now, until) - work.ready, sim::Duration{});
  };
  if (serving_) add(current_, start_);
  for (const Work& work : waiting_) add(work, now);
  return sum;
}

Waits Core::waits_by_now() const {
  const sim::Time now = calendar_.now();
  Waits waits = waits_;
  if (serving_ && start_ > current_.ready) waits.add(current_.ready, start_);
  std::vector<sim::Time> ready;
  for (const Work& work : waiting_) {
    if (work.ready < now) ready.push_back(work.ready);
  }
  std::sort(ready.begin(), ready.end());
  for (const sim::Time since : ready) waits.add(since, now);
  return waits;
}

sim::Time Core::charge(sim::Duration cost) {
  if (cost < sim::Duration{}) {
    throw std::logic_error(fmt::format("{}: a negative charge of {} ps", name(), cost.ps()));
  }
  const sim::Time now = calendar_.now();
  const sim::Duration length = time_for(cost);
  charged_until_ = std::max(charged_until_, now) + length;
  busy_ += length;
  if (serving_) {
    calendar_.cancel(end_event_);
    if (start_ >= now) {
      begin();
    } else {
      end_ += length;
      end_event_ = calendar_.at<&Core::finish>(end_, lane_, *this);
    }
  }
  return charged_until_;
}

void Core::rest_until(sim::Time until) {
  charged_until_ = std::max(charged_until_, until);
  rested_until_ = std::max(rested_until_, until);
  if (!serving_ || start_ < calendar_.now()) return;
  calendar_.cancel(end_event_);
  begin();
}

sim::Time Core::free_at() const {
  const sim::Time charged = std::max(charged_until_, calendar_.now());
  return serving_ && start_ <= calendar_.now() ? std::max(charged, end_) : charged;
}

void Core::set_slowdown(double factor) {
  slowdown_ = factor;
  if (!serving_ || start_ < calendar_.now()) return;
  calendar_.cancel(end_event_);
  begin();
}

void Core::forget(const void* target) {
  if (std::erase_if(waiting_, [&](const Work& work) { return work.target == target; }) > 0) {
    std::make_heap(waiting_.begin(), waiting_.end(), later);
  }
  if (!serving_ || current_.target != target) return;
  if (start_ <= calendar_.now()) {
    current_.call = [](void*, const Words&) {};
    return;
  }
  // It was to begin later.
  calendar_.cancel(end_event_);
  serving_ = false;
  if (!waiting_.empty()) serve_next();
}

void Core::halt() {
  if (serving_) calendar_.cancel(end_event_);
  serving_ = false;
  waiting_.clear();
  charged_until_ = calendar_.now();
}

}  // namespace racksim::models
