// An application on a memory that answers after a fixed delay: four nodes of two threads.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "models/applications/application_options.hpp"
#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"

namespace racksim::app::test {

using models::test::FakeMemory;

struct Bench : models::test::TestRack {
  /// `given` is the application, of which the bench has its own.
  explicit Bench(std::shared_ptr<Application> given, std::uint64_t object_bytes = 8)
      : options("test", std::move(given)), memory(rack, FakeMemory::shape_of(object_bytes)), protocol(memory) {
    memory.delay = sim::Duration::from_ps(1'000'000);
  }

  /// Runs until so many operations have ended and those that are under way too.
  void run(std::uint64_t operations) {
    models::WorkloadContext context{rack, protocol};
    workload = options.build(context);
    workload->warm_up();
    workload->notify_after(operations, [this] { workload->stop(); });
    workload->start();
    calendar.run_until();
  }
  /// Shows the oracle memory as it is, as a run does, and has it judge.
  std::shared_ptr<sim::Oracle> judged() {
    auto oracle = workload->oracle();
    for (const auto& [object, value] : memory.values) {
      oracle->state_at_rest()->home(sim::Key{object}, sim::Value{value});
    }
    oracle->finish(calendar.now());
    return oracle;
  }
  std::uint64_t count(const char* name) { return std::get<sim::Counter>(rack.metrics().find(name)->value).value; }

  ApplicationOptions options;
  FakeMemory memory;
  models::test::FakeProtocol protocol;
  std::unique_ptr<models::Workload> workload;
};

}  // namespace racksim::app::test
