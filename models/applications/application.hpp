// An application on a distributed shared memory, as its author writes it: one file, one class, one line that registers it
// as a workload of its name (transfer.cpp is an example).
//
//   struct Transfer final : app::Application { ... };
//   const app::Registration<Transfer> registration("transfer", "money under two locks");
//
// It says which data it needs and what they hold at first, what one operation of a thread does, and what must be true of
// memory when all is over. The base does the rest (application_workload.cpp): threads, arrivals, retries, crashes,
// counters, options, and the oracle `application`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/applications/bytes.hpp"
#include "models/applications/client.hpp"
#include "models/applications/image.hpp"
#include "models/applications/judge.hpp"
#include "models/applications/regions.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/task.hpp"
#include "sim/options/parameters.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::app {

/// What an application asks of its memory service, by its options.
struct Needs {
  std::vector<Region> regions;
  std::uint64_t locks = 0;  ///< that one operation holds at once, at most
  /// Beside reads, writes and, if it has locks, try-locks and unlocks.
  models::OperationSet operations = {};
};

/// How an attempt at an operation has ended.
enum class End : std::uint8_t {
  committed,
  aborted,     ///< it is tried again, with the same draws
  rolled_back  ///< it has ended as it should, and has done nothing
};

/// Why attempts end, beside locks that are refused and memory that cannot be had: "application.aborted.NAME".
struct AbortCause {
  std::string name, doc;
};

/// The run that an application which lays out its data itself is part of.
struct ApplicationRun {
  models::Rack& rack;
  models::MemoryService& memory;
  ClientContext clients;  ///< what clients are made with
  unsigned threads;       ///< on each node that computes
  /// What memory holds at rest, as oracles are shown it.
  std::shared_ptr<models::MemoryImage> at_rest;
};

/// One for a run. Whatever it throws, other than models::Unavailable out of its calls, is a defect and ends the run.
class Application {
 public:
  virtual ~Application() = default;
  /// Its own options, beside those of the base (application_options.hpp).
  virtual void declare(sim::Parameters& parameters) { static_cast<void>(parameters); }
  /// Throws sim::OptionError if its options are wrong whatever the rack.
  virtual void check() const {}
  virtual Needs needs() const = 0;
  /// What a slot holds before the run: a function of the slot, never stored. `bytes` are 0 before.
  virtual void first(Slot slot, Bytes bytes) const {
    static_cast<void>(slot);
    static_cast<void>(bytes);
  }
  /// One attempt at one operation of a thread. It gives back the locks that it has taken.
  virtual sim::Task<End> operation(Client& client) = 0;
  /// Judges memory as it is when every operation has ended and nothing is under way.
  virtual void judge(const Image& image, Judge& judge) const {
    static_cast<void>(image);
    static_cast<void>(judge);
  }
  /// Causes that Client::aborts_for numbers from 0.
  virtual std::vector<AbortCause> abort_causes() const { return {}; }

  // For one that lays out its data itself, and has no regions (transactions/schema_application.hpp).
  /// Then the base has no options for regions.
  virtual bool lays_out_itself() const { return false; }
  /// Lines that it takes in all, and that each thread reads before the run.
  virtual std::uint64_t lines(std::uint64_t line_bytes, unsigned nodes) const {
    static_cast<void>(line_bytes);
    static_cast<void>(nodes);
    return 0;
  }
  virtual std::uint64_t warm_lines() const { return 0; }
  /// Sessions on each node behind those of its threads.
  virtual unsigned own_threads() const { return 0; }
  /// Before the warm-up: reserves memory. Throws sim::OptionError if the run cannot carry it.
  virtual void prepare(const ApplicationRun& run) { static_cast<void>(run); }
  /// Fills in what memory holds at first; `into` is 0 before.
  virtual void fill(models::GlobalAddress address, std::span<std::byte> into) const {
    static_cast<void>(address);
    static_cast<void>(into);
  }
  /// A line that a thread is to read before the run.
  virtual models::GlobalAddress warm_line(models::Session session, sim::RandomStream& random) const {
    static_cast<void>(session);
    static_cast<void>(random);
    return {};
  }
  /// Whether its operations can be about this object or line, and about which they can be.
  virtual bool uses(sim::Key key) const {
    static_cast<void>(key);
    return false;
  }
  virtual std::string used_keys() const { return {}; }
  virtual void node_crashed(models::NodeId node) { static_cast<void>(node); }
  /// The run is over and its operations are gone: lets go of what is on its rack.
  virtual void over() {}
  /// Oracles that it brings beside `application`, and the one of this name; null if it has none.
  virtual std::vector<std::string> oracles() const { return {}; }
  virtual std::shared_ptr<sim::Oracle> oracle(std::string_view name) {
    static_cast<void>(name);
    return nullptr;
  }
};

/// The workload of this name.
models::WorkloadEntry workload_of(std::string name, std::string doc, std::shared_ptr<Application> (*make)());

template <class Made>
class Registration {
 public:
  Registration(std::string name, std::string doc)
      : entry_(workload_of(std::move(name), std::move(doc),
                           []() -> std::shared_ptr<Application> { return std::make_shared<Made>(); })) {}

 private:
  sim::Registration<models::WorkloadEntry> entry_;
};

}  // namespace racksim::app
