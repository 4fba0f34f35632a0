// What else a folder may bring: a workload, a fault and an oracle. They register themselves, and nothing else names
// them.
#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "models/faults/fault.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/oracle_entry.hpp"
#include "models/service/session_tasks.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::write_through {

namespace {

using models::NodeId;

struct CountingOptions final : models::WorkloadOptions {
  enum class Under { nothing, locks, crossed_locks };
  std::uint64_t threads = 1;
  Under under = Under::nothing;

  void declare(sim::Parameters& p) override {
    p.integer("threads", threads, 1, 8, "application threads on each node").varied_from(1);
    p.choice("under", under,
             {{"nothing", Under::nothing}, {"locks", Under::locks}, {"crossed-locks", Under::crossed_locks}},
             "whether a session holds two locks while it counts; crossed: on every other node in the other order, but "
             "for the first time");
  }
  models::Footprint footprint(const models::RunScale& scale) const override {
    if (scale.block_bytes == 0) models::WorkloadContext::refuse("counting", models::MemoryService::kWhat);
    return {.objects = 1, .warm_accesses = 0};
  }
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  std::unique_ptr<models::Workload> build(models::WorkloadContext& context) const override;
};

class Counting final : public models::Workload {
 public:
  Counting(models::WorkloadContext& context, const CountingOptions& options)
      : memory_(context.service<models::MemoryService>("counting")),
        options_(options),
        tasks_(context.rack.calendar(), memory_.shape().roles.compute_nodes) {
    memory_.require({sim::OperationKind::fetch_and_add});
    if (options.under != CountingOptions::Under::nothing) {
      memory_.require({sim::OperationKind::lock, sim::OperationKind::unlock});
    }
    const models::AllocationHint first{.home = memory_.shape().roles.first_memory_node};
    counter_ = memory_.reserve(memory_.shape().block_bytes, first);
    other_ = memory_.reserve(memory_.shape().block_bytes, first);
  }

  void warm_up() override {}
  void start() override {
    for (NodeId node = 0; node < memory_.shape().roles.compute_nodes; ++node) {
      for (std::uint16_t thread = 0; thread < options_.threads; ++thread) tasks_.spawn(node, count({node, thread}));
    }
  }
  void stop() override { stopping_ = true; }
  std::size_t running() const override { return tasks_.running(); }
  std::size_t asleep() const override { return 0; }
  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }
  bool uses(sim::Key key) const override { return key == memory_.object_of(counter_); }
  std::string used_keys() const override { return fmt::format("the counter's key, {}", memory_.object_of(counter_)); }
  void node_crashed(NodeId node) override { tasks_.node_crashed(node); }

 private:
  sim::Task<void> count(models::Session session) {
    using Under = CountingOptions::Under;
    auto first = counter_, second = other_;
    for (int times = 0; !stopping_; ++times) {
      if (times == 1 && options_.under == Under::crossed_locks && session.node % 2 != 0) std::swap(first, second);
      if (options_.under != Under::nothing) {
        co_await memory_.lock(session, first);
        co_await memory_.lock(session, second);
      }
      co_await memory_.fetch_and_add(session, counter_, 1);
      if (options_.under != Under::nothing) {
        co_await memory_.unlock(session, second);
        co_await memory_.unlock(session, first);
      }
      tasks_.operation_ended();
    }
  }

  models::MemoryService& memory_;
  CountingOptions options_;
  models::GlobalAddress counter_, other_;
  bool stopping_ = false;
  models::SessionTasks tasks_;
};

std::unique_ptr<models::Workload> CountingOptions::build(models::WorkloadContext& context) const {
  return std::make_unique<Counting>(context, *this);
}

const sim::Registration<models::WorkloadEntry> counting({
    .name = "counting",
    .doc = "all sessions count in the same word",
    .make_options = [] { return std::make_shared<CountingOptions>(); },
});

/// Both wires of a node are unplugged.
class Unplugged final : public models::Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    nodes_.declare(p);
  }
  void check(models::Rack& rack) const override {
    Fault::check(rack);
    nodes_.check(rack);
  }
  std::string where() const override { return nodes_.where(); }
  bool acts_on_packets_alone() const override { return true; }
  void begin(models::Rack& rack) override { set_up(rack, false); }
  void end(models::Rack& rack) override { set_up(rack, true); }
  void draw(sim::RandomStream& random, const models::FaultScene& scene) override {
    Fault::draw(random, scene);
    nodes_.draw(random, scene);
  }

 private:
  void set_up(models::Rack& rack, bool up) {
    nodes_.for_each(rack, [&](NodeId node) {
      rack.uplink(node).set_up(up);
      rack.downlink(node).set_up(up);
    });
  }
  models::NodeChoice nodes_;
};

const sim::Registration<models::FaultEntry> unplugged({
    .name = "unplugged",
    .doc = "the wires of a node are unplugged: what is on them and what starts is lost",
    .make = [] { return std::make_shared<Unplugged>(); },
});

/// Objects to a value that a counter had twice: two sessions that have read the same, and each added to it.
class CountedOnce final : public sim::Oracle {
 public:
  explicit CountedOnce(const sim::EventLog& event_log) : Oracle("counted-once", "operation"), event_log_(event_log) {}
  void observe(const sim::Observation& observation) override {
    if (observation.what != sim::Observed::operation_ended) return;
    const auto operation = sim::OperationView::of(observation);
    if (operation.kind != sim::OperationKind::fetch_and_add) return;
    count_judged();
    const auto [first, alone] = seen_.emplace(std::pair(operation.key, operation.value), observation.operation);
    if (alone) return;
    violated(observation.at,
             fmt::format("{} was counted by operations {} and {} of {}", operation.value, first->second,
                         observation.operation, event_log_.name(observation.source)),
             {.key = operation.key, .operations = {first->second, observation.operation}});
  }

 private:
  const sim::EventLog& event_log_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> seen_;  // by key and value: the operation
};

const sim::Registration<models::OracleEntry> counted_once({
    .name = "counted-once",
    .doc = "no two fetch-and-adds read the same of one word",
    .attach = models::OracleEntry::AttachWhen::by_name,
    .make =
        [](models::OracleContext& context) {
          if (dynamic_cast<models::MemoryService*>(&context.protocol().service()) == nullptr) {
            throw sim::OptionError("counted-once", "a protocol without words to count in", "one with a memory service");
          }
          return std::make_shared<CountedOnce>(context.event_log());
        },
});

}  // namespace

}  // namespace racksim::write_through
