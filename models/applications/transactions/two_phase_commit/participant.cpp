// What a participant does with each call. See participant.hpp.
#include "models/applications/transactions/two_phase_commit/participant.hpp"

#include <algorithm>
#include <utility>

#include "models/service/memory_port.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::app::two_phase_commit {

using models::LockMode;

std::uint64_t bytes_of(const std::vector<RowImage>& rows) {
  std::uint64_t bytes = 0;
  for (const RowImage& row : rows) bytes += row.bytes.size();
  return bytes;
}

namespace {

constexpr int kMostDoublings = 10;

/// Before memory that could not be had is asked again.
constexpr sim::Duration kPause = sim::Duration::from_ps(10'000'000);

sim::Task<bool> try_store(RowImages& images, Seat& by, const RowImage& row) {
  co_await by.wait_for_turn();
  const Seat::Turn turn(by);
  try {
    co_await images.store(by.session(), row.row, row.bytes);
  } catch (const models::Unavailable&) {
    co_return false;
  }
  co_return true;
}

sim::Task<bool> try_load(RowImages& images, Seat& by, Row row, std::span<std::byte> into) {
  co_await by.wait_for_turn();
  const Seat::Turn turn(by);
  try {
    co_await images.load(by.session(), row, into);
  } catch (const models::Unavailable&) {
    co_return false;
  }
  co_return true;
}

}  // namespace

sim::Task<void> store_all(sim::Clock& clock, RowImages& images, Seat& by, const std::vector<RowImage>& rows) {
  if (rows.empty()) co_return;
  for (const RowImage& row : rows) {
    while (!co_await try_store(images, by, row)) co_await sim::sleep_for(clock, kPause);
  }
  co_await by.wait_for_turn();
  const Seat::Turn turn(by);
  co_await images.settle(by.session());
}

Participant::~Participant() {
  for (auto& [id, state] : transactions_) clock_.calendar().cancel(state.timer);
}

sim::Task<Reply> Participant::serve(Seat& by, Request request) {
  switch (request.verb) {
    case Verb::read:
      co_return co_await read(by, request);
    case Verb::stage:
      if (State* state = find(request.transaction); state != nullptr && !state->preparing) {
        heard(request.transaction, *state);
        take(*state, request.rows);
        co_return Reply{.answer = Answer::yes, .image = {}};
      }
      co_return Reply{.answer = Answer::gone, .image = {}};
    case Verb::prepare:
      co_return co_await prepare(by, request);
    case Verb::commit:
      co_return co_await commit(by, request.transaction);
    case Verb::abort:
      break;
  }
  co_return co_await abort(by, request.transaction);
}

void Participant::take(State& state, std::vector<RowImage>& rows) {
  for (RowImage& row : rows) {
    const auto same =
        std::find_if(state.rows.begin(), state.rows.end(), [&](const RowImage& known) { return known.row == row.row; });
    if (same == state.rows.end()) {
      state.rows.push_back(std::move(row));
    } else {
      *same = std::move(row);
    }
  }
}

Participant::State* Participant::find(TransactionId transaction) {
  const auto found = transactions_.find(transaction);
  return found == transactions_.end() ? nullptr : &found->second;
}

void Participant::heard(TransactionId transaction, State& state) {
  clock_.calendar().cancel(std::exchange(state.timer, {}));
  if (state.patience > sim::Duration{}) {
    state.timer = clock_.after<&Participant::give_up>(state.patience, *this, transaction);
  }
}

void Participant::give_up(TransactionId transaction) {
  ++given_up_;
  forget(transaction);
}

void Participant::forget(TransactionId transaction) {
  locks_.release(transaction);
  if (const auto found = transactions_.find(transaction); found != transactions_.end()) {
    clock_.calendar().cancel(found->second.timer);
    transactions_.erase(found);
  }
  over_[terminal_of(transaction)] = attempt_of(transaction);
  forgotten_.notify_all();
}

sim::Task<Reply> Participant::read(Seat& by, const Request& request) {
  const TransactionId id = request.transaction;
  Reply reply{.answer = Answer::gone, .image = {}};
  State* state = find(id);
  if (state == nullptr && request.first && over_[terminal_of(id)] < attempt_of(id)) {
    state = &transactions_[id];
    state->patience = options_.patience * (std::int64_t{1} << std::min<int>(request.doublings, kMostDoublings));
  }
  if (state == nullptr || state->preparing) co_return reply;
  heard(id, *state);
  Row row = request.row;
  const std::uint64_t end = row.key + request.count;
  for (; row.key < end; ++row.key) {
    if (!locks_.try_lock(row, request.mode, id)) {
      reply.answer = Answer::no;
      co_return reply;
    }
  }
  const std::uint32_t bytes = images_.bytes(row.table);
  reply.image.resize(std::size_t{request.count} * bytes);
  bool loaded = true;
  for (std::uint32_t i = 0; i < request.count && loaded; ++i) {
    row.key = request.row.key + i;
    loaded = co_await try_load(images_, by, row, std::span(reply.image).subspan(std::size_t{i} * bytes, bytes));
  }
  // Its patience may have ended meanwhile, and somebody else may have the locks.
  state = find(id);
  if (state != nullptr) {
    heard(id, *state);
    reply.answer = loaded ? Answer::yes : Answer::unavailable;
  }
  if (reply.answer != Answer::yes) reply.image.clear();
  co_return reply;
}

sim::Task<Reply> Participant::prepare(Seat& by, Request& request) {
  const TransactionId id = request.transaction;
  Reply reply{.answer = Answer::gone, .image = {}};
  State* state = find(id);
  if (state == nullptr || state->deciding) co_return reply;
  const bool again = state->preparing;
  if (!again) {
    take(*state, request.rows);
    if (state->rows.empty()) {
      forget(id);
      reply.answer = Answer::only_read;
      co_return reply;
    }
    clock_.calendar().cancel(std::exchange(state->timer, {}));
    state->preparing = true;
    state->promise = log_.append(kLogEntryBytes + bytes_of(state->rows));
    reply.syncs = 1;
  }
  co_await log_.durable(state->promise);
  state = find(id);
  if (state == nullptr || state->deciding) co_return reply;  // aborted meanwhile
  if (options_.early_release && !again) co_await show_early(by, *state, id);
  reply.answer = Answer::yes;
  co_return reply;
}

sim::Task<void> Participant::show_early(Seat& by, State& state, TransactionId transaction) {
  for (const RowImage& row : state.rows) {
    RowImage old{row.row, std::vector<std::byte>(row.bytes.size())};
    while (!co_await try_load(images_, by, row.row, old.bytes)) co_await sim::sleep_for(clock_, kPause);
    state.old.push_back(std::move(old));
  }
  co_await store_all(clock_, images_, by, state.rows);
  locks_.release(transaction);
}

sim::Task<Reply> Participant::commit(Seat& by, TransactionId transaction) {
  Reply reply{.answer = Answer::yes, .image = {}};
  State* state = find(transaction);
  if (state == nullptr) co_return reply;  // it has come before
  if (std::exchange(state->deciding, true)) {
    while (find(transaction) != nullptr) co_await forgotten_.wait();
    co_return reply;
  }
  RACKSIM_INVARIANT(state->preparing && log_.is_durable(state->promise), "only what is prepared is committed");
  log_.force(log_.append(kLogEntryBytes));
  reply.syncs = 1;
  if (!options_.early_release) co_await store_all(clock_, images_, by, state->rows);
  forget(transaction);
  co_return reply;
}

sim::Task<Reply> Participant::abort(Seat& by, TransactionId transaction) {
  const Reply reply{.answer = Answer::yes, .image = {}};
  State* state = find(transaction);
  if (state != nullptr && state->preparing) {
    if (std::exchange(state->deciding, true)) {
      while (find(transaction) != nullptr) co_await forgotten_.wait();
      co_return reply;
    }
    log_.append(kLogEntryBytes);
    co_await store_all(clock_, images_, by, state->old);
  }
  forget(transaction);
  co_return reply;
}

}  // namespace racksim::app::two_phase_commit
