// A workload as the experiment sees it, and its entry in the registry of workloads (sim/options/registry.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/service/protocol.hpp"
#include "sim/kernel/task.hpp"
#include "sim/options/option_error.hpp"
#include "sim/options/parameters.hpp"
#include "sim/options/registry.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::models {

/// What a workload runs on.
struct WorkloadContext {
  Rack& rack;
  Protocol& protocol;

  /// The protocol's service if it is of this type. Throws sim::OptionError, naming the workload, if it is another.
  template <class Wanted>
  Wanted& service(std::string_view workload) {
    if (auto* offered = dynamic_cast<Wanted*>(&protocol.service())) return *offered;
    refuse(workload, Wanted::kWhat);
  }

  /// Throws sim::OptionError: the workload needs a service that the protocol does not offer.
  [[noreturn]] static void refuse(std::string_view workload, std::string_view wanted);
};

/// A running workload.
class Workload : public CrashObserver {
 public:
  virtual ~Workload() = default;
  /// Fills caches and directories without simulating time.
  virtual void warm_up() = 0;
  /// Starts every session.
  virtual void start() = 0;
  /// Every session finishes the operations that it has begun and issues no more.
  virtual void stop() = 0;
  /// Sessions, and operations that they do not wait for, that have not finished and have not died with their node.
  virtual std::size_t running() const = 0;
  /// Those of them that wait for a timer: a pause, an arrival. If sessions run, and neither wait so nor have an
  /// operation under way for `run.stall`, the run has failed: nobody would ever wake them.
  virtual std::size_t asleep() const = 0;
  /// Has `done` called, at most once, in the event in which `operations` more operations of all sessions together have
  /// ended or been given up, or the last one that the workload has to issue.
  virtual void notify_after(std::uint64_t operations, std::function<void()> done) = 0;
  /// Whether its operations can be about this block or key.
  virtual bool uses(sim::Key key) const = 0;
  /// The blocks or keys that they can be about, as an expectation: "a key from 0x0 to 0x3e7".
  virtual std::string used_keys() const = 0;
  /// The service that its operations are of, if it stands on the protocol's: throughput, latencies and progress are its.
  virtual Service* own_service() { return nullptr; }
  /// What judges the workload's own results, by the check of its name; null if they are right whatever they are.
  virtual std::shared_ptr<sim::Oracle> oracle() { return nullptr; }
};

/// What decides how much of its data a workload will use.
struct RunScale {
  std::uint64_t nodes = 0;        ///< that compute
  std::uint64_t block_bytes = 0;  ///< the protocol's unit of coherence; 0 where data are keys
  sim::Duration time;             ///< simulated, of the phases that have a length in time
  std::uint64_t operations = 0;   ///< of the phases that have a length in operations
};

/// What a workload is expected to use.
struct Footprint {
  std::uint64_t objects = 0;        ///< blocks, or keys that are written: of others nothing is kept
  std::uint64_t warm_accesses = 0;  ///< of the functional warm-up, before simulated time
  std::uint64_t reachable = 0;      ///< blocks or keys that its operations can be about
  std::uint64_t of_node = 0;        ///< of which one node's cache may come to hold so many
  std::uint64_t operations = 0;     ///< after the functional warm-up, at most
};

/// A workload's options, and the way from options to a running workload.
class WorkloadOptions {
 public:
  virtual ~WorkloadOptions() = default;
  virtual void declare(sim::Parameters& parameters) = 0;
  /// Throws sim::OptionError if the options are wrong whatever the rack and the protocol.
  virtual void check() const {}
  /// An estimate, before anything is built: what a person is told before a long run. Throws sim::OptionError if the
  /// protocol's data are blocks and the workload's are keys, or the other way round: `build` would say the same.
  virtual Footprint footprint(const RunScale& scale) const = 0;
  /// Application threads on each node.
  virtual unsigned threads_per_node() const = 0;
  /// Sessions of each of them.
  virtual unsigned sessions_per_thread() const { return 1; }
  /// Blocks of a size that the threads of a node use, of a workload on memory that knows before the run; 0 otherwise.
  virtual std::uint64_t blocks_in_reach(std::uint64_t compute_nodes, std::uint64_t block_bytes) const {
    static_cast<void>(compute_nodes);
    static_cast<void>(block_bytes);
    return 0;
  }
  /// The option that names a file which it reads, whose place whoever reads a scenario finds out; null if there is none.
  virtual std::string* input_file() { return nullptr; }
  /// The options that say where its input lies and in which form. Run hashes do not know of them: they know what is run.
  virtual std::vector<std::string_view> of_input() const { return {}; }
  /// Whether it makes itself a service over the one that a protocol offers whose unit of coherence is this; 0 where data
  /// are keys.
  virtual bool makes_service(std::uint64_t block_bytes) const {
    static_cast<void>(block_bytes);
    return false;
  }
  /// The names of the oracles that it brings there (Workload::oracle).
  virtual std::vector<std::string> oracles(std::uint64_t block_bytes) const {
    static_cast<void>(block_bytes);
    return {};
  }
  /// Throws sim::OptionError when the options contradict each other or do not fit the rack.
  virtual std::unique_ptr<Workload> build(WorkloadContext& context) const = 0;
};

struct WorkloadEntry {
  static constexpr std::string_view kWhat = "workload";
  std::string name, doc;
  std::function<std::shared_ptr<WorkloadOptions>()> make_options;
};

/// All workloads, in the order of their names.
inline const std::vector<WorkloadEntry>& workloads() {
  return sim::Registry<WorkloadEntry>::entries();
}

}  // namespace racksim::models
