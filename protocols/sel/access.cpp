// Accesses under the latch, one batch of verbs after the other. See sel.hpp.
#include <algorithm>
#include <optional>

#include "models/host/core_wait.hpp"
#include "protocols/sel/races.hpp"
#include "protocols/sel/thread.hpp"

namespace racksim::sel {

using models::Opcode;
using models::WorkRequest;

namespace {

/// Between two attempts (published code of SELCC): shorter for those that have tried for long.
sim::Duration pause_after(std::uint32_t retries) {
  using namespace sim::literals;
  if (retries < 80) return 8_us;
  if (retries < 200) return 4_us;
  if (retries < 1000) return 2_us;
  return {};
}

}  // namespace

/// Takes a turn at a line back when its task ends, or dies, before the latch is held.
class Sel::Turn {
 public:
  Turn(Sel& sel, NodeId node, sim::Key line) : sel_(sel), node_(node), line_(line) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!kept_) sel_.end_turn(node_, line_);
  }
  void keep() { kept_ = true; }

 private:
  Sel& sel_;
  NodeId node_;
  sim::Key line_;
  bool kept_ = false;
};

void Sel::check(models::Session session, sim::OperationKind kind, sim::Key line) const {
  const Held* own = threads_[index_of(session)]->held(line);
  std::optional<models::LockMode> latch;
  if (own != nullptr) latch = own->exclusive ? models::LockMode::exclusive : models::LockMode::shared;
  latched_memory::check_latch(kind, session, line, latch);
}

sim::Task<void> Sel::Thread::read(models::MemoryAccess access, std::span<sim::Value> values,
                                  sim::OperationId operation) {
  const sim::Key line = sel_.lines_.line_of(access.first);
  const bool latched = held(line) != nullptr;
  if (!latched) co_await acquire(line, false, operation);
  co_await models::occupy(core_, sel_.options_.local_access + models::copy_time(access.bytes));
  std::uint16_t index = sel_.lines_.index_of(access.first);
  for (sim::Value& value : values) value = held(line)->data.value(index++);
  if (!latched) co_await release(line, operation);
}

sim::Task<void> Sel::Thread::write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) {
  const sim::Key line = sel_.lines_.line_of(access.first);
  const bool latched = held(line) != nullptr;
  if (!latched) co_await acquire(line, true, operation);
  co_await models::occupy(core_, sel_.options_.local_access + models::copy_time(access.bytes));
  Held& buffer = *held(line);
  const std::uint16_t first = sel_.lines_.index_of(access.first);
  for (std::uint16_t i = 0; i < access.objects; ++i) {
    const auto index = static_cast<std::uint16_t>(first + i);
    buffer.data.set(index, sim::Value{value + i});
    buffer.dirty.widen(index);
    if (!latched) sel_.writes_[access.first + i] = {sim::OperationId{operation + i}, sim::Value{value + i}};
  }
  if (latched) co_return;
  co_await release(line, operation);
}

sim::Task<void> Sel::Thread::lock(sim::Key line, models::LockMode mode, sim::OperationId operation) {
  return acquire(line, mode == models::LockMode::exclusive, operation);
}

sim::Task<void> Sel::Thread::unlock(sim::Key line, sim::OperationId operation) {
  return release(line, operation);
}

sim::Task<bool> Sel::Thread::try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) {
  co_await models::occupy(core_, sel_.options_.local_access);  // also to be refused: nothing takes no time
  bool granted = false;
  if (sel_.try_turn(session_.node, line)) {
    Turn turn(sel_, session_.node, line);
    const bool exclusive = mode == models::LockMode::exclusive;
    granted = co_await attempt(line, exclusive, sel_.options_.try_attempts, operation);
    if (granted) turn.keep();
  }
  if (!granted) ++sel_.counters_.refused.value;
  co_return granted;
}

sim::Task<void> Sel::Thread::acquire(sim::Key line, bool exclusive, sim::OperationId operation) {
  co_await sel_.wait_for_turn(session_.node, line);
  Turn turn(sel_, session_.node, line);
  co_await attempt(line, exclusive, 0, operation);
  turn.keep();
}

sim::Task<bool> Sel::Thread::attempt(sim::Key line, bool exclusive, std::uint64_t attempts,
                                     sim::OperationId operation) {
  const std::size_t server = sel_.lines_.server_of(line);
  const std::uint64_t bit = LatchWord::shared(session_.node), id = LatchWord::modified(session_.node);
  const models::RemoteAddress word = sel_.lines_.remote(line);
  for (std::uint32_t retries = 0;; ++retries) {
    std::vector<WorkRequest> batch;
    if (sel_.options_.latch) {
      batch.push_back({.opcode = exclusive ? Opcode::compare_swap : Opcode::fetch_add,
                       .remote = word,
                       .compare = 0,
                       .swap_or_add = exclusive ? id : bit,
                       .operation = operation});
    }
    batch.push_back({.opcode = Opcode::read,
                     .remote = word,
                     .bytes = static_cast<std::uint32_t>(sel_.lines_.stored_bytes()),
                     .operation = operation});
    co_await carry_out(server, std::move(batch));
    const LatchWord found(word_);
    if (!sel_.options_.latch || (exclusive ? found.free() : !found.names_owner())) break;
    ++sel_.counters_.retries.value;
    sel_.coverage_.race(!exclusive            ? races.reader_meets_writer
                        : found.names_owner() ? races.writer_meets_writer
                                              : races.writer_meets_readers);
    if (!exclusive && sel_.options_.undo) {
      ++sel_.counters_.undone.value;
      std::vector<WorkRequest> undo{
          {.opcode = Opcode::fetch_add, .remote = word, .swap_or_add = LatchWord::minus(bit), .operation = operation}};
      co_await carry_out(server, std::move(undo));
    }
    if (retries + 1 == attempts) {
      sel_.coverage_.race(races.try_gives_up);
      co_return false;
    }
    const sim::Duration pause = pause_after(retries);
    if (pause > sim::Duration{}) co_await sim::sleep_for(sel_.rack_.server(session_.node).clock(), pause);
  }
  Held latched{.line = line, .exclusive = exclusive};
  latched.data = std::move(line_);
  latched_.push_back(std::move(latched));
  sel_.note_permission(session_.node, line, exclusive ? sim::Permission::write : sim::Permission::read, operation);
  co_return true;
}

sim::Task<void> Sel::Thread::release(sim::Key line, sim::OperationId operation) {
  Turn turn(sel_, session_.node, line);
  Held& latched = *held(line);
  std::vector<WorkRequest> batch;
  if (!latched.dirty.empty()) {
    batch.push_back({.opcode = Opcode::write,
                     .remote = sel_.lines_.remote(line, latched.dirty.low),
                     .content = latched.data.bytes(latched.dirty),
                     .operation = operation});
  }
  if (sel_.options_.latch) {
    const std::uint64_t part =
        latched.exclusive ? LatchWord::modified(session_.node) : LatchWord::shared(session_.node);
    const WorkRequest add{.opcode = Opcode::fetch_add,
                          .remote = sel_.lines_.remote(line),
                          .swap_or_add = LatchWord::minus(part),
                          .operation = operation};
    batch.insert(sel_.options_.write_first ? batch.end() : batch.begin(), add);
  }
  sel_.note_permission(session_.node, line, sim::Permission::none, operation);
  std::erase_if(latched_, [&](const Held& h) { return h.line == line; });
  if (!batch.empty()) co_await carry_out(sel_.lines_.server_of(line), std::move(batch));
}

sim::Task<void> Sel::wait_for_turn(NodeId node, sim::Key line) {
  auto& turns = turns_[node][line];
  if (!turns) turns = std::make_unique<Turns>(calendar());
  const std::uint64_t ticket = ++turns->issued;
  turns->tickets.push_back(ticket);
  if (turns->tickets.size() > 1) {
    ++counters_.local_waits.value;
    coverage_.race(races.waits_for_turn);
  }
  while (turns->tickets.front() != ticket) co_await turns->next.wait();
}

bool Sel::try_turn(NodeId node, sim::Key line) {
  auto& turns = turns_[node][line];
  if (turns) {
    coverage_.race(races.try_finds_turn_taken);
    return false;
  }
  turns = std::make_unique<Turns>(calendar());
  turns->tickets.push_back(++turns->issued);
  return true;
}

void Sel::end_turn(NodeId node, sim::Key line) {
  const auto turns = turns_[node].find(line);
  if (turns == turns_[node].end()) return;  // the node has crashed
  turns->second->tickets.pop_front();
  if (turns->second->tickets.empty()) {
    turns_[node].erase(turns);
  } else {
    turns->second->next.notify_all();
  }
}

void Sel::note_permission(NodeId node, sim::Key line, sim::Permission permission, sim::OperationId operation) {
  permissions_.set(node, lines_.object_of(line, 0), permission, operation);
}

Sel::Held* Sel::Thread::held(sim::Key line) {
  const auto found = std::find_if(latched_.begin(), latched_.end(), [&](const Held& h) { return h.line == line; });
  return found == latched_.end() ? nullptr : &*found;
}

}  // namespace racksim::sel
