// A protocol as the experiment sees it, and its entry in the registry of protocols (sim/options/registry.hpp).
//
// A protocol is options (declared once, sim/options/parameters.hpp), and what they build on a rack. It registers
// itself:
//
//   const sim::Registration<ProtocolEntry> registration({.name = "flowcc",
//                                                      .doc = "Concordia's in-network coherence",
//                                                      .make_options = [] { return std::make_shared<FlowCcOptions>();
//                                                      }, .tolerates = {"noise", "drop"}});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/rack/explanation.hpp"
#include "models/rack/rack.hpp"
#include "models/service/cost_table.hpp"
#include "models/service/service.hpp"
#include "models/service/table_description.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/options/option_error.hpp"
#include "sim/options/parameters.hpp"
#include "sim/options/registry.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/oracles/waiting_bounds.hpp"
#include "sim/record/coverage.hpp"
#include "sim/record/state_visitor.hpp"
#include "sim/simgrid/host_id.hpp"

namespace racksim::sim {
class Engine;
}

namespace racksim::models {

/// What a protocol is built on.
struct ProtocolContext {
  Rack& rack;
  unsigned threads_per_node = 0;     ///< application threads, each pinned to a core of its own
  unsigned sessions_per_thread = 1;  ///< that a key-value service has to tell apart (Session::number)
  /// How many blocks of a size the threads of a node will use; 0 if the workload does not tell.
  std::function<std::uint64_t(std::uint64_t block_bytes)> blocks_in_reach = {};
  sim::CoverageProbe coverage{};  ///< of the map that the protocol registered; off unless the run asks for it
};

/// Something that must not be there once everything has come to rest.
struct Leak {
  std::string kind;  ///< "leaked-lock", "leaked-entry", "leaked-chunk", "overfull-cache", "stuck-request",
                     ///< "torn" or "wrong-metadata"
  std::string what;  ///< which, whose, since when
  sim::KeyAndOperations about{};
};

/// A running protocol.
class Protocol : public CrashObserver {
 public:
  virtual ~Protocol() = default;

  /// The service that it offers; workloads find out which (memory_service.hpp, key_value_service.hpp).
  virtual Service& service() = 0;

  /// Adds the actors of its control plane, before the run begins; `nodes` are the servers' hosts, which go off and on
  /// with them.
  virtual void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) {
    static_cast<void>(engine);
    static_cast<void>(nodes);
  }

  /// Shows homes and copies as they are, before the run and when it has come to rest: what oracles begin from, and what
  /// `values-at-rest` judges.
  virtual void show_state(sim::StateVisitor& visitor) const = 0;

  /// Adds the messages of the cost table of its options that are in a packet, and whose they are. Called for each packet
  /// of a run that is judged by it.
  virtual void messages_of(const p4::Packet& packet, std::vector<CostedMessage>& messages) const {
    static_cast<void>(packet);
    static_cast<void>(messages);
  }

  /// Whether nothing is under way. Packets that circulate in the switch may go on doing so.
  virtual bool quiescent() const = 0;
  /// Adds what agents and switch wait for, besides operations, queue pairs and cores, for whoever asks why a run stands
  /// still.
  virtual void add_waits(std::vector<sim::Wait>& waits) const { static_cast<void>(waits); }
  /// What should not be there although the protocol has come to rest, or has failed to.
  virtual std::vector<Leak> leaks() const = 0;
  /// Operations on keys of one fate may wait for each other's packets, and for those of control requests, as those on a
  /// cached item do. Nothing: an operation waits for its own packets alone (sim/oracles/served_oracle.hpp).
  virtual std::optional<std::uint64_t> fate_of(sim::Key key) const {
    static_cast<void>(key);
    return std::nullopt;
  }
  /// Folds the final state into the run hash.
  virtual void record_final_state() = 0;

  /// What a packet of this protocol means; nothing about packets that are not its own. Only called for charts.
  virtual std::optional<PacketDescription> describe(const p4::Packet& packet) const {
    static_cast<void>(packet);
    return std::nullopt;
  }
  /// The registers of the switch that hold what it knows of a key, as they stand now.
  virtual std::vector<SwitchRegister> switch_state_of(sim::Key key) const {
    static_cast<void>(key);
    return {};
  }
};

/// What a protocol's state takes of the memory of the machine that simulates it.
struct StateSize {
  std::uint64_t block_bytes = 0;       ///< the unit of coherence; 0 where data are keys
  std::uint64_t fixed_bytes = 0;       ///< for what is made beforehand: tables, and caches that are
  std::uint64_t bytes_per_object = 0;  ///< for each block that is used, or key that is written
  /// It is kept in arrays by number: what is never used, but lies below something that is, takes its place too.
  bool by_number = false;
  // Of a cache that takes memory as it fills: how many objects that of a node has room for, which share of what the
  // node uses, and for each that it has.
  std::uint64_t cache_objects = 0;
  double cache_share = 1;
  std::uint64_t bytes_per_copy = 0;
};

/// A protocol's options, and the way from options to a running protocol.
class ProtocolOptions {
 public:
  virtual ~ProtocolOptions() = default;
  virtual void declare(sim::Parameters& parameters) = 0;
  /// The longest time that it waits for an answer on such a rack before it sends again, however often it has done so;
  /// zero if it never does.
  virtual sim::Duration longest_timeout(const RackOptions& rack) const {
    static_cast<void>(rack);
    return {};
  }
  /// The longest time from an operation's beginning until it gives it up, if nobody answers; zero if it never does.
  virtual sim::Duration gives_up_after() const { return {}; }
  /// How long its operations may wait for each other on such a rack, by its queues, turns, priorities and back-offs
  /// (sim/oracles/bounded_waiting_oracle.hpp; `unit_bits` and `settling` are not its to say). Nothing if it bounds
  /// nothing.
  virtual std::optional<sim::WaitingBounds> waiting(const RackOptions& rack) const {
    static_cast<void>(rack);
    return std::nullopt;
  }
  /// What its operations cost in messages on perfect wires, on such a rack (cost_table.hpp).
  virtual CostTable costs(const RackOptions& rack) const {
    static_cast<void>(rack);
    return {};
  }
  /// The oracles of consistency (`racksim list oracles`) that it keeps with these options. By default what clients read
  /// and write of each object is linearizable.
  virtual std::vector<std::string> promises() const { return {"data-value"}; }
  /// Whether it warms up without time, by a way of its own that ends in the same state. Otherwise by running itself.
  virtual bool warms_itself() const { return false; }
  /// Kinds of faults that it tolerates with these options, besides those of its entry. Crashes are of nodes that
  /// compute.
  virtual std::vector<std::string> also_tolerates() const { return {}; }
  /// Whether others may wait for a node that has crashed as long as it stays away.
  virtual bool needs_all_back() const { return false; }
  /// Whether a crash may undo acknowledged writes, of which it then tells each (`Service::lost_write`).
  virtual bool may_lose_writes() const { return false; }
  /// How many memory servers it wants beside so many compute nodes, where a scenario leaves it to the protocol
  /// (`rack.roles`: "protocol"); 0: the compute nodes hold the memory.
  virtual std::uint64_t memory_servers_beside(std::uint64_t compute_nodes) const {
    static_cast<void>(compute_nodes);
    return 0;
  }
  /// An estimate for a rack of so many nodes, within a factor of two: what a person is told before a long run.
  virtual StateSize state_size(std::uint64_t nodes) const = 0;
  /// Throws sim::OptionError when the options do not fit the rack, and p4::ProgramError when the switch has no room.
  virtual std::unique_ptr<Protocol> build(ProtocolContext& context) const = 0;
};

/// How much of the work was done by what a protocol is about: a campaign of fuzzing says so.
struct WorkShare {
  std::string doc;    ///< "of the operations were answered by the switch"
  std::string part;   ///< the counter of what was done by it
  std::string whole;  ///< the counter of all that there was to do
};

struct ProtocolEntry {
  static constexpr std::string_view kWhat = "protocol";
  std::string name, doc;
  std::function<std::shared_ptr<ProtocolOptions>()> make_options;
  /// Kinds of faults (faults.hpp) under which it promises to keep every property, once they are over. A scenario may
  /// use the others too: what happens then is up to the protocol, except that the run ends with a verdict.
  std::vector<std::string> tolerates = {};
  sim::CoverageMap coverage = {};  ///< what its code marks; may be empty
  /// The transition tables that its code executes. Registering numbers their rows for coverage, in this order.
  std::vector<const TableDescription*> tables = {};
  std::vector<WorkShare> work_shares = {};
  /// Whether it says what the switches do where there are several (rack/topology_options.hpp); others are refused.
  bool knows_racks = false;

  /// Called by the registry.
  void registered() {
    for (const TableDescription* table : tables) coverage.add_rows(table, table->coverage_rows());
  }
};

/// All protocols linked into the program, in the order of their names.
inline const std::vector<ProtocolEntry>& protocols() {
  return sim::Registry<ProtocolEntry>::entries();
}

}  // namespace racksim::models
