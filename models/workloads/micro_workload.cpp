// The micro benchmark's data layout, draws and sessions. See micro_workload.hpp.
#include "models/workloads/micro_workload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "models/service/memory_service.hpp"
#include "models/service/session_tasks.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

namespace {

class MicroWorkload final : public Workload {
 public:
  MicroWorkload(WorkloadContext& context, const MicroOptions& options)
      : memory_(context.service<MemoryService>("micro")),
        options_(options),
        nodes_(memory_.shape().nodes),
        block_bytes_(memory_.shape().block_bytes),
        shared_blocks_(options.layout(nodes_, block_bytes_).shared_blocks),
        private_blocks_(options.layout(nodes_, block_bytes_).private_blocks),
        tasks_(context.rack.calendar(), nodes_) {
    if (options.sharing_ratio > 0 && shared_blocks_ == 0) {
      throw std::runtime_error("workload: shared_bytes holds no whole block, but sharing_ratio is above 0");
    }
    if (options.sharing_ratio < 1 && private_blocks_ == 0) {
      throw std::runtime_error("workload: working_set leaves a node no private block, but sharing_ratio is below 1");
    }
    for (unsigned node = 0; node < nodes_; ++node) {
      for (unsigned thread = 0; thread < options.threads; ++thread) {
        sessions_.emplace_back(context.rack.seed(), node, thread);
      }
    }
    // Shared blocks lie at the same offsets of every home, the first of each home's global memory.
    for (NodeId home = 0; home < nodes_; ++home) {
      if (shared_per_home() > 0) memory_.reserve(shared_per_home() * block_bytes_, {home, true});
    }
  }

  void warm_up() override {
    const std::uint64_t rounds = options_.warm_rounds({shared_blocks_, private_blocks_});
    for (std::uint64_t i = 0; i < rounds; ++i) {
      for (SessionState& session : sessions_) {
        const Access access = draw(session);
        memory_.warm_access(session.id, access.address, access.write);
      }
    }
  }

  void start() override {
    for (SessionState& session : sessions_) tasks_.spawn(session.id.node, issue(session));
  }
  void node_crashed(NodeId node) override { tasks_.node_crashed(node); }
  void stop() override { stopping_ = true; }
  std::size_t running() const override { return tasks_.running(); }

  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }

  bool uses(std::uint64_t block) const override {
    const std::uint64_t home = block / blocks_per_home(), index = block % blocks_per_home();
    if (home >= nodes_) return false;
    if (index < shared_per_home()) return index * nodes_ + home < shared_blocks_;
    if (private_blocks_ == 0) return false;
    const std::uint64_t place = index - shared_per_home();
    return place / private_per_home() < nodes_ && place % private_per_home() * nodes_ + home < private_blocks_;
  }
  std::string used_keys() const override {
    return fmt::format("a block of the workload: node * {:#x} + index, with nodes below {} and indices below {:#x}",
                       blocks_per_home(), nodes_, shared_per_home() + nodes_ * private_per_home());
  }

 private:
  struct SessionState {
    SessionState(std::uint64_t seed, unsigned node, unsigned thread)
        : id{static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)},
          random(seed, fmt::format("node{}/thread{}/workload", node, thread)) {}
    Session id;
    sim::RandomStream random;
    GlobalAddress last_block;
    bool has_last = false;
  };
  struct Access {
    GlobalAddress address;
    bool write;
  };

  Access draw(SessionState& session) {
    sim::RandomStream& random = session.random;
    if (!session.has_last || !random.chance(options_.locality)) {
      session.last_block = random.chance(options_.sharing_ratio)
                               ? shared_block(random.below(shared_blocks_))
                               : private_block(session.id.node, random.below(private_blocks_));
      session.has_last = true;
    }
    const std::uint64_t word = random.below(block_bytes_ / 8);
    const bool write = !random.chance(options_.read_ratio);
    return {GlobalAddress{session.last_block.value + word * 8}, write};
  }

  // Of each home's memory: the blocks that it has room for, the shared ones at its beginning, and what each owner has.
  std::uint64_t blocks_per_home() const { return (std::uint64_t{1} << GlobalAddress::kOffsetBits) / block_bytes_; }
  std::uint64_t shared_per_home() const { return (shared_blocks_ + nodes_ - 1) / nodes_; }
  std::uint64_t private_per_home() const { return (private_blocks_ + nodes_ - 1) / nodes_; }

  GlobalAddress shared_block(std::uint64_t i) const {
    return GlobalAddress::at(static_cast<NodeId>(i % nodes_), i / nodes_ * block_bytes_);
  }
  GlobalAddress private_block(NodeId owner, std::uint64_t i) const {
    const std::uint64_t index = shared_per_home() + owner * private_per_home() + i / nodes_;
    return GlobalAddress::at(static_cast<NodeId>(i % nodes_), index * block_bytes_);
  }

  sim::Task<void> issue(SessionState& session) {
    while (!stopping_) {
      const Access access = draw(session);
      if (access.write) {
        co_await memory_.write(session.id, access.address);
      } else {
        co_await memory_.read(session.id, access.address);
      }
      tasks_.operation_ended();
    }
  }

  MemoryService& memory_;
  MicroOptions options_;
  unsigned nodes_;
  std::uint64_t block_bytes_;
  std::uint64_t shared_blocks_, private_blocks_;
  std::vector<SessionState> sessions_;
  bool stopping_ = false;
  SessionTasks tasks_;
};

}  // namespace

void MicroOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "application threads on each node").varied_from(1);
  p.ratio("read_ratio", read_ratio, "share of operations that read").varied({0.0, 0.2, 0.8, 0.95});
  p.ratio("locality", locality, "probability that an operation goes to the same block as the one before")
      .varied({0.0, 0.5, 0.9});
  p.ratio("sharing_ratio", sharing_ratio, "share of operations on data that all nodes share").varied({0.3, 0.9, 1.0});
  p.size("working_set", working_set, 0, std::uint64_t{1} << 46, "private data of all nodes together at sharing ratio 0")
      .varied({512 * 1024, 2048 * 1024});
  // One to sixteen blocks of 4 KiB: races need threads that meet on a block.
  p.size("shared_bytes", shared_bytes, 0, std::uint64_t{1} << 40, "data that all nodes share")
      .varied({4 * 1024, 8 * 1024, 16 * 1024, 64 * 1024})
      .moderate({4 * 1024, 8 * 1024, 16 * 1024});
  p.real("warm_passes", warm_passes, 0, 1000, "warm-up accesses per block that a node can reach")
      .varied({0.0, 0.5, 2.0});
}

MicroLayout MicroOptions::layout(std::uint64_t nodes, std::uint64_t block_bytes) const {
  const double private_share = static_cast<double>(working_set / nodes) * (1.0 - sharing_ratio);
  return {sharing_ratio > 0 ? shared_bytes / block_bytes : 0, static_cast<std::uint64_t>(private_share) / block_bytes};
}

std::uint64_t MicroOptions::warm_rounds(const MicroLayout& layout) const {
  const double blocks = static_cast<double>(layout.private_blocks + layout.shared_blocks);
  return static_cast<std::uint64_t>(warm_passes * blocks / static_cast<double>(threads));
}

Footprint MicroOptions::footprint(const RunScale& scale) const {
  if (scale.block_bytes == 0) WorkloadContext::refuse("micro", MemoryService::kWhat);
  const MicroLayout blocks = layout(scale.nodes, scale.block_bytes);
  return {blocks.shared_blocks + scale.nodes * blocks.private_blocks, warm_rounds(blocks) * threads * scale.nodes};
}

std::unique_ptr<Workload> MicroOptions::build(WorkloadContext& context) const {
  return std::make_unique<MicroWorkload>(context, *this);
}

}  // namespace racksim::models
