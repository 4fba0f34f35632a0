// What threads have under way. See sessions.hpp.
#include "protocols/gam/node/sessions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/host/core_wait.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::gam {

Sessions::Sessions(Shared& shared, Output& output, unsigned threads, SessionsHost& host)
    : shared_(shared), output_(output), host_(host) {
  for (unsigned thread = 0; thread < threads; ++thread) {
    sessions_.push_back(std::make_unique<Session>(shared.rack.calendar()));
  }
}

sim::Task<sim::Value> Sessions::read(unsigned thread, sim::Key object, sim::OperationId operation) {
  co_await models::occupy(shared_.rack.server(output_.self()).core(thread), options().hand_over);
  Answer answer(calendar());
  const Request request{.line = shared_.line_of(object),
                        .kind = sim::OperationKind::read,
                        .object = shared_.index_of(object),
                        .thread = static_cast<std::uint16_t>(thread),
                        .operation = operation,
                        .answer = &answer};
  host_.submit(request);
  co_await answer.over.wait();
  co_return answer.value;
}

sim::Task<void> Sessions::write(unsigned thread, sim::Key object, sim::Value value, sim::OperationId operation) {
  Session& session = *sessions_[thread];
  while (session.unperformed >= options().outstanding_writes) co_await session.performed.wait();
  co_await models::occupy(shared_.rack.server(output_.self()).core(thread), options().hand_over);
  ++session.unperformed;
  const Request request{.line = shared_.line_of(object),
                        .kind = sim::OperationKind::write,
                        .object = shared_.index_of(object),
                        .thread = static_cast<std::uint16_t>(thread),
                        .operation = operation,
                        .value = value};
  host_.submit(request);
  while (options().consistency == Consistency::sc && session.unperformed > 0) co_await session.performed.wait();
}

sim::Task<sim::Value> Sessions::update(unsigned thread, Request request) {
  Session& session = *sessions_[thread];
  co_await models::occupy(shared_.rack.server(output_.self()).core(thread), options().hand_over);
  Answer answer(calendar());
  request.answer = &answer;
  ++session.unperformed;
  host_.submit(request);
  co_await answer.over.wait();
  co_return answer.value;
}

sim::Task<void> Sessions::fence(unsigned thread) {
  Session& session = *sessions_[thread];
  co_await models::occupy(shared_.rack.server(output_.self()).core(thread), options().hand_over);
  while (session.unperformed > 0) co_await session.performed.wait();
}

sim::Task<bool> Sessions::lock(unsigned thread, sim::Key line, sim::OperationKind kind, sim::OperationId operation) {
  Session& session = *sessions_[thread];
  co_await models::occupy(shared_.rack.server(output_.self()).core(thread), options().hand_over);
  while (session.unperformed > 0) co_await session.performed.wait();
  Answer answer(calendar());
  const Request request{.line = line,
                        .kind = kind,
                        .thread = static_cast<std::uint16_t>(thread),
                        .operation = operation,
                        .answer = &answer};
  const bool exclusive = request.is_exclusive();
  host_.submit(request);
  co_await answer.over.wait();
  if (answer.granted) {
    held_.push_back({thread, line, exclusive ? models::LockMode::exclusive : models::LockMode::shared});
  }
  co_return answer.granted;
}

sim::Task<void> Sessions::unlock(unsigned thread, sim::Key line, sim::OperationId operation) {
  Session& session = *sessions_[thread];
  std::erase_if(held_, [&](const HeldLock& held) { return held.thread == thread && held.line == line; });
  co_await models::occupy(shared_.rack.server(output_.self()).core(thread), options().hand_over);
  while (session.unperformed > 0) co_await session.performed.wait();
  Answer answer(calendar());
  const Request request{.line = line,
                        .kind = sim::OperationKind::unlock,
                        .thread = static_cast<std::uint16_t>(thread),
                        .operation = operation,
                        .answer = &answer};
  host_.submit(request);
  co_await answer.over.wait();
}

std::optional<models::LockMode> Sessions::lock_of(unsigned thread, sim::Key line) const {
  for (const HeldLock& held : held_) {
    if (held.thread == thread && held.line == line) return held.mode;
  }
  return std::nullopt;
}

std::vector<Sessions::HeldLock> Sessions::left_behind() {
  std::vector<HeldLock> locks;
  for (HeldLock& held : held_) {
    if (!std::exchange(held.is_told, true)) locks.push_back(held);
  }
  return locks;
}

bool Sessions::admit(Request& request) {
  if (options().consistency != Consistency::tso || request.is_lock() || request.kind == sim::OperationKind::unlock) {
    return true;
  }
  std::deque<Request*>& buffer = sessions_[request.thread]->buffer;
  if (request.kind != sim::OperationKind::read) {
    buffer.push_back(&request);
    return buffer.size() == 1;
  }
  // The newest of the thread's own writes that are not performed.
  const auto own = std::find_if(buffer.rbegin(), buffer.rend(), [&](const Request* write) {
    return write->line == request.line && write->object == request.object;
  });
  if (own == buffer.rend()) return true;
  output_.answer(request, (*own)->value);
  return false;
}

Request* Sessions::finished(Request& request) {
  if (request.is_lock() || request.kind == sim::OperationKind::unlock || request.kind == sim::OperationKind::read) {
    return nullptr;
  }
  Session& session = *sessions_[request.thread];
  --session.unperformed;
  session.performed.notify_all();
  if (options().consistency != Consistency::tso) return nullptr;
  session.buffer.pop_front();
  return session.buffer.empty() ? nullptr : session.buffer.front();
}

void Sessions::crash() {
  held_.clear();
  for (const auto& session : sessions_) {
    session->unperformed = 0;
    session->buffer.clear();
  }
}

void Sessions::add_leaks(std::vector<models::Leak>& leaks) const {
  for (const HeldLock& held : held_) {
    leaks.push_back({"leaked-lock",
                     fmt::format("thread {} of node {} holds the lock of line {}", held.thread, output_.self(),
                                 sim::printed_key(held.line)),
                     {shared_.object_of(held.line, 0), {}}});
  }
}

}  // namespace racksim::gam
