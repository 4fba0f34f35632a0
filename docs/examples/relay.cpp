// A workload: all sessions hand a baton round. Each reads the block of the baton until it finds what the session before
// it wrote last, and then writes it.
#include <fmt/core.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "models/service/memory_service.hpp"
#include "models/service/session_tasks.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::relay {

namespace {

struct Options final : models::WorkloadOptions {
  std::uint64_t threads = 1;

  void declare(sim::Parameters& p) override {
    p.integer("threads", threads, 1, 8, "application threads on each node").varied_from(1);
  }
  models::Footprint footprint(const models::RunScale&) const override { return {.objects = 1, .warm_accesses = 0}; }
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  std::unique_ptr<models::Workload> build(models::WorkloadContext& context) const override;
};

class Relay final : public models::Workload {
 public:
  Relay(models::WorkloadContext& context, const Options& options)
      : memory_(context.service<models::MemoryService>("relay")),
        threads_(options.threads_per_node()),
        sessions_(threads_ * memory_.shape().roles.compute_nodes),
        baton_(memory_.reserve(memory_.shape().block_bytes, {})),
        hand_overs_(context.rack.metrics().counter("relay.hand_overs", "times", "How often the baton changed hands.")),
        tasks_(context.rack.calendar(), memory_.shape().roles.compute_nodes) {}

  void warm_up() override {}
  void start() override {
    for (unsigned i = 0; i < sessions_; ++i) tasks_.spawn(session(i).node, run(i));
  }
  void stop() override { stopping_ = true; }
  std::size_t running() const override { return tasks_.running(); }
  std::size_t asleep() const override { return tasks_.asleep(); }
  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }
  bool uses(sim::Key key) const override { return key == memory_.object_of(baton_); }
  std::string used_keys() const override { return fmt::format("the baton's, {}", memory_.object_of(baton_)); }
  void node_crashed(models::NodeId node) override { tasks_.node_crashed(node); }

 private:
  models::Session session(unsigned i) const {
    return {static_cast<models::NodeId>(i / threads_), static_cast<std::uint16_t>(i % threads_)};
  }
  sim::Task<void> run(unsigned i) {
    const models::Session self = session(i), before = session((i + sessions_ - 1) % sessions_);
    bool begins = i == 0;
    sim::Value taken = sim::kNeverWritten;
    while (!stopping_) {
      const sim::Value found = co_await memory_.read(self, baton_);
      tasks_.operation_ended();
      const bool is_given = found == memory_.newest_value(before) && (found != taken || begins);
      if (!is_given || stopping_) continue;
      begins = false;
      taken = found;
      co_await memory_.write(self, baton_);
      tasks_.operation_ended();
      ++hand_overs_.value;
    }
  }

  models::MemoryService& memory_;
  unsigned threads_, sessions_;
  models::GlobalAddress baton_;
  sim::Counter& hand_overs_;
  bool stopping_ = false;
  models::SessionTasks tasks_;  // last: the tasks use the others
};

std::unique_ptr<models::Workload> Options::build(models::WorkloadContext& context) const {
  return std::make_unique<Relay>(context, *this);
}

const sim::Registration<models::WorkloadEntry> registration({
    .name = "relay",
    .doc = "all sessions hand a baton round, in one block",
    .make_options = [] { return std::make_shared<Options>(); },
});

}  // namespace

}  // namespace racksim::relay
