#include "sim/oracles/memory_model_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace racksim::sim {

std::string_view to_string(MemoryModel model) {
  switch (model) {
    case MemoryModel::sc:
      return "sc";
    case MemoryModel::tso:
      return "tso";
    case MemoryModel::pso:
      return "pso";
  }
  throw std::invalid_argument(fmt::format("{} is no memory model", static_cast<int>(model)));
}

MemoryModelOracle::MemoryModelOracle(MemoryModel model, const EventLog& event_log, std::size_t version_limit)
    : Oracle(std::string(to_string(model)), "operation"),
      model_(model),
      event_log_(event_log),
      memory_(version_limit) {}

void MemoryModelOracle::initial_value(Key key, Value value) {
  memory_.perform(key, {value, 0, 0});
}

void MemoryModelOracle::observe(const Observation& observation) {
  const bool performed = observation.what == Observed::performed;
  const bool lost = observation.what == Observed::write_lost;
  if (!performed && !lost && !kAccessKinds.contains(observation.what)) return;
  expect_in_order(observation.at);
  const Moment moment{++position_, observation.operation, observation.at, observation.source};
  if (lost) return lose(LostWriteView::of(observation), moment);
  if (begins(observation.what)) return begin(OperationView::of(observation), moment);
  const Slot* slot = slots_.find(observation.operation);
  if (performed) return perform(PerformedView::of(observation), moment, slot);
  // What is over is only kept to be performed.
  if (slot == nullptr || operations_[*slot].given_up) return;
  gives_up(observation.what) ? give_up(*slot) : end(OperationView::of(observation), moment, *slot);
}

void MemoryModelOracle::begin(const OperationView& view, const Moment& moment) {
  if (view.kind > OperationKind::unlock) return;
  if (slots_.find(moment.operation) != nullptr) return;
  const Slot slot = add(view, moment);
  auto& operation = operations_[slot];
  if (operation.reads()) {
    operation.reading = memory_.begin_read(operation.key, moment.position);
    session(operation).reads.push_back(slot);
    if (operation.kind == OperationKind::read && model_ != MemoryModel::sc) note_forwardable(operation);
  }
  if (operation.writes()) append(writes_[operation.key], &Operation::of_key, slot);
  if (operation.kind == OperationKind::unlock) release(operation);
}

// A later write to the key hides the earlier ones. Per key they leave the buffer in order: it hides them until they
// have left, too.
void MemoryModelOracle::note_forwardable(Operation& read) const {
  read.forwardable.clear();
  std::uint64_t hiding_since = 0;
  const auto visit = [&](auto&& action) {
    const Chain* chain = writes_.find(read.key);
    if (chain == nullptr) return;
    for (Slot slot = chain->first; slot != kNone; slot = operations_[slot].of_key.next) {
      const auto& write = operations_[slot];
      if (write.kind == OperationKind::write && write.begun.session == read.begun.session && !write.given_up)
        action(write);
    }
  };
  visit([&](const Operation& write) {
    if (write.precedes(read)) hiding_since = std::max(hiding_since, write.begun.position);
  });
  visit([&](const Operation& write) {
    if (write.returned.position > hiding_since) read.forwardable.push_back(write.operand);
  });
}

void MemoryModelOracle::end(const OperationView& view, const Moment& moment, Slot slot) {
  auto& operation = operations_[slot];
  if (operation.returned.position != kNever) return;
  operation.returned = moment;
  count_judged();
  switch (operation.kind) {
    case OperationKind::write:
      if (operation.performed == kNever) return append(session(operation).buffer, &Operation::of_session, slot);
      break;
    case OperationKind::read:
      judge_read(operation, view.value);
      end_read(slot);
      break;
    case OperationKind::compare_and_swap:
    case OperationKind::fetch_and_add:
      judge_atomic(operation, view);
      end_read(slot);
      if (operation.performed == kNever) forget_write(slot);
      break;
    case OperationKind::fence:
      expect_drained(operation, false, moment.at, "ended");
      break;
    case OperationKind::unlock:
      break;
    default:
      if (view.value != 0) grant(operation);
  }
  remove(slot);
}

void MemoryModelOracle::give_up(Slot slot) {
  auto& operation = operations_[slot];
  const bool returned = operation.returned.position != kNever;
  if (operation.reads()) end_read(slot);
  if (!operation.writes() || operation.performed != kNever) return remove(slot);
  if (returned) unlink(session(operation).buffer, &Operation::of_session, slot);
  operation.returned.position = kNever;
  operation.given_up = true;
}

void MemoryModelOracle::lose(const LostWriteView& lost, const Moment& moment) {
  if (const Chain* chain = writes_.find(lost.key)) {
    for (Slot slot = chain->first; slot != kNone; slot = operations_[slot].of_key.next) {
      if (operations_[slot].kind != OperationKind::write || operations_[slot].operand != lost.value) continue;
      if (!operations_[slot].given_up) give_up(slot);
      return;
    }
  }
  std::vector<PerformedMemory::Version> nothing;
  auto& past = expects_losses_ ? past_of(lost.key) : nothing;
  const auto version = std::find_if(past.begin(), past.end(), [&](const auto& v) { return v.value == lost.value; });
  if (version == past.end()) {
    return violated(
        moment.at,
        fmt::format("key {}: value {} of {} is said to be lost, {}", printed_key(lost.key), lost.value,
                    event_log_.called(moment.session),
                    expects_losses_ ? "but memory has never held it" : "though the protocol promises to lose none"),
        {lost.key, {}});
  }
  past.erase(version);
  const auto now = past.empty() ? PerformedMemory::Version{} : past.back();
  if (memory_.value(lost.key) != now.value) memory_.perform(lost.key, {now.value, moment.position, now.operation});
}

std::vector<PerformedMemory::Version>& MemoryModelOracle::past_of(Key key) {
  auto& past = past_[key];
  const Value first = memory_.value(key);
  if (past.empty() && first != kNeverWritten) past.push_back({first, 0, 0});
  return past;
}

void MemoryModelOracle::perform(const PerformedView& view, const Moment& moment, const Slot* found) {
  const auto refuse = [&](std::string_view why) {
    violated(moment.at,
             fmt::format("key {}: {} was performed at {}, with value {}, but {}", printed_key(view.key),
                         event_log_.operation(moment.operation, moment.session), printed(moment.at), view.value, why),
             {view.key, {moment.operation}});
  };
  if (found == nullptr) return refuse("was not under way");
  const Slot slot = *found;
  auto& store = operations_[slot];
  if (!store.writes()) return refuse("is no write");
  if (store.performed != kNever) return refuse("had been performed before");
  if (store.key != view.key) return refuse(fmt::format("was asked to write key {}", printed_key(store.key)));
  judge_stored(store, view.value, moment.at);
  expect_drained(store, model_ == MemoryModel::pso, moment.at, "was performed");
  store.performed = moment.position;
  store.before = memory_.value(store.key);
  if (expects_losses_) past_of(store.key).push_back({view.value, moment.position, moment.operation});
  memory_.perform(store.key, {view.value, moment.position, moment.operation});
  for (const Slot other : session(store).reads) {
    auto& read = operations_[other];
    const bool waits =
        model_ == MemoryModel::sc || read.key == store.key || (model_ == MemoryModel::tso && is_atomic(read.kind));
    if (waits && store.precedes(read)) read.not_before = moment;
  }
  forget_write(slot);
  const bool returned = store.returned.position != kNever;
  if (returned) unlink(session(store).buffer, &Operation::of_session, slot);
  if (returned || store.given_up) remove(slot);
}

void MemoryModelOracle::finish(Time end) {
  for (const auto& session : sessions_) {
    for (Slot slot = session.buffer.first; slot != kNone; slot = operations_[slot].of_session.next) {
      const auto& write = operations_[slot];
      violated(end,
               keeps_more()
                   ? fmt::format("{}, returned at {}, was never performed", told(write), printed(write.returned.at))
                   : std::string(),
               {write.key, {write.begun.operation}});
    }
  }
}

void MemoryModelOracle::end_read(Slot slot) {
  const auto& read = operations_[slot];
  std::erase(session(read).reads, slot);
  memory_.end_read(read.reading, read.begun.position);
}

void MemoryModelOracle::judge_read(const Operation& read, Value value) {
  if (!memory_.keeps_for(read.reading, read.begun.position)) {
    ++unchecked_reads_;
    return;
  }
  const bool is_atomic_read = is_atomic(read.kind);
  const bool comes_after_all = model_ == MemoryModel::sc || (model_ == MemoryModel::tso && is_atomic_read);
  const bool forwards = model_ != MemoryModel::sc && !is_atomic_read;
  if (!forwards && !expect_drained(read, !comes_after_all, read.returned.at, "ended")) return;
  const Slot own = forwards ? undrained(read, true) : kNone;
  if (forwards && may_forward(read, value)) return;
  const auto since = std::max(read.begun.position, read.not_before.position);
  if (own == kNone && memory_.held(read.reading, value, since)) return;
  violated(read.returned.at, keeps_more() ? told_read(read, value, own) : std::string(),
           {read.key, {read.begun.operation}});
}

void MemoryModelOracle::judge_atomic(const Operation& atomic, const OperationView& view) {
  const bool performed = atomic.performed != kNever;
  const auto report = [&](const std::string& why) {
    violated(atomic.returned.at, fmt::format("{}, ended at {}, {}", told(atomic), printed(atomic.returned.at), why),
             {atomic.key, {atomic.begun.operation}});
  };
  if (performed && !view.wrote) return report("returned that it did not write, but was performed");
  if (!performed && view.wrote) return report("returned that it wrote, but had not been performed");
  if (!performed) return judge_read(atomic, view.value);
  if (atomic.before != view.value)
    report(fmt::format("returned value {}, but when it was performed memory held {}", view.value, atomic.before));
}

void MemoryModelOracle::judge_stored(const Operation& store, Value value, Time at) {
  const bool adds = store.kind == OperationKind::fetch_and_add;
  const auto expected = adds ? memory_.value(store.key) + store.operand : store.operand;
  if (value == expected) return;
  violated(at,
           fmt::format("{} was performed at {} with value {} instead of {}", told(store), printed(at), value, expected),
           {store.key, {store.begun.operation}});
}

// A lock that was given back has been so by the time somebody is granted it who could not have held it meanwhile.
void MemoryModelOracle::grant(const Operation& request) {
  const Time at = request.returned.at;
  expect_drained(request, false, at, "was granted");
  session(request).held.push_back({request.key, is_shared(request.kind)});
  const auto found = releases_.find(request.key);
  if (found == releases_.end()) return;
  std::erase_if(found->second, [&](const Release& release) {
    if (release.unlock.begun.session == request.begun.session) return false;
    if (release.shared && is_shared(request.kind)) return false;
    expect_drained(
        release.unlock, false, at,
        fmt::format("let {} have the lock", event_log_.operation(request.begun.operation, request.begun.session)));
    return true;
  });
  if (found->second.empty()) releases_.erase(found);
}

void MemoryModelOracle::release(const Operation& unlock) {
  auto& owner = session(unlock);
  const auto held =
      std::find_if(owner.held.begin(), owner.held.end(), [&](const HeldLock& h) { return h.lock == unlock.key; });
  if (held == owner.held.end()) return;  // for the oracle of mutual exclusion
  const Release release{unlock, held->shared};
  owner.held.erase(held);
  if (owner.buffer.first == kNone) return;
  auto& releases = releases_[unlock.key];
  std::erase_if(releases, [&](const Release& r) { return r.unlock.begun.session == unlock.begun.session; });
  releases.push_back(release);
}

bool MemoryModelOracle::expect_drained(const Operation& operation, bool same_key, Time now, std::string_view event) {
  const Slot slot = undrained(operation, same_key);
  if (slot == kNone) return true;
  const auto& write = operations_[slot];
  violated(now,
           keeps_more() ? fmt::format("{} {} at {}, but {}, which its session issued earlier, was not performed",
                                      told(operation), event, printed(now), told(write))
                        : std::string(),
           {write.key, {operation.begun.operation, write.begun.operation}});
  return false;
}

MemoryModelOracle::Slot MemoryModelOracle::undrained(const Operation& operation, bool same_key) const {
  if (!same_key) {
    // The first of the buffer returned first.
    const auto index = operation.begun.session.index;
    const Slot first = index < sessions_.size() ? sessions_[index].buffer.first : kNone;
    return first != kNone && operations_[first].precedes(operation) ? first : kNone;
  }
  const Chain* chain = writes_.find(operation.key);
  for (Slot slot = chain == nullptr ? kNone : chain->first; slot != kNone; slot = operations_[slot].of_key.next) {
    const auto& write = operations_[slot];
    if (write.begun.position >= operation.begun.position) break;
    if (write.begun.session == operation.begun.session && write.precedes(operation)) return slot;
  }
  return kNone;
}

// From the buffer as it was when the read began, or from a write that was issued since.
bool MemoryModelOracle::may_forward(const Operation& read, Value value) const {
  if (std::find(read.forwardable.begin(), read.forwardable.end(), value) != read.forwardable.end()) return true;
  const Chain* chain = writes_.find(read.key);
  for (Slot slot = chain == nullptr ? kNone : chain->last; slot != kNone; slot = operations_[slot].of_key.previous) {
    const auto& write = operations_[slot];
    if (write.begun.position < read.begun.position) break;
    if (write.kind == OperationKind::write && write.begun.session == read.begun.session && write.operand == value)
      return true;
  }
  return false;
}

MemoryModelOracle::Session& MemoryModelOracle::session(const Operation& operation) {
  const auto index = operation.begun.session.index;
  if (index >= sessions_.size()) sessions_.resize(index + 1);
  return sessions_[index];
}

MemoryModelOracle::Slot MemoryModelOracle::add(const OperationView& view, const Moment& moment) {
  if (vacant_.empty()) {
    vacant_.push_back(static_cast<Slot>(operations_.size()));
    operations_.emplace_back();
  }
  const Slot slot = vacant_.back();
  vacant_.pop_back();
  operations_[slot] = {};
  operations_[slot].kind = view.kind;
  operations_[slot].key = view.key;
  operations_[slot].operand = view.value;
  operations_[slot].begun = moment;
  slots_[moment.operation] = slot;
  return slot;
}

void MemoryModelOracle::remove(Slot slot) {
  slots_.erase(operations_[slot].begun.operation);
  vacant_.push_back(slot);
}

void MemoryModelOracle::append(Chain& chain, Link Operation::*link, Slot slot) {
  operations_[slot].*link = {chain.last, kNone};
  (chain.last == kNone ? chain.first : (operations_[chain.last].*link).next) = slot;
  chain.last = slot;
}

void MemoryModelOracle::unlink(Chain& chain, Link Operation::*link, Slot slot) {
  const Link& around = operations_[slot].*link;
  (around.previous == kNone ? chain.first : (operations_[around.previous].*link).next) = around.next;
  (around.next == kNone ? chain.last : (operations_[around.next].*link).previous) = around.previous;
}

void MemoryModelOracle::forget_write(Slot slot) {
  const auto key = operations_[slot].key;
  Chain& chain = *writes_.find(key);
  unlink(chain, &Operation::of_key, slot);
  if (chain.first == kNone) writes_.erase(key);
}

std::string MemoryModelOracle::told(const Operation& operation) const {
  auto text = std::string(to_string(operation.kind));
  if (operation.writes()) text += fmt::format(" with {}", operation.operand);
  if (operation.kind != OperationKind::fence) text += fmt::format(" on key {}", printed_key(operation.key));
  return text + fmt::format(" by {} ({})", event_log_.operation(operation.begun.operation, operation.begun.session),
                            printed(operation.begun.at));
}

std::string MemoryModelOracle::told_read(const Operation& read, Value value, Slot own) const {
  auto text = fmt::format("{}, ended at {}, returned value {}, ", told(read), printed(read.returned.at), value);
  if (own != kNone) {
    for (std::size_t i = 0; i < read.forwardable.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "but its session's newest write to the key, not performed, is of " : " or ",
                          read.forwardable[i]);
    return text;
  }
  text += "which memory did not hold meanwhile";
  auto since = read.begun.position;
  if (read.not_before.position > since) {
    since = read.not_before.position;
    text +=
        fmt::format(" after {} was performed at {}",
                    event_log_.operation(read.not_before.operation, read.begun.session), printed(read.not_before.at));
  }
  const char* separator = "; it held ";
  for (const auto& version : memory_.held_since(read.reading, since)) {
    text += fmt::format("{}{}", std::exchange(separator, ", "), version.value);
    if (version.operation != 0) text += fmt::format(" (of {})", event_log_.operation(version.operation));
  }
  const Chain* chain = writes_.find(read.key);
  for (Slot slot = chain == nullptr ? kNone : chain->first; slot != kNone; slot = operations_[slot].of_key.next) {
    const auto& write = operations_[slot];
    if (write.kind == OperationKind::write && write.operand == value)
      text += fmt::format("; {} writes {}, but was not performed",
                          event_log_.operation(write.begun.operation, write.begun.session), value);
  }
  return text;
}

}  // namespace racksim::sim
