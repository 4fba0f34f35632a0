// The tasks of a script, and what the run begins with. See script.hpp.
#include "tests/protocols/script.hpp"

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "models/service/memory_service.hpp"
#include "models/service/session_tasks.hpp"
#include "models/workloads/block_spread.hpp"

namespace racksim::models {

namespace {

class ToldScript final : public Script {
 public:
  ToldScript(WorkloadContext& context, const ScriptOptions& options)
      : options_(options), tasks_(context.rack.calendar(), static_cast<unsigned>(context.rack.nodes())) {
    if (auto* memory = dynamic_cast<MemoryService*>(&context.protocol.service())) {
      share(*memory);
    } else {
      store_ = &context.service<KeyValueService>("script");
      store_->describe_items(options.items);
    }
  }

  void warm_up() override {
    if (store_ != nullptr) store_->preload(options_.hottest);
  }
  void start() override {}
  void stop() override { over_ = true; }
  /// Until it is stopped there may always be more.
  std::size_t running() const override { return tasks_.running() + (over_ ? 0 : 1); }
  std::size_t asleep() const override { return 0; }
  /// Nobody but who drives it knows how many operations a task has: tasks are what is counted.
  void notify_after(std::uint64_t tasks, std::function<void()> done) override {
    tasks_.notify_after(tasks, std::move(done));
  }
  bool uses(sim::Key) const override { return true; }
  std::string used_keys() const override { return "any key"; }
  void node_crashed(NodeId node) override { tasks_.node_crashed(node); }

  void spawn(NodeId node, sim::Task<void> task) override { tasks_.spawn(node, counted(std::move(task))); }

 private:
  void share(MemoryService& memory) {
    const MemoryShape& shape = memory.shape();
    std::vector<NodeId> homes(shape.roles.memory_nodes);
    std::iota(homes.begin(), homes.end(), shape.roles.first_memory_node);
    const std::uint64_t blocks = options_.shared_bytes / shape.block_bytes;
    if (blocks > 0) shared_ = BlockSpread(memory, std::move(homes), blocks, true);
  }
  sim::Task<void> counted(sim::Task<void> task) {
    co_await std::move(task);
    tasks_.operation_ended();
  }

  const ScriptOptions& options_;
  KeyValueService* store_ = nullptr;
  BlockSpread shared_;
  bool over_ = false;
  SessionTasks tasks_;
};

}  // namespace

void ScriptOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "application threads on each node");
  p.size("shared_bytes", shared_bytes, 0, std::uint64_t{1} << 40, "memory that all nodes share");
}

std::unique_ptr<Workload> ScriptOptions::build(WorkloadContext& context) const {
  return std::make_unique<ToldScript>(context, *this);
}

}  // namespace racksim::models
