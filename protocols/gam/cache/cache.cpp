// Events of cached lines, their pending lists, and eviction. See cache.hpp.
#include "protocols/gam/cache/cache.hpp"

#include <fmt/core.h>

#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "protocols/gam/node/node.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::gam {

namespace {

/// At most so many evictions follow a new line (the public implementation).
constexpr int kMostEvictions = 16;

CacheEvent event_of(const Request& request) {
  if (request.is_lock()) return request.is_exclusive() ? CacheEvent::write_lock : CacheEvent::read_lock;
  return request.is_exclusive() ? CacheEvent::write : CacheEvent::read;
}

CacheEvent event_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::invalidate:
    case MessageKind::invalidate_forward:
      return CacheEvent::invalidate;
    case MessageKind::fetch_and_shared:
    case MessageKind::read_forward:
      return CacheEvent::share_out;
    case MessageKind::fetch_and_invalidate:
    case MessageKind::write_forward:
      return CacheEvent::hand_over;
    case MessageKind::denied:
      return CacheEvent::denied;
    default:
      throw std::logic_error(fmt::format("{} is no message to a cache", to_string(kind)));
  }
}

CacheEvent event_of(ImmediateKind kind) {
  switch (kind) {
    case ImmediateKind::data:
      return CacheEvent::data;
    case ImmediateKind::grant_data:
    case ImmediateKind::grant:
      return CacheEvent::grant;
    case ImmediateKind::owner_data:
      return CacheEvent::owner_data;
    case ImmediateKind::grant_ack:
      return CacheEvent::grant_ack;
    case ImmediateKind::write_back_ack:
      return CacheEvent::write_back_ack;
    default:
      throw std::logic_error(fmt::format("{} is no notification to a cache", to_string(kind)));
  }
}

}  // namespace

// The hash table grows as it has to: the threshold says when lines are evicted, and those in transition and locked
// ones come on top (§2.6).
Cache::Cache(Shared& shared, Node& node)
    : shared_(shared),
      node_(node),
      frames_(std::numeric_limits<std::int32_t>::max(), static_cast<std::uint32_t>(shared.options.lru_lists)),
      random_(shared.rack.seed(), fmt::format("gam/node{}/lru", node.id())),
      write_back_buffers_(shared.rack.nodes()) {
  for (auto& buffers : write_back_buffers_) {
    buffers.resize(shared.options.write_back_buffers);
    std::iota(buffers.rbegin(), buffers.rend(), 0);
  }
}

// Unique among what is under way. With 28 bits a copy would have to stay listed for 2^28 requests of its node, and its
// line be asked for anew by the very next of the same number, for two to be confused.
std::uint32_t Cache::next_number() {
  do {
    next_number_ = (next_number_ + 1) % Immediate::kNumbers;
  } while (next_number_ == 0 || lines_.find(next_number_) != nullptr);
  return next_number_;
}

void Cache::touch(Frame& frame) {
  frames_.touch(frame, static_cast<std::uint32_t>(random_.below(options().lru_lists)));
}

void Cache::access(Request& request) {
  Frame* frame = frames_.find(request.line);
  ++shared_.counters.accesses.value;
  const bool absent = frame == nullptr;
  if (absent) {
    frame = frames_.take(request.line);
    if (frame == nullptr) throw std::logic_error("a cache of 2^31 lines is full");
    touch(*frame);
  } else if (frame->state == CacheState::dirty || (frame->state == CacheState::shared && !request.is_exclusive())) {
    ++shared_.counters.local_accesses.value;
  }
  execute(request, *frame);
  tidy(*frame);
  if (absent) trim();
}

void Cache::execute(Request& request, Frame& frame) {
  raise(event_of(request), request.line, &frame, &request);
}

void Cache::unlock(sim::Key line) {
  Frame& frame = *frames_.find(line);
  frame.lock.give_back();
  settle(frame);
}

void Cache::take(const Message& message) {
  Frame* frame = frames_.find(message.line);
  if (message.kind == MessageKind::denied && node_.has_cut_off() && !awaits(message)) {
    return ++shared_.counters.late.value, void();
  }
  const bool moving = frame != nullptr && !is_stable(frame->state);
  raise(event_of(message.kind), message.line, frame, nullptr, &message);
  if (frame == nullptr) return;
  if (!moving || !is_stable(frame->state)) return tidy(*frame);
  lines_.erase(message.request);
  settle(*frame);
}

void Cache::take(const Immediate& immediate, LineData* data, std::uint32_t counter) {
  const std::uint64_t* found = lines_.find(immediate.number);
  if (found == nullptr) {
    if (node_.has_cut_off()) return ++shared_.counters.late.value, void();
    // The home's part of what was taken on the owner's word alone.
    if (immediate.kind == ImmediateKind::grant_ack && !options().two_messages) return;
    throw std::logic_error(fmt::format("node {}: {} for request {}, which is not under way", node_.id(),
                                       to_string(immediate.kind), immediate.number));
  }
  const sim::Key line{*found};
  Frame* frame = frames_.find(line);
  const CacheState before = frame->state;
  raise(event_of(immediate.kind), line, frame, nullptr, nullptr, data, counter);
  if (frame->state == before) return;
  lines_.erase(immediate.number);
  settle(*frame);
}

void Cache::drop_late(std::uint64_t line, std::uint64_t request) {
  Message message;
  message.line = sim::Key{line};
  message.request = static_cast<std::uint32_t>(request);
  Frame* frame = frames_.find(message.line);
  raise(CacheEvent::drop, message.line, frame, nullptr, &message);
  if (frame != nullptr) settle(*frame);
  node_.run_ready();
}

void Cache::raise(CacheEvent event, sim::Key line, Frame* frame, Request* request, const Message* message,
                  LineData* data, std::uint32_t counter) {
  CacheState nothing = CacheState::invalid;
  CacheState& state = frame != nullptr ? frame->state : nothing;
  const sim::Permission before = permission_of(state);
  CacheStep step{.cache = *this,
                 .line = line,
                 .frame = frame,
                 .request = request,
                 .message = message,
                 .data = data,
                 .counter = counter};
  CacheStep::execute(state, event, step, shared_.coverage);
  if (permission_of(state) == before) return;
  const sim::OperationId operation = request != nullptr   ? request->operation
                                     : message != nullptr ? message->operation
                                                          : sim::OperationId{0u};
  sim::record_permission(shared_.rack.event_log(), shared_.source, shared_.rack.calendar().now(), operation,
                         shared_.object_of(line, 0), node_.id(), permission_of(state));
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
        raise(event_of(pending.message.kind), frame.line, &frame, nullptr, &pending.message);
      }
    }
  }
  tidy(frame);
}

void Cache::tidy(Frame& frame) {
  if (!is_stable(frame.state)) return;
  if (frame.work != nullptr && frame.work->initiator == nullptr && frame.work->pending.empty()) {
    frame.work.reset();
    --works_;
  }
  if (frame.holds_nothing()) frames_.release(frame);
}

LineWork& Cache::work_of(Frame& frame) {
  if (frame.work == nullptr) {
    frame.work = std::make_unique<LineWork>();
    ++works_;
  }
  return *frame.work;
}

bool Cache::may_evict(const Frame& frame) const {
  if (frame.work != nullptr || !frame.lock.is_free() || !is_stable(frame.state)) return false;
  if (node_.is_cut_off(shared_.home_of(frame.line))) return false;
  return frame.state == CacheState::shared || !write_back_buffers_[shared_.home_of(frame.line)].empty();
}

void Cache::trim() {
  for (int i = 0; i < kMostEvictions && frames_.used_frames() - dying_ > options().threshold(); ++i) {
    Frame* victim = frames_.oldest(static_cast<std::uint32_t>(random_.below(options().lru_lists)));
    if (victim == nullptr || !may_evict(*victim)) continue;
    node_.core().charge(options().eviction);
    raise(CacheEvent::evict, victim->line, victim);
    tidy(*victim);
  }
}

Frame& Cache::victim() {
  for (;;) {
    if (Frame* oldest = frames_.oldest(static_cast<std::uint32_t>(random_.below(options().lru_lists)))) return *oldest;
  }
}

std::optional<sim::Key> Cache::line_of(std::uint32_t number) const {
  const std::uint64_t* line = lines_.find(number);
  return line == nullptr ? std::nullopt : std::optional(sim::Key{*line});
}

void Cache::record_no_permission() const {
  frames_.for_each([&](const Frame& frame) {
    if (permission_of(frame.state) == sim::Permission::none) return;
    sim::record_permission(shared_.rack.event_log(), shared_.source, shared_.rack.calendar().now(), 0,
                           shared_.object_of(frame.line, 0), node_.id(), sim::Permission::none);
  });
}

void Cache::crash() {
  record_no_permission();
  frames_.clear();
  lines_ = {};
  works_ = dying_ = 0;
}

void Cache::add_waits(std::vector<sim::Wait>& waits) const {
  frames_.for_each([&](const Frame& frame) {
    if (frame.work == nullptr) return;
    const std::string what = fmt::format("line {}, {} at node{}", sim::printed_key(frame.line),
                                         CacheStep::table().states[static_cast<std::size_t>(frame.state)], node_.id());
    const NodeId home = shared_.home_of(frame.line);
    if (const Request* initiator = frame.work->initiator) {
      waits.push_back({.who = node_.name_of(initiator->thread), .whom = fmt::format("node{}", home), .why = what});
    } else if (!is_stable(frame.state)) {
      waits.push_back({.who = fmt::format("node{}", node_.id()), .whom = fmt::format("node{}", home), .why = what});
    }
    for (const Pending& pending : frame.work->pending) {
      waits.push_back({.who = pending.request != nullptr ? node_.name_of(pending.request->thread)
                                                         : fmt::format("node{}", pending.message.sender),
                       .whom = {},
                       .why = what});
    }
  });
}

void Cache::add_leaks(std::vector<models::Leak>& leaks) const {
  frames_.for_each([&](const Frame& frame) {
    if (frame.work == nullptr) return;
    leaks.push_back(
        {"stuck-request",
         fmt::format("node {}: line {} is {}, with {} in its pending list", node_.id(), sim::printed_key(frame.line),
                     CacheStep::table().states[static_cast<std::size_t>(frame.state)], frame.work->pending.size()),
         {shared_.object_of(frame.line, 0), {}}});
  });
}

}  // namespace racksim::gam
