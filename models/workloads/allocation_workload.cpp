// Sessions that allocate, use and free. See allocation_workload.hpp.
#include "models/workloads/allocation_workload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/service/memory_service.hpp"
#include "models/service/session_tasks.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

namespace {

/// Of a session that has found no room.
constexpr sim::Duration kPause = sim::Duration::from_ps(1'000'000);

class AllocationWorkload final : public Workload {
 public:
  AllocationWorkload(WorkloadContext& context, const AllocationOptions& options)
      : rack_(context.rack),
        memory_(context.service<MemoryService>("allocation")),
        options_(options),
        nodes_(memory_.shape().roles.compute_nodes),
        out_of_memory_(context.rack.metrics().counter("allocation.refused", "allocations",
                                                      "for which no node that may be taken had room")),
        allocated_(context.rack.metrics().counter("allocation.pieces", "allocations", "that were made")),
        freed_(context.rack.metrics().counter("allocation.freed", "allocations", "that were given back")),
        elsewhere_(context.rack.metrics().counter("allocation.elsewhere", "allocations",
                                                  "that lie at another node than who asked, though no hint said so")),
        tasks_(context.rack.calendar(), nodes_) {
    if (options.locked > 0) {
      memory_.require({sim::OperationKind::lock, sim::OperationKind::lock_shared, sim::OperationKind::unlock});
    }
    for (unsigned node = 0; node < nodes_; ++node) {
      for (unsigned thread = 0; thread < options.threads; ++thread) {
        sessions_.push_back({.id = {static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)},
                             .random = {context.rack.seed(), fmt::format("node{}/thread{}/workload", node, thread)}});
      }
    }
  }

  void warm_up() override {}
  void start() override {
    for (SessionState& session : sessions_) tasks_.spawn(session.id.node, issue(session));
  }
  // What a dead session holds stays allocated, and others go on using it. Its locks are free only after a while, which
  // nobody here is told of.
  void node_crashed(NodeId node) override {
    tasks_.node_crashed(node);
    for (SessionState& session : sessions_) {
      if (session.id.node == node && session.in_use != nullptr) --std::exchange(session.in_use, nullptr)->users;
    }
  }
  void node_restarted(NodeId node) override {
    if (stopping_ || !memory_.takes_back(node)) return;
    for (SessionState& session : sessions_) {
      if (session.id.node != node) continue;
      session.locks.reset();
      tasks_.spawn(node, issue(session));
    }
  }
  void stop() override { stopping_ = true; }
  std::size_t running() const override { return tasks_.running(); }
  std::size_t asleep() const override { return tasks_.asleep(); }
  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }
  // Which addresses will be allocated only the run tells.
  bool uses(sim::Key) const override { return true; }
  std::string used_keys() const override { return "any key"; }

 private:
  struct Piece {
    GlobalAddress begin;
    std::uint64_t bytes = 0;
    unsigned users = 0;  // sessions that read or write in it now
  };
  struct SessionState {
    Session id;
    sim::RandomStream random;
    std::vector<Piece*> own = {};
    Piece* in_use = nullptr;
    std::optional<sim::Key> locks = {};  // the block whose lock it has or waits for
  };

  sim::Task<void> issue(SessionState& session) {
    while (!stopping_) {
      co_await change(session);
      for (std::uint64_t i = 0; i < options_.accesses && !stopping_ && !live_.empty(); ++i) co_await access(session);
    }
  }

  sim::Task<void> change(SessionState& session) {
    const bool full = session.own.size() >= options_.pieces;
    if (full || (!session.own.empty() && session.random.chance(0.4))) {
      co_await give_back(session);
    } else {
      co_await take(session);
    }
    tasks_.operation_ended();
  }

  sim::Task<void> take(SessionState& session) {
    const std::uint64_t bytes = options_.smallest + session.random.below(options_.largest - options_.smallest + 1);
    const AllocationHint hint = draw_hint(session);
    bool has_room = true;
    GlobalAddress begin;
    try {
      begin = co_await memory_.allocate(session.id, bytes, hint);
    } catch (const std::bad_alloc&) {
      has_room = false;
    }
    if (!has_room) {
      ++out_of_memory_.value;
      {
        // Where refusals take no time, others must come to free what they hold.
        const SessionTasks::Sleeper sleeper(tasks_);
        co_await sim::sleep_for(rack_.server(session.id.node).clock(), kPause);
      }
      co_await give_back(session);
      co_return;
    }
    ++allocated_.value;
    const bool said = hint.home.has_value() || hint.locality == AllocationHint::Locality::remote;
    if (!said && begin.home() != session.id.node) ++elsewhere_.value;
    live_.push_back(std::make_unique<Piece>(Piece{.begin = begin, .bytes = bytes}));
    session.own.push_back(live_.back().get());
  }

  /// None, local, remote, or near what is there already (GAM's affinity).
  AllocationHint draw_hint(SessionState& session) {
    AllocationHint hint;
    if (!session.random.chance(options_.hinted)) return hint;
    const std::uint64_t kind = session.random.below(3);
    if (kind == 0) hint.locality = AllocationHint::Locality::local;
    if (kind == 1) hint.locality = AllocationHint::Locality::remote;
    if (kind == 2 && !live_.empty()) hint.home = live_[session.random.below(live_.size())]->begin.home();
    return hint;
  }

  /// The oldest of its own that nobody uses; nothing if there is none.
  sim::Task<void> give_back(SessionState& session) {
    const auto unused = std::find_if(session.own.begin(), session.own.end(),
                                     [this](const Piece* piece) { return piece->users == 0 && !is_locked(*piece); });
    if (unused == session.own.end()) co_return;
    const GlobalAddress begin = (*unused)->begin;
    std::erase_if(live_, [&](const std::unique_ptr<Piece>& piece) { return piece.get() == *unused; });
    session.own.erase(unused);
    co_await memory_.free(session.id, begin);
    ++freed_.value;
  }

  bool is_locked(const Piece& piece) const {
    const sim::Key first = memory_.block_of(piece.begin);
    const sim::Key last = memory_.block_of({piece.begin.value + piece.bytes - 1});
    return std::any_of(sessions_.begin(), sessions_.end(), [&](const SessionState& session) {
      return session.locks && first <= *session.locks && *session.locks <= last;
    });
  }

  /// Of the live ones, which lie in the order of their allocation.
  std::size_t draw_piece(SessionState& session) {
    if (popularity_.count() != live_.size()) popularity_ = popularity(live_.size());
    return popularity_.draw(session.random, rack_.calendar().now());
  }
  Distribution popularity(std::size_t pieces) const {
    DistributionOptions options = options_.distribution;
    if (options.kind == DistributionOptions::Kind::zipf && options_.zipf == 0) {
      options.kind = DistributionOptions::Kind::uniform;
    }
    return {pieces, options_.zipf, options};
  }

  sim::Task<void> access(SessionState& session) {
    Piece& piece = *live_[draw_piece(session)];
    const std::uint64_t words = std::max<std::uint64_t>(piece.bytes / MemoryService::kWordBytes, 1);
    const GlobalAddress at{piece.begin.value + session.random.below(words) * MemoryService::kWordBytes};
    const bool write = !session.random.chance(options_.read_ratio);
    const bool under_lock = options_.locked > 0 && session.random.chance(options_.locked);
    ++piece.users;
    session.in_use = &piece;
    try {
      if (under_lock) {
        session.locks = memory_.block_of(at);
        co_await memory_.lock(session.id, at, write ? LockMode::exclusive : LockMode::shared);
      }
      if (write) co_await memory_.write(session.id, at);
      if (!write) co_await memory_.read(session.id, at);
      if (under_lock) co_await memory_.unlock(session.id, at);
    } catch (const Unavailable&) {  // an application goes on with something else
    }
    session.locks.reset();
    session.in_use = nullptr;
    --piece.users;
    tasks_.operation_ended();
  }

  Rack& rack_;
  MemoryService& memory_;
  AllocationOptions options_;
  unsigned nodes_;
  sim::Counter &out_of_memory_, &allocated_, &freed_, &elsewhere_;
  std::vector<std::unique_ptr<Piece>> live_;  // of all sessions, also of dead ones
  Distribution popularity_ = popularity(1);   // of so many as were live at the last access
  std::vector<SessionState> sessions_;
  bool stopping_ = false;
  SessionTasks tasks_;
};

const sim::Registration<WorkloadEntry> allocation_workload({
    .name = "allocation",
    .doc = "memory that is allocated with hints, read and written by all, and freed again (GAM §2.1)",
    .make_options = [] { return std::make_shared<AllocationOptions>(); },
});

}  // namespace

void AllocationOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "application threads on each node").varied_from(1);
  p.size("smallest", smallest, 1, 1 << 24, "length of the smallest pieces").varied({8, 64});
  p.size("largest", largest, 1, 1 << 24, "length of the largest").varied({512, 8192});
  p.integer("pieces", pieces, 1, 1 << 20, "pieces that a session holds at most").varied({2, 16});
  p.ratio("hinted", hinted, "share of allocations that say where: local, remote, or at the home of another piece")
      .varied({0.0, 0.5, 1.0});
  p.integer("accesses", accesses, 1, 1 << 20, "reads and writes of a session between two allocations or frees")
      .varied({1, 4, 16});
  p.ratio("read_ratio", read_ratio, "share of these that read").varied({0.2, 0.5, 0.8});
  p.real("zipf", zipf, 0, 2,
         "skew of the pieces' popularity: the r-th oldest piece is accessed in proportion to r^-zipf; with the "
         "distribution \"latest\" the r-th newest")
      .neutral(0.0);
  p.object("distribution", distribution);
  p.ratio("locked", locked, "share of these that are under their block's lock, a shared one to read").neutral(0.0);
}

void AllocationOptions::check() const {
  if (largest >= smallest) return;
  throw sim::OptionError("largest", fmt::format("{} bytes", largest),
                         fmt::format("at least the {} bytes of the smallest", smallest));
}

Footprint AllocationOptions::footprint(const RunScale& scale) const {
  if (scale.block_bytes == 0) WorkloadContext::refuse("allocation", MemoryService::kWhat);
  const std::uint64_t blocks = threads * pieces * ((smallest + largest) / 2 / scale.block_bytes + 1);
  const double most = scale.time.seconds() * static_cast<double>(scale.nodes * threads) * 1e7;
  return {.objects = scale.nodes * blocks,
          .warm_accesses = 0,
          .reachable = scale.nodes * blocks,
          .of_node = scale.nodes * blocks,
          .operations = scale.operations + static_cast<std::uint64_t>(most)};
}

std::unique_ptr<Workload> AllocationOptions::build(WorkloadContext& context) const {
  return std::make_unique<AllocationWorkload>(context, *this);
}

}  // namespace racksim::models
