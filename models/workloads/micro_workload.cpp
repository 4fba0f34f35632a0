// The micro benchmark's draws and sessions. See micro_workload.hpp.
#include "models/workloads/micro_workload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "models/service/memory_service.hpp"
#include "models/service/session_tasks.hpp"
#include "models/workloads/block_popularity.hpp"
#include "models/workloads/block_spread.hpp"
#include "models/workloads/micro_mode.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

using namespace sim::literals;

namespace {

class MicroWorkload final : public Workload {
 public:
  MicroWorkload(WorkloadContext& context, const MicroOptions& options)
      : memory_(context.service<MemoryService>("micro")),
        options_(options),
        roles_(memory_.shape().roles),
        block_bytes_(memory_.shape().block_bytes),
        layout_(options.layout(roles_.compute_nodes, block_bytes_)),
        rack_(context.rack),
        popularity_of_all_(layout_.shared_blocks + layout_.private_blocks, options.zipf, options.distribution),
        popularity_of_shared_(layout_.shared_blocks, options.zipf, options.distribution),
        popularity_of_own_(roles_.compute_nodes, {layout_.private_blocks, options.zipf, options.distribution}),
        left_(roles_.compute_nodes, options.operations_per_node),
        at_work_(roles_.compute_nodes, options.threads),
        tasks_(context.rack.calendar(), roles_.compute_nodes) {
    check();
    if (options.mode != MicroOptions::Mode::access) {
      ended_ = &rack_.metrics().counter("micro.operations", "operations",
                                        "that the benchmark counts: a lock, its access and its unlock are one");
    }
    for (unsigned node = 0; node < roles_.compute_nodes; ++node) {
      for (unsigned thread = 0; thread < options.threads; ++thread) {
        sessions_.emplace_back(context.rack.seed(), node, thread);
      }
    }
    lay_out();
  }

  void warm_up() override {
    constexpr std::size_t kBatch = 64;  // what they touch fits the first-level cache
    std::vector<MemoryService::WarmAccess> batch;
    const std::uint64_t rounds = options_.warm_rounds(layout_);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      for (SessionState& session : sessions_) {
        const Access access = draw(session);
        for (std::uint64_t block = access.first_block; block <= access.last_block; ++block) {
          batch.push_back({session.id, start_of(block), access.write});
        }
        if (batch.size() < kBatch) continue;
        memory_.warm_accesses(batch);
        batch.clear();
      }
    }
    memory_.warm_accesses(batch);
  }

  void start() override {
    for (SessionState& session : sessions_) {
      if (options_.same_list) session.begin_list(rack_.seed());
    }
    for (SessionState& session : sessions_) tasks_.spawn(session.id.node, issue(session));
  }
  void node_crashed(NodeId node) override {
    tasks_.node_crashed(node);
    if (node < at_work_.size() && std::exchange(at_work_[node], 0) > 0) look_for_work();
  }
  // Who is taken back goes on; a fixed count of operations a node ends with the crash.
  void node_restarted(NodeId node) override {
    if (stopping_ || !memory_.takes_back(node) || options_.operations_per_node > 0) return;
    at_work_[node] = options_.threads;
    for (SessionState& session : sessions_) {
      if (session.id.node == node) tasks_.spawn(node, issue(session));
    }
  }
  void stop() override { stopping_ = true; }
  std::size_t running() const override { return tasks_.running(); }
  std::size_t asleep() const override { return tasks_.asleep(); }

  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }

  // Accesses are of objects, locks of blocks.
  bool uses(sim::Key key) const override {
    return (may(accesses) && holds(memory_.block_of_object(key))) || (may(locks) && holds(key));
  }
  std::string used_keys() const override {
    const std::uint64_t object_bytes = memory_.shape().object_bytes;
    std::string text;
    if (may(accesses) && object_bytes < block_bytes_) text = used_units("a word", object_bytes);
    if (may(locks) || text.empty()) text += (text.empty() ? "" : ", or ") + used_units("a block", block_bytes_);
    return text;
  }

 private:
  struct SessionState {
    SessionState(std::uint64_t seed, unsigned node, unsigned thread)
        : id{static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)}, random(stream(seed)) {}
    sim::RandomStream stream(std::uint64_t seed) const {
      return {seed, fmt::format("node{}/thread{}/workload", id.node, id.thread)};
    }
    /// Its accesses are drawn from the first one on.
    void begin_list(std::uint64_t seed) {
      random = stream(seed);
      has_last = false;
    }
    Session id;
    sim::RandomStream random;
    BlockRun last;
    std::uint64_t last_word = 0;  // in its block
    bool last_is_shared = false;  // its block, where operations are shared
    bool has_last = false;
  };
  struct Access {
    GlobalAddress address;
    std::uint64_t first_block, last_block;
    bool write;
  };
  /// What fetch-and-adds add stays apart from the values that writes give (Service::next_value).
  static constexpr unsigned kAddedBits = 55;
  /// A node's own data: what lies at home, if that is told apart, and the rest.
  struct OwnBlocks {
    BlockSpread local, remote;
  };

  /// Before anything is reserved.
  void check() const {
    if (options_.sharing_ratio > 0 && layout_.shared_blocks == 0) {
      throw sim::OptionError(options_.sharing_of == MicroOptions::SharingOf::lines ? "working_set" : "shared_bytes",
                             "no whole shared block", "at least one, since sharing_ratio is above 0");
    }
    if (options_.sharing_ratio < 1 && layout_.private_blocks == 0) {
      throw sim::OptionError("working_set", "no private block for a node",
                             "at least one, since sharing_ratio is below 1");
    }
    if (options_.remote_ratio && layout_.private_blocks > 0) {
      for (NodeId node = 0; node < roles_.compute_nodes; ++node) {
        if (roles_.holds_memory(node)) continue;
        throw sim::OptionError("remote_ratio", fmt::format("a share, but node {} holds no memory", node),
                               "null, or memory at each node that uses data, for the share that is not remote");
      }
      if (remote_blocks() > 0 && roles_.memory_nodes == 1) {
        throw sim::OptionError("remote_ratio", "a share above 0, but only one node holds memory",
                               "0, or more such nodes");
      }
    }
    if (options_.one_writer && *options_.one_writer >= roles_.compute_nodes) {
      throw sim::OptionError("one_writer", fmt::format("node {}", *options_.one_writer),
                             fmt::format("null, or one of the {} nodes that compute", roles_.compute_nodes));
    }
    memory_.require(needed_by(options_.mode));
    if (options_.mode != MicroOptions::Mode::access) {
      memory_.require_locks(most_blocks_of_an_access(), layout_.shared_blocks + layout_.private_blocks);
    }
  }
  // One that begins at the last word of a block.
  std::uint64_t most_blocks_of_an_access() const {
    return (2 * block_bytes_ - MemoryService::kWordBytes + options_.access_bytes - 1) / block_bytes_;
  }

  // At each home: what all nodes share, then what each node has there.
  void lay_out() {
    shared_ = BlockSpread(memory_, homes(), layout_.shared_blocks, true);
    least_bytes_ = layout_.shared_blocks > 0 ? shared_.least_bytes() : std::numeric_limits<std::uint64_t>::max();
    own_.reserve(roles_.compute_nodes);
    for (NodeId node = 0; layout_.private_blocks > 0 && node < roles_.compute_nodes; ++node) {
      OwnBlocks& own = own_.emplace_back();
      const std::uint64_t remote = options_.remote_ratio ? remote_blocks() : layout_.private_blocks;
      own.local = BlockSpread(memory_, {node}, layout_.private_blocks - remote, false);
      own.remote = BlockSpread(memory_, options_.remote_ratio ? homes_behind(node) : homes(), remote, false);
      for (const BlockSpread* part : {&own.local, &own.remote}) {
        if (part->blocks() > 0) least_bytes_ = std::min(least_bytes_, part->least_bytes());
      }
    }
    if (options_.access_bytes > least_bytes_) {
      throw sim::OptionError("access_bytes", fmt::format("{} bytes", options_.access_bytes),
                             fmt::format("at most the {} bytes that lie together at a home", least_bytes_));
    }
  }

  std::vector<NodeId> homes() const {
    std::vector<NodeId> homes(roles_.memory_nodes);
    std::iota(homes.begin(), homes.end(), roles_.first_memory_node);
    return homes;
  }
  /// All others, those behind the node first, so that no home gets more of all nodes' data than another.
  std::vector<NodeId> homes_behind(NodeId node) const {
    std::vector<NodeId> others = homes();
    std::rotate(others.begin(), others.begin() + (node - roles_.first_memory_node) + 1, others.end());
    others.pop_back();
    return others;
  }
  std::uint64_t remote_blocks() const {
    return static_cast<std::uint64_t>(
        std::llround(*options_.remote_ratio * static_cast<double>(layout_.private_blocks)));
  }

  bool draws_modes() const {
    return options_.mode == MicroOptions::Mode::mixed || options_.mode == MicroOptions::Mode::fenced ||
           options_.mode == MicroOptions::Mode::tried;
  }
  bool may(bool (*does)(MicroOptions::Mode)) const { return draws_modes() || does(options_.mode); }

  Access draw(SessionState& session) {
    sim::RandomStream& random = session.random;
    const bool again = session.has_last && options_.temporal_locality > 0 && random.chance(options_.temporal_locality);
    const bool goes_on = !again && (!session.has_last || !random.chance(options_.locality));
    if (goes_on) {
      session.last = draw_block(session);
      session.has_last = true;
    }
    if (!again) session.last_word = random.below(block_bytes_ / MemoryService::kWordBytes);
    const std::uint64_t word = session.last_word;
    const bool write =
        options_.one_writer ? session.id.node == *options_.one_writer : !random.chance(options_.read_ratio);
    if (write && goes_on && popularity_of_all_.inserts()) session.last = insert_block(session);
    // One that would go beyond the data begins as much earlier, and still touches the word.
    const std::uint64_t latest = (session.last.end - options_.access_bytes) & ~(MemoryService::kWordBytes - 1);
    const std::uint64_t address = std::min(session.last.begin.value + word * MemoryService::kWordBytes, latest);
    return {.address = {address},
            .first_block = memory_.block_of({address}),
            .last_block = memory_.block_of({address + options_.access_bytes - 1}),
            .write = write};
  }
  BlockRun draw_block(SessionState& session) {
    sim::RandomStream& random = session.random;
    const sim::Time now = rack_.calendar().now();
    if (options_.sharing_of == MicroOptions::SharingOf::lines) {
      const std::uint64_t line = popularity_of_all_.draw(random, now);
      if (line < layout_.shared_blocks) return shared_.run_from(line);
      return own_block(session.id.node, line - layout_.shared_blocks);
    }
    const NodeId node = session.id.node;
    session.last_is_shared = random.chance(options_.sharing_ratio);
    return session.last_is_shared ? shared_.run_from(popularity_of_shared_.draw(random, now))
                                  : own_block(node, popularity_of_own_[node].draw(random, now));
  }
  /// In the place of one that was drawn.
  BlockRun insert_block(const SessionState& session) {
    const NodeId node = session.id.node;
    return session.last_is_shared ? shared_.run_from(popularity_of_shared_.insert())
                                  : own_block(node, popularity_of_own_[node].insert());
  }
  BlockRun own_block(NodeId node, std::uint64_t index) const {
    const OwnBlocks& own = own_[node];
    return index < own.local.blocks() ? own.local.run_from(index) : own.remote.run_from(index - own.local.blocks());
  }

  GlobalAddress start_of(std::uint64_t block) const { return {block * block_bytes_}; }
  bool holds(std::uint64_t block) const {
    const GlobalAddress address = start_of(block);
    return memory_.block_of(address) == block &&
           (shared_.holds(address) || std::any_of(own_.begin(), own_.end(), [&](const OwnBlocks& own) {
              return own.local.holds(address) || own.remote.holds(address);
            }));
  }
  std::string used_units(std::string_view unit, std::uint64_t unit_bytes) const {
    std::uint64_t end = shared_.end_offset();
    for (const OwnBlocks& own : own_) end = std::max({end, own.local.end_offset(), own.remote.end_offset()});
    return fmt::format("{} of the workload: node * {:#x} + index, with nodes from {} to {} and indices below {:#x}",
                       unit, (std::uint64_t{1} << GlobalAddress::kOffsetBits) / unit_bytes, roles_.first_memory_node,
                       roles_.first_memory_node + roles_.memory_nodes - 1, end / unit_bytes);
  }

  sim::Task<void> issue(SessionState& session) {
    const NodeId node = session.id.node;
    while (!stopping_ && take_operation(node)) {
      const Access access = draw(session);
      try {
        if (draws_modes()) {
          co_await perform_any(session, access);
        } else {
          co_await perform(session.id, access, options_.mode);
        }
      } catch (const Unavailable&) {  // an application goes on with something else
        continue;
      }
      if (ended_ != nullptr && !stopping_) ++ended_->value;
      tasks_.operation_ended();
      if (node < options_.slow_nodes) {
        const SessionTasks::Sleeper sleeper(tasks_);
        co_await sim::sleep_for(rack_.server(node).clock(), options_.slow_pause);
      }
    }
    --at_work_[node];
    look_for_work();
  }
  sim::Task<void> perform(Session session, Access access, MicroOptions::Mode mode) {
    bool granted = true;
    if (locks(mode)) granted = co_await lock(session, access, tries(mode));
    if (!granted) co_return;
    if (accesses(mode) && access.write) co_await memory_.write(session, access.address, options_.access_bytes);
    if (accesses(mode) && !access.write) co_await memory_.read(session, access.address, options_.access_bytes);
    if (locks(mode) && options_.hold > sim::Duration{}) {
      const SessionTasks::Sleeper sleeper(tasks_);
      co_await sim::sleep_for(rack_.server(session.node).clock(), options_.hold);
    }
    if (locks(mode)) co_await memory_.unlock(session, access.address, options_.access_bytes);
  }
  sim::Task<void> perform_any(SessionState& session, Access access) {
    using Mode = MicroOptions::Mode;
    constexpr Mode kLocked[] = {Mode::lock,     Mode::lock_and_access,     Mode::lock_and_access,
                                Mode::try_lock, Mode::try_lock_and_access, Mode::try_lock_and_access};
    const std::uint64_t drawn = session.random.below(20);
    if (options_.mode != Mode::mixed) {
      const std::uint64_t kinds = options_.mode == Mode::fenced ? 3 : std::size(kLocked);
      if (drawn < 2) co_return co_await memory_.fence(session.id);
      co_return co_await perform(session.id, access, drawn < 10 ? kLocked[drawn % kinds] : Mode::access);
    }
    if (drawn < std::size(kLocked)) {
      co_await perform(session.id, access, kLocked[drawn]);
    } else if (drawn == 6) {
      co_await memory_.fence(session.id);
    } else if (drawn == 7) {
      co_await memory_.fetch_and_add(session.id, access.address, std::uint64_t{1} << kAddedBits);
    } else if (drawn < 10) {
      const sim::Value seen = co_await memory_.read(session.id, access.address);
      co_await memory_.compare_and_swap(session.id, access.address, seen);
    } else {
      co_await perform(session.id, access, Mode::access);
    }
  }
  /// One of those that the node has to carry out, if any is left.
  bool take_operation(NodeId node) {
    if (options_.operations_per_node == 0) return true;
    if (left_[node] == 0) return false;
    --left_[node];
    return true;
  }
  /// Whoever waits for operations need not if all sessions have had theirs.
  void look_for_work() {
    if (options_.operations_per_node == 0 || stopping_) return;
    if (std::all_of(at_work_.begin(), at_work_.end(), [](std::uint64_t n) { return n == 0; })) tasks_.nothing_more();
  }
  /// Whether it is granted.
  sim::Task<bool> lock(Session session, Access access, bool only_tries) {
    const LockMode mode = access.write ? LockMode::exclusive : LockMode::shared;
    if (only_tries) {
      const bool granted = co_await memory_.try_lock(session, access.address, mode, options_.access_bytes);
      co_return granted;
    }
    co_await memory_.lock(session, access.address, mode, options_.access_bytes);
    co_return true;
  }

  MemoryService& memory_;
  MicroOptions options_;
  Roles roles_;
  std::uint64_t block_bytes_;
  MicroLayout layout_;
  BlockSpread shared_;
  std::vector<OwnBlocks> own_;  // by node
  std::uint64_t least_bytes_ = 0;
  std::vector<SessionState> sessions_;
  Rack& rack_;
  BlockPopularity popularity_of_all_, popularity_of_shared_;
  std::vector<BlockPopularity> popularity_of_own_;  // by node: what is newest differs
  std::vector<std::uint64_t> left_;                 // operations that a node has not begun, if they are counted
  std::vector<std::uint64_t> at_work_;              // sessions of a node that have not ended or died
  sim::Counter* ended_ = nullptr;                   // null where it is what the service counts
  bool stopping_ = false;
  SessionTasks tasks_;
};

const sim::Registration<WorkloadEntry> micro_workload({
    .name = "micro",
    .doc =
        "reads, writes and locks by read, remote and sharing ratio and locality (Concordia §7.2, GAM §7.1, SELCC §7.1)",
    .make_options = [] { return std::make_shared<MicroOptions>(); },
});

}  // namespace

std::unique_ptr<Workload> MicroOptions::build(WorkloadContext& context) const {
  return std::make_unique<MicroWorkload>(context, *this);
}

}  // namespace racksim::models
