// What threads have under way. See sessions.hpp.
#include "protocols/gam/node/sessions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "sim/oracles/oracle.hpp"

namespace racksim::gam {

using sim::OperationKind;

Session::Session(const SessionParts& parts, std::vector<HeldLock>& held, std::uint16_t thread)
    : parts_(parts), held_(held), thread_(thread), performed_(parts.shared.rack.calendar()) {
  parts.shared.rack.server(parts.output.self()).core(thread, "application");
}

models::Occupy Session::hand_over() const {
  return models::occupy(parts_.shared.rack.server(parts_.output.self()).core(thread_), options().hand_over);
}

Request Session::request(OperationKind kind, sim::Key line, sim::OperationId operation, Answer* answer) const {
  return {.line = line, .kind = kind, .thread = thread_, .operation = operation, .answer = answer};
}

Request Session::request_for(OperationKind kind, models::MemoryAccess access, sim::OperationId operation,
                             sim::Value value, Answer* answer) const {
  Request made = request(kind, parts_.shared.line_of(access.first), operation, answer);
  made.object = parts_.shared.index_of(access.first);
  made.objects = static_cast<std::uint16_t>(access.objects);
  made.bytes = access.bytes;
  made.value = value;
  return made;
}

sim::Task<void> Session::read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) {
  co_await hand_over();
  Answer answer(parts_.shared.rack.calendar(), values);
  parts_.host.submit(request_for(OperationKind::read, access, operation, 0, &answer));
  co_await answer.over.wait();
}

sim::Task<void> Session::write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) {
  while (unperformed_ >= options().outstanding_writes) co_await performed_.wait();
  co_await hand_over();
  ++unperformed_;
  parts_.host.submit(request_for(OperationKind::write, access, operation, value));
  // GAM-TSO "appends a MFence operation to each write" (§7.1). Write and fence are one after the other, as a lock and its
  // unlock are (§7.1.2: "both types of requests are processed sequentially").
  if (options().consistency == Consistency::sc) {
    while (unperformed_ > 0) co_await performed_.wait();
    co_await fence(operation);
  }
  // The published code's SFence is of writes alone: the thread goes on, and the worker holds the next write back.
  if (options().consistency == Consistency::tso) {
    co_await hand_over();
    parts_.host.submit(request(OperationKind::fence, {}, operation, nullptr));
  }
}

sim::Task<sim::Value> Session::compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                                sim::OperationId operation) {
  Request request = request_for(OperationKind::compare_and_swap, {object}, operation, desired);
  request.expected = expected;
  return update(request);
}

sim::Task<sim::Value> Session::fetch_and_add(sim::Key object, std::uint64_t operand, sim::OperationId operation) {
  return update(request_for(OperationKind::fetch_and_add, {object}, operation, sim::Value(operand)));
}

sim::Task<sim::Value> Session::update(Request request) {
  co_await hand_over();
  Answer answer(parts_.shared.rack.calendar());
  request.answer = &answer;
  ++unperformed_;
  parts_.host.submit(request);
  co_await answer.over.wait();
  co_return answer.value;
}

sim::Task<void> Session::fence(sim::OperationId operation) {
  co_await hand_over();
  while (unperformed_ > 0) co_await performed_.wait();
  Answer answer(parts_.shared.rack.calendar());
  parts_.host.submit(request(OperationKind::fence, {}, operation, &answer));
  co_await answer.over.wait();
}

sim::Task<void> Session::lock(sim::Key line, models::LockMode mode, sim::OperationId operation) {
  const bool shared = mode == models::LockMode::shared;
  co_await take(line, shared ? OperationKind::lock_shared : OperationKind::lock, operation);
}

sim::Task<bool> Session::try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) {
  const bool shared = mode == models::LockMode::shared;
  return take(line, shared ? OperationKind::try_lock_shared : OperationKind::try_lock, operation);
}

sim::Task<bool> Session::take(sim::Key line, OperationKind kind, sim::OperationId operation) {
  co_await hand_over();
  while (unperformed_ > 0) co_await performed_.wait();
  Answer answer(parts_.shared.rack.calendar());
  parts_.host.submit(request(kind, line, operation, &answer));
  co_await answer.over.wait();
  if (answer.granted) {
    held_.push_back({thread_, line, sim::is_shared(kind) ? models::LockMode::shared : models::LockMode::exclusive});
  }
  co_return answer.granted;
}

sim::Task<void> Session::unlock(sim::Key line, sim::OperationId operation) {
  std::erase_if(held_, [&](const HeldLock& held) { return held.thread == thread_ && held.line == line; });
  co_await hand_over();
  while (unperformed_ > 0) co_await performed_.wait();
  Answer answer(parts_.shared.rack.calendar());
  parts_.host.submit(request(OperationKind::unlock, line, operation, &answer));
  co_await answer.over.wait();
}

bool Session::admit(Request& request) {
  if (options().consistency != Consistency::tso || request.is_lock() || request.kind == OperationKind::unlock) {
    return true;
  }
  if (request.kind != OperationKind::read) {
    buffer_.push_back(&request);
    return buffer_.size() == 1;
  }
  // The newest of the thread's own writes that are not performed. Of all objects: it is answered here. Of some: it goes to
  // its line behind them, so that all is read at one instant.
  std::uint16_t found = 0;
  for (std::uint16_t i = 0; i < request.objects; ++i) {
    const auto object = static_cast<std::uint16_t>(request.object + i);
    const auto own = std::find_if(buffer_.rbegin(), buffer_.rend(), [&](const Request* write) {
      return write->kind != OperationKind::fence && write->is_about(request.line, object);
    });
    if (own == buffer_.rend()) continue;
    request.answer->values[i] = sim::Value{(*own)->value + (object - (*own)->object)};
    ++found;
  }
  if (found == 0) return true;
  if (found == request.objects) {
    parts_.output.grant(request);
  } else {
    request.in_turn = true;
    buffer_.push_back(&request);
  }
  return false;
}

Request* Session::finished(const Request& request) {
  const bool reads = request.kind == OperationKind::read;
  if (request.is_lock() || request.kind == OperationKind::unlock || (reads && !request.in_turn)) return nullptr;
  if (request.kind != OperationKind::fence && !reads) {
    --unperformed_;
    performed_.notify_all();
  }
  if (options().consistency != Consistency::tso) return nullptr;
  buffer_.pop_front();
  return buffer_.empty() ? nullptr : buffer_.front();
}

void Session::crash() {
  unperformed_ = 0;
  buffer_.clear();
}

Sessions::Sessions(const SessionParts& parts, unsigned threads) : parts_(parts) {
  for (unsigned thread = 0; thread < threads; ++thread) {
    sessions_.push_back(std::make_unique<Session>(parts, held_, static_cast<std::uint16_t>(thread)));
  }
}

std::optional<models::LockMode> Sessions::lock_of(unsigned thread, sim::Key line) const {
  for (const HeldLock& held : held_) {
    if (held.thread == thread && held.line == line) return held.mode;
  }
  return std::nullopt;
}

std::vector<HeldLock> Sessions::left_behind() {
  std::vector<HeldLock> locks;
  for (HeldLock& held : held_) {
    if (!std::exchange(held.is_told, true)) locks.push_back(held);
  }
  return locks;
}

void Sessions::crash() {
  held_.clear();
  for (const auto& session : sessions_) session->crash();
}

void Sessions::add_leaks(std::vector<models::Leak>& leaks) const {
  for (const HeldLock& held : held_) {
    leaks.push_back({"leaked-lock",
                     fmt::format("thread {} of node {} holds the lock of line {}", held.thread, parts_.output.self(),
                                 sim::printed_key(held.line)),
                     {parts_.shared.object_of(held.line, 0), {}}});
  }
}

}  // namespace racksim::gam
