// What a run shows to the outside: its observable events, folded into the run hash and handed to observers.
//
// Two executions of the same scenario and seed must record the same observations in each source, in the same order.
// They need not interleave different sources alike: a fused switch pass records all its stages at once, a stepped one
// lets other components record in between. So the hash is the sum of one 128-bit mix per observation (run_hash.hpp) of
// the source, the serial number of the observation within that source, its time, kind, operation and details: any
// change of order, time or content within a source changes it, the interleaving of sources does not. Observers and
// the number of calendar events stay outside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/invariant.hpp"
#include "sim/kernel/time.hpp"
#include "sim/record/ids.hpp"
#include "sim/record/run_hash.hpp"

namespace racksim::sim {

/// The kinds of observable events.
enum class Observed : std::uint8_t {
  message_sent,
  message_delivered,
  message_dropped,
  operation_begun,
  operation_ended,
  switch_state,  ///< a register or table of the switch was written
  fault_begun,   ///< by the source named after the fault
  permission,    ///< a node gained or lost the right to read or write a block: for oracles alone
  final_state,   ///< a piece of the state at the end of the run
  fault_ended,
  operation_given_up,  ///< its session waits no longer: it may have taken effect or not
  stray_answer,        ///< a session got an answer that it did not ask for
  sent_again,          ///< what was asked was not answered as hoped, and is asked again or given up: for oracles alone
  disturbance,         ///< a fault has touched a packet, or acts on machines: for oracles alone
  performed,           ///< a write has become visible to all: for oracles alone
  write_lost,          ///< a crash has undone a write, as the protocol says that it may: for oracles alone
  // Of an operation that is about several objects, what it does to each of them behind the first:
  part_begun,
  part_ended,
  part_given_up
};
inline constexpr std::size_t kObservedKinds = 19;

/// The enumerator's name, as traces print it.
std::string_view to_string(Observed what);

/// Whether observations of this kind are part of the run hash. The others are how oracles look inside protocols and
/// hardware: reporting them in more or less detail must leave the hash alone.
constexpr bool is_folded(Observed what) {
  return what != Observed::permission && what != Observed::sent_again && what != Observed::disturbance &&
         what != Observed::performed && what != Observed::write_lost;
}

/// Who records: a dense number that the event log gives out.
struct Source {
  std::uint32_t index = 0;
  bool operator==(const Source&) const = default;
};

/// What texts call a source of this name: n3.t1 for node3/thread1.
std::string short_name(std::string name);
/// What texts call an operation of the session of this name: n3.t1 #43 is the 43rd of node3/thread1.
std::string operation_name(std::string session, OperationId id);

/// One observable event. What the details mean is for the source and its kind to say.
struct Observation {
  Time at;
  Observed what{};
  Source source;
  OperationId operation = 0;  ///< id of the operation that caused it, 0 if none
  std::array<std::uint64_t, 3> detail{};
};

/// Some of the kinds.
class ObservedKinds {
 public:
  constexpr ObservedKinds(std::initializer_list<Observed> kinds) {
    for (const auto kind : kinds) bits_ |= 1u << static_cast<unsigned>(kind);
  }
  static constexpr ObservedKinds all() {
    ObservedKinds kinds{};
    kinds.bits_ = ~0u;
    return kinds;
  }
  constexpr ObservedKinds with(ObservedKinds other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool contains(Observed kind) const { return bits_ >> static_cast<unsigned>(kind) & 1u; }

 private:
  std::uint32_t bits_ = 0;
};

/// Sees observations as they are recorded: a trace, an oracle. It must not act on the simulation.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Which it wants to see. Asked when it is attached.
  virtual ObservedKinds kinds() const { return ObservedKinds::all(); }
  virtual void observe(const Observation& observation) = 0;
};

/// The record of one run.
class EventLog {
 public:
  EventLog() = default;
  /// Of services of which one stands on the other each records in a log of its own. `services` is what names of the
  /// metrics of those that record here begin with: "memory." below another, "" above it. Sources above are mixed as
  /// others than those below, so that the sum of both hashes is the run's.
  explicit EventLog(std::string services, bool above = false)
      : services_(std::move(services)), first_mixed_(above ? 1u << 31 : 0) {}
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Registers a source. Its number follows the order of registration and is part of the hash, its name is not.
  /// A name that is taken is a std::runtime_error.
  Source add_source(std::string name);
  const std::string& name(Source source) const { return names_[source.index]; }
  /// What names of metrics of the services that record here begin with.
  const std::string& services() const { return services_; }

  /// Registers a source that issues operations, in the order of the sessions' indices.
  Source add_session(std::string name);
  /// A source's name in texts, which is short.
  std::string called(Source source) const { return short_name(name(source)); }
  /// An operation's name in texts: n3.t1 #43, the 43rd of the session n3.t1. Of one that no session has issued its
  /// number is told.
  std::string operation(OperationId id) const;
  /// The same of an operation that `session` is known to have issued.
  std::string operation(OperationId id, Source session) const;

  /// Records one observation. Allocates nothing; virtual calls only to attached observers that want this kind, in the
  /// order of attachment.
  void record(Observed what, Source source, Time at, OperationId operation, std::uint64_t a = 0, std::uint64_t b = 0,
              std::uint64_t c = 0) {
    RACKSIM_INVARIANT(source.index < states_.size(), "a source was added to the event log that it speaks in");
    if (paused_) [[unlikely]]
      return;
    ++counts_[static_cast<std::size_t>(what)];
    if (is_folded(what)) {
      auto& state = states_[source.index];
      HashMixer mixer = state.mixer;
      mixer.add(state.serial++ << 8 | static_cast<std::uint64_t>(what), static_cast<std::uint64_t>(at.ps()));
      mixer.add(operation, a);
      mixer.add(b, c);
      state.hash += mixer.finish();
    }
    if (!observers_[static_cast<std::size_t>(what)].empty()) notify({at, what, source, operation, {a, b, c}});
  }

  /// Attaches an observer, which must outlive the event log's last record.
  void attach(Observer& observer);
  /// How many are attached.
  std::size_t observers() const { return attached_; }

  /// Folds the behavioural configuration (in one canonical spelling) and the seed into the hash.
  void fold_configuration(std::string_view canonical_text, std::uint64_t seed);

  /// The hash of all that was folded so far: the sum of the configuration's and every source's.
  RunHash hash() const;
  /// The hash of what one source has recorded so far; zero if nothing.
  RunHash hash(Source source) const { return states_[source.index].hash; }
  /// How many sources there are; they are numbered from 0.
  std::size_t sources() const { return names_.size(); }

  /// How many observations of a kind were recorded.
  std::uint64_t count(Observed what) const { return counts_[static_cast<std::size_t>(what)]; }
  /// How many of all kinds that are part of the run hash.
  std::uint64_t count() const;

  /// Nothing is recorded until it goes on: what happens is not part of the run, as when a rack is warmed up.
  void pause() { paused_ = true; }
  void go_on() { paused_ = false; }

 private:
  bool paused_ = false;
  struct SourceState {
    HashMixer mixer;  // has taken in the source's number
    std::uint64_t serial = 0;
    RunHash hash;  // of what it has recorded
  };

  void notify(const Observation& observation);

  std::string services_;
  std::uint32_t first_mixed_ = 0;
  std::vector<SourceState> states_;
  std::vector<std::string> names_;
  std::vector<Source> sessions_;  // by index
  std::set<std::string> taken_;
  std::array<std::vector<Observer*>, kObservedKinds> observers_;  // by kind
  std::size_t attached_ = 0;
  std::array<std::uint64_t, kObservedKinds> counts_{};
  RunHash configuration_;
};

}  // namespace racksim::sim
