// Events of cached lines, their pending lists, and eviction. See cache.hpp.
#include "protocols/gam/cache/cache.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "protocols/gam/rules/races.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::gam {

namespace {

CacheEvent event_at_cache(const Request& request) {
  if (request.is_lock()) return request.is_exclusive() ? CacheEvent::write_lock : CacheEvent::read_lock;
  return request.is_exclusive() ? CacheEvent::write : CacheEvent::read;
}

CacheEvent event_at_cache(MessageKind kind) {
  return event_of<MessageKind, CacheEvent>(kind, {{MessageKind::invalidate, CacheEvent::invalidate},
                                                  {MessageKind::invalidate_forward, CacheEvent::invalidate},
                                                  {MessageKind::fetch_and_shared, CacheEvent::share_out},
                                                  {MessageKind::read_forward, CacheEvent::share_out},
                                                  {MessageKind::fetch_and_invalidate, CacheEvent::hand_over},
                                                  {MessageKind::write_forward, CacheEvent::hand_over},
                                                  {MessageKind::denied, CacheEvent::denied}});
}

CacheEvent event_at_cache(ImmediateKind kind) {
  return event_of<ImmediateKind, CacheEvent>(kind, {{ImmediateKind::data, CacheEvent::data},
                                                    {ImmediateKind::grant_data, CacheEvent::grant},
                                                    {ImmediateKind::grant, CacheEvent::grant},
                                                    {ImmediateKind::owner_data, CacheEvent::owner_data},
                                                    {ImmediateKind::grant_ack, CacheEvent::grant_ack},
                                                    {ImmediateKind::write_back_ack, CacheEvent::evict_ack}});
}

}  // namespace

Cache::Cache(Shared& shared, Output& output) : shared_(shared), output_(output), copies_(shared, output) {}

void Cache::access(Request& request) {
  Frame* frame = copies_.frames.find(request.line);
  ++shared_.counters.accesses.value;
  const bool absent = frame == nullptr;
  if (absent) {
    frame = copies_.frames.take(request.line);
    if (frame == nullptr) throw std::logic_error("a cache of 2^31 lines is full");
    copies_.touch(*frame);
  } else if (frame->state == CacheState::dirty || (frame->state == CacheState::shared && !request.is_exclusive())) {
    ++shared_.counters.local_accesses.value;
  }
  execute(request, *frame);
  copies_.tidy(*frame);
  if (absent) trim();
}

void Cache::execute(Request& request, Frame& frame) {
  raise(event_at_cache(request), {.copies = copies_, .line = request.line, .frame = &frame, .request = &request});
}

void Cache::unlock(sim::Key line) {
  Frame& frame = *copies_.frames.find(line);
  frame.lock.give_back();
  settle(frame);
}

void Cache::take(const Message& message) {
  Frame* frame = copies_.frames.find(message.line);
  if (message.kind == MessageKind::denied && output_.has_cut_off() && !awaits(message)) {
    return ++shared_.counters.late.value, void();
  }
  const bool moving = frame != nullptr && !is_stable(frame->state);
  raise(event_at_cache(message.kind), {.copies = copies_, .line = message.line, .frame = frame, .message = &message});
  if (frame == nullptr) return;
  if (!moving || !is_stable(frame->state)) return copies_.tidy(*frame);
  copies_.numbers.end(message.request);
  settle(*frame);
}

void Cache::take(const Immediate& immediate, LineData* data, std::uint32_t counter) {
  const std::optional<sim::Key> line = line_of(immediate.number);
  if (!line) {
    if (output_.has_cut_off()) return ++shared_.counters.late.value, void();
    // The home's part of what was taken on the owner's word alone.
    if (immediate.kind == ImmediateKind::grant_ack && !shared_.options.two_messages) return;
    throw std::logic_error(fmt::format("node {}: {} for request {}, which is not under way", output_.self(),
                                       to_string(immediate.kind), immediate.number));
  }
  Frame* frame = copies_.frames.find(*line);
  const CacheState before = frame->state;
  raise(event_at_cache(immediate.kind),
        {.copies = copies_, .line = *line, .frame = frame, .data = data, .counter = counter});
  if (frame->state == before) return;
  copies_.numbers.end(immediate.number);
  settle(*frame);
}

void Cache::drop_late(std::uint64_t line, std::uint64_t request) {
  Message message;
  message.line = sim::Key{line};
  message.request = static_cast<std::uint32_t>(request);
  Frame* frame = copies_.frames.find(message.line);
  raise(CacheEvent::drop, {.copies = copies_, .line = message.line, .frame = frame, .message = &message});
  if (frame != nullptr) settle(*frame);
  output_.run_ready();
}

void Cache::raise(CacheEvent event, CacheStep step) {
  CacheState nothing = CacheState::invalid;
  CacheState& state = step.frame != nullptr ? step.frame->state : nothing;
  const sim::Permission before = permission_of(state);
  const sim::OperationId operation = step.operation();  // which may be over then
  cache_table().on(state, event, step, shared_.coverage);
  if (step.drops_later) {
    output_.core().run<&Cache::drop_late>(shared_.options.message, *this, step.line.number(),
                                          std::uint64_t{step.message->request});
  }
  if (permission_of(state) != before) output_.record(step.line, operation, permission_of(state));
}

void Cache::settle(Frame& frame) {
  if (frame.work != nullptr && is_stable(frame.state)) {
    LineWork& work = *frame.work;
    const std::vector<Pending> waiting = work.pending.take();
    // What the node has asked for the line for comes first, whoever waits.
    if (Request* initiator = std::exchange(work.initiator, nullptr)) execute(*initiator, frame);
    // A message may be answered in transition too: an invalidation that has waited for the copy meets its upgrade.
    for (const Pending& pending : waiting) {
      if (pending.request != nullptr && !is_stable(frame.state)) {
        work.pending.put_back(pending);
      } else if (pending.request != nullptr) {
        execute(*pending.request, frame);
      } else {
        raise(event_at_cache(pending.message.kind),
              {.copies = copies_, .line = frame.line, .frame = &frame, .message = &pending.message});
      }
    }
  }
  copies_.tidy(frame);
  trim();
}

void Cache::trim() {
  while (copies_.is_overfull()) {
    Frame* victim = copies_.victim();
    if (victim == nullptr) {
      shared_.coverage.race(races.nothing_to_evict);
      return ++shared_.counters.overfull.value, void();
    }
    output_.core().charge(shared_.options.eviction);
    raise(CacheEvent::evict, {.copies = copies_, .line = victim->line, .frame = victim});
    copies_.tidy(*victim);
  }
}

// Nodes that fail, and what recovery does (GAM §5; recovery.hpp).

std::vector<sim::Key> Cache::lines_of(NodeId home) const {
  std::vector<sim::Key> lines;
  copies_.frames.for_each([&](const Frame& frame) {
    if (shared_.home_of(frame.line) == home) lines.push_back(frame.line);
  });
  return lines;
}

// Nothing more comes from the dead home, so what it has sent and waits here is dropped too.
void Cache::cut_off(NodeId lost) {
  for (const sim::Key line : lines_of(lost)) {
    Frame& frame = *copies_.frames.find(line);
    if (frame.work != nullptr) frame.work->pending.drop_messages_of(lost);
    raise(CacheEvent::home_lost, {.copies = copies_, .line = line, .frame = &frame});
    settle(frame);
  }
}

void Cache::restore(sim::Key line, const LogEntry& entry, std::uint32_t number) {
  Frame* frame = copies_.frames.take(line);
  LineData data = copy_of(entry.data);
  copies_.touch(*frame);
  raise(CacheEvent::restore,
        {.copies = copies_, .line = line, .frame = frame, .data = &data, .counter = entry.counter});
  frame->request = number;
}

void Cache::ask_again(NodeId home) {
  for (const sim::Key line : lines_of(home)) {
    Frame* frame = copies_.frames.find(line);
    if (!is_stable(frame->state)) raise(CacheEvent::home_back, {.copies = copies_, .line = line, .frame = frame});
  }
}

void Cache::record_no_permission() const {
  copies_.frames.for_each([&](const Frame& frame) {
    if (permission_of(frame.state) == sim::Permission::none) return;
    output_.record(frame.line, 0, sim::Permission::none);
  });
}

void Cache::crash() {
  record_no_permission();
  copies_.clear();
}

void Cache::add_waits(std::vector<sim::Wait>& waits) const {
  copies_.frames.for_each([&](const Frame& frame) {
    if (frame.work == nullptr) return;
    const std::string what =
        fmt::format("line {}, {} at node{}", sim::printed_key(frame.line), name_of(frame.state), output_.self());
    const NodeId home = shared_.home_of(frame.line);
    if (const Request* initiator = frame.work->initiator) {
      waits.push_back(
          {.who = thread_name(output_.self(), initiator->thread), .whom = fmt::format("node{}", home), .why = what});
    } else if (!is_stable(frame.state)) {
      waits.push_back({.who = fmt::format("node{}", output_.self()), .whom = fmt::format("node{}", home), .why = what});
    }
    frame.work->pending.add_waits(waits, output_.self(), {}, what);
  });
}

void Cache::add_leaks(std::vector<models::Leak>& leaks) const {
  for (std::size_t home = 0; copies_.dying == 0 && home < copies_.write_back_buffers.size(); ++home) {
    const std::size_t free = copies_.write_back_buffers[home].size(), all = shared_.options.write_back_buffers;
    if (free == all) continue;
    leaks.push_back({"leaked-buffer",
                     fmt::format("node {} has {} of {} write-back buffers of home {} free, and writes nothing back",
                                 output_.self(), free, all, home),
                     {}});
  }
  if (copies_.frames.used_frames() > shared_.options.threshold()) {
    const Frame* evictable =
        copies_.frames.find_oldest(0, [&](const Frame& frame) { return copies_.may_evict(frame); });
    if (evictable != nullptr) {
      leaks.push_back(
          {"overfull-cache",
           fmt::format("node {} has {} lines in a cache of {}, though it could evict line {}", output_.self(),
                       copies_.frames.used_frames(), shared_.options.threshold(), sim::printed_key(evictable->line)),
           {shared_.object_of(evictable->line, 0), {}}});
    }
  }
  copies_.frames.for_each([&](const Frame& frame) {
    if (frame.work == nullptr) return;
    leaks.push_back({"stuck-request",
                     fmt::format("node {}: line {} is {}, with {} in its pending list", output_.self(),
                                 sim::printed_key(frame.line), name_of(frame.state), frame.work->pending.size()),
                     {shared_.object_of(frame.line, 0), {}}});
  });
}

}  // namespace racksim::gam
