// The oracles of sim/oracles/ and sim/checkers/ as a run asks for them, and those that need the rack or the protocol.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/service/cost_oracle.hpp"
#include "models/service/key_value_service.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/oracle_entry.hpp"
#include "models/switch/switch_chassis.hpp"
#include "sim/checkers/history_oracle.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/answer_oracle.hpp"
#include "sim/oracles/bounded_waiting_oracle.hpp"
#include "sim/oracles/conservation_oracle.hpp"
#include "sim/oracles/live_memory.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/oracles/mutual_exclusion_oracle.hpp"
#include "sim/oracles/one_call_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/quiescence_oracle.hpp"
#include "sim/oracles/served_oracle.hpp"
#include "sim/oracles/sessions_last_writes.hpp"
#include "sim/oracles/single_writer_oracle.hpp"
#include "sim/oracles/torn_oracle.hpp"
#include "sim/oracles/values_at_rest_oracle.hpp"

namespace racksim::models {

namespace {

using sim::Registration;
constexpr auto kIfPromised = OracleEntry::AttachWhen::if_promised;
using MadeOracle = std::shared_ptr<sim::Oracle>;

/// Tells an oracle of the permissions that caches begin with.
template <class Keeper>
class FirstPermissions final : public sim::StateVisitor {
 public:
  explicit FirstPermissions(Keeper& oracle) : oracle_(oracle) {}
  void home(sim::Key, sim::Value) override {}
  void copy(sim::Key key, sim::Holder holder, sim::Value, sim::CopyState state) override {
    if (holder.is_switch()) return;
    oracle_.initial_permission(key, holder.number(),
                               state == sim::CopyState::dirty ? sim::Permission::write : sim::Permission::read);
  }
  void lost(sim::Key) override {}

 private:
  Keeper& oracle_;
};

const Registration<OracleEntry> single_writer({
    .name = "single-writer",
    .doc = "while a node may write a block, no other node may read or write it",
    .make = [](OracleContext& context) -> MadeOracle {
      auto oracle = std::make_shared<sim::SingleWriterOracle>();
      context.attach(oracle, std::make_shared<FirstPermissions<sim::SingleWriterOracle>>(*oracle));
      return oracle;
    },
});

const Registration<OracleEntry> data_value({
    .name = "data-value",
    .doc = "what clients read and write of each object is linearizable",
    .attach = kIfPromised,
    .make = [](OracleContext& context) -> MadeOracle { return context.data_value(); },
});

/// Attached, and told the first values.
std::shared_ptr<sim::MemoryModelOracle> memory_model(sim::MemoryModel model, OracleContext& context) {
  auto oracle = std::make_shared<sim::MemoryModelOracle>(model, context.event_log());
  if (context.may_lose_writes()) oracle->expect_losses();
  context.attach(oracle, std::make_shared<FirstValues<sim::MemoryModelOracle>>(*oracle));
  return oracle;
}

const MemoryService* memory_service(OracleContext& context) {
  return dynamic_cast<const MemoryService*>(&context.protocol().service());
}

OracleEntry memory_model_entry(sim::MemoryModel model, const char* doc) {
  const std::string name(to_string(model));
  return {.name = name, .doc = doc, .attach = kIfPromised, .make = [model, name](OracleContext& context) -> MadeOracle {
            if (memory_service(context) == nullptr) {
              throw sim::OptionError(name, "a protocol that does not tell when its writes are performed",
                                     "a protocol with a memory service, or \"sequential\" for each key alone");
            }
            return memory_model(model, context);
          }};
}

const Registration<OracleEntry> sc(
    memory_model_entry(sim::MemoryModel::sc, "what clients read and write of all objects is sequentially consistent"));
const Registration<OracleEntry> tso(memory_model_entry(
    sim::MemoryModel::tso,
    "what clients read and write keeps total store order: writes may wait in a buffer of their session"));
const Registration<OracleEntry> pso(memory_model_entry(
    sim::MemoryModel::pso,
    "what clients read and write keeps partial store order: a buffer for each object of each session"));

const Registration<OracleEntry> one_call({
    .name = "one-call",
    .doc = "what one read returns of several objects of a line they all held at one instant",
    .attach = kIfPromised,
    .make = [](OracleContext& context) -> MadeOracle {
      if (memory_service(context) == nullptr) {
        throw sim::OptionError("one-call", "a protocol without lines", "a protocol with a memory service");
      }
      auto oracle = std::make_shared<sim::OneCallOracle>(context.event_log());
      context.attach(oracle, std::make_shared<FirstValues<sim::OneCallOracle>>(*oracle));
      return oracle;
    },
});

const Registration<OracleEntry> mutual_exclusion({
    .name = "mutual-exclusion",
    .doc = "whoever holds a lock exclusively holds it alone, and all locks are given back",
    .attach = kIfPromised,
    .make = [](OracleContext& context) -> MadeOracle {
      return std::make_shared<sim::MutualExclusionOracle>(context.event_log());
    },
});

/// Reports what became of those that fared worst.
class BoundedWaiting final : public sim::BoundedWaitingOracle {
 public:
  BoundedWaiting(const OracleContext& context, const sim::WaitingBounds& bounds, sim::Waiting of)
      : BoundedWaitingOracle(context.event_log(), bounds, of), most_overtakings_(overtakings_gauge(context, of)) {
    if (of == sim::Waiting::locks) return;
    longest_step_ = &context.rack().metrics().gauge(
        "waiting.longest_step", "us",
        "the longest for which somebody waited for a key or block while nothing ended there, as far as it is judged",
        0);
  }
  void finish(sim::Time end) override {
    BoundedWaitingOracle::finish(end);
    most_overtakings_.value = static_cast<double>(most_overtakings());
    if (longest_step_ != nullptr) longest_step_->value = longest_step().ns() / 1e3;
  }

 private:
  static sim::Gauge& overtakings_gauge(const OracleContext& context, sim::Waiting of) {
    if (of == sim::Waiting::locks) {
      return context.rack().metrics().gauge(
          "locks.most_overtakings", "requests",
          "of one session that began later and had the lock before the one that fared worst", 0);
    }
    return context.rack().metrics().gauge(
        "waiting.most_overtakings", "operations",
        "of one session that began later on the same key or block, waited and ended before the one that fared worst",
        0);
  }

  sim::Gauge& most_overtakings_;
  sim::Gauge* longest_step_ = nullptr;
};

MadeOracle bounded_waiting_of(OracleContext& context, const char* name, sim::Waiting of) {
  auto bounds = context.waiting();
  if (!bounds) throw sim::OptionError(name, "a protocol that bounds no waiting", "a protocol that does");
  if (context.terms().expect_timeouts) bounds = sim::WaitingBounds{};  // overload and short timeouts make any order
  if (bounds->lucky && context.rack().options().faults.jitter == sim::Duration{}) {
    bounds->overtakings = sim::WaitingBounds::kAny;
  }
  if (of == sim::Waiting::locks && bounds->lock_overtakings) bounds->overtakings = *bounds->lock_overtakings;
  if (const MemoryService* memory = memory_service(context)) bounds->unit_bits = memory->objects_bits();
  bounds->settling = context.terms().settling;
  return std::make_shared<BoundedWaiting>(context, *bounds, of);
}

const Registration<OracleEntry> lock_fairness({
    .name = "lock-fairness",
    .doc =
        "of those who wait for a lock nobody is overtaken by another more often, or waits for longer while nobody has "
        "it, than the protocol bounds",
    .attach = kIfPromised,
    .make = [](OracleContext& context) -> MadeOracle {
      return bounded_waiting_of(context, "lock-fairness", sim::Waiting::locks);
    },
});

const Registration<OracleEntry> bounded_waiting({
    .name = "bounded-waiting",
    .doc =
        "no access that waits is overtaken by another session more often, or waits for longer while nobody is served, "
        "than the protocol bounds",
    .attach = kIfPromised,
    .make = [](OracleContext& context) -> MadeOracle {
      return bounded_waiting_of(context, "bounded-waiting", sim::Waiting::accesses);
    },
});

const Registration<OracleEntry> cost({
    .name = "cost",
    .doc = "on perfect wires operations take the messages that the protocol says (`racksim table --costs`)",
    .attach = kIfPromised,
    .make = [](OracleContext& context) -> MadeOracle {
      CostTable table = context.costs();
      if (table.rows.empty()) throw sim::OptionError("cost", "a protocol without a cost table", "one that has one");
      const MemoryService* memory = memory_service(context);
      auto oracle =
          std::make_shared<CostOracle>(context.rack(), context.protocol(), std::move(table),
                                       memory == nullptr ? 0 : memory->objects_bits(), context.terms().perfect_wires);
      context.attach(oracle, std::make_shared<FirstPermissions<CostOracle>>(*oracle));
      return oracle;
    },
});

const Registration<OracleEntry> progress({
    .name = "progress",
    .doc = "whatever a session begins ends",
    .make = [](OracleContext& context) -> MadeOracle {
      return std::make_shared<sim::ProgressOracle>(context.event_log());
    },
});

const Registration<OracleEntry> served({
    .name = "served",
    .doc = "whoever asks is answered, at the first attempt unless a fault explains the timeout",
    .make = [](OracleContext& context) -> MadeOracle {
      const auto& terms = context.terms();
      return std::make_shared<sim::ServedOracle>(
          context.event_log(),
          sim::ServedRules{.expect_timeouts = terms.expect_timeouts,
                           .patience = terms.patience,
                           .settling = terms.settling,
                           .fate = [&protocol = context.protocol()](sim::Key key) { return protocol.fate_of(key); }});
    },
});

/// The protocol's own leftovers, and memory that two have.
class Quiescence final : public sim::QuiescenceOracle {
 public:
  explicit Quiescence(OracleContext& context) : protocol_(context.protocol()) {
    const MemoryService* memory = memory_service(context);
    if (memory == nullptr) return;
    const auto block_bits = static_cast<unsigned>(std::countr_zero(memory->shape().block_bytes));
    memory_ = std::make_shared<sim::LiveMemory>(context.event_log(), block_bits);
    context.attach(memory_);
  }
  void finish(sim::Time end) override {
    count_judged();
    for (Leak& leak : protocol_.leaks()) report(leak.kind, end, std::move(leak.what), std::move(leak.about));
    if (memory_ == nullptr) return;
    for (const sim::Violation& found : memory_->violations()) report(found.oracle, found.at, found.what, found.about);
  }

 private:
  const Protocol& protocol_;
  std::shared_ptr<sim::LiveMemory> memory_;
};

const Registration<OracleEntry> quiescence({
    .name = "quiescence",
    .doc = "after the drain no lock is held, no request outstanding, no table entry without an owner, and directories "
           "know who caches what; live allocations are disjoint",
    .make = [](OracleContext& context) -> MadeOracle { return std::make_shared<Quiescence>(context); },
});

/// Compares values at rest with what sessions wrote last, in runs that need only be sequentially consistent.
class ValuesOfSessions final : public sim::Oracle {
 public:
  explicit ValuesOfSessions(std::shared_ptr<sim::SessionsLastWrites> writes)
      : Oracle("values-at-rest", "value"), writes_(std::move(writes)), judge_(*writes_) {}
  sim::StateVisitor* state_at_rest() override { return &judge_; }
  void finish(sim::Time end) override {
    judge_.finish(end);
    count_judged(judge_.judged());
    for (const sim::Violation& violation : judge_.violations()) violated(violation.at, violation.what, violation.about);
  }

 private:
  std::shared_ptr<sim::SessionsLastWrites> writes_;
  sim::ValuesAtRestOracle judge_;
};

/// Values at rest are compared with the last writes as clients saw them. Behind store buffers, and after atomic
/// operations, only the protocol knows which write was the last; where the order of sessions alone counts, nobody does.
const Registration<OracleEntry> values_at_rest({
    .name = "values-at-rest",
    .doc = "after the drain clean copies equal each other and the home, and what nobody holds dirty has the last write "
           "at its home; judged if the run has come to rest",
    .make = [](OracleContext& context) -> MadeOracle {
      const auto* memory = memory_service(context);
      if (memory != nullptr &&
          (memory->shape().writes_return_early || memory->shape().offers.has(sim::OperationKind::compare_and_swap))) {
        return std::make_shared<sim::ValuesAtRestOracle>(*memory_model(sim::MemoryModel::pso, context));
      }
      if (context.is_promised("sequential") && !context.is_promised("data-value")) {
        const auto writes = std::make_shared<sim::SessionsLastWrites>();
        context.attach(writes);
        return std::make_shared<ValuesOfSessions>(writes);
      }
      return std::make_shared<sim::ValuesAtRestOracle>(*context.data_value());
    },
});

/// Counts packets and buffer cells at the end.
class PacketConservation final : public sim::Oracle {
 public:
  explicit PacketConservation(Rack& rack) : Oracle("packet-conservation", "packet"), rack_(rack) {}
  void finish(sim::Time end) override {
    const PacketAccounting& accounting = rack_.accounting();
    count_judged(accounting.created() + accounting.copied());
    report(sim::check_conservation({.created = accounting.created(),
                                    .copied = accounting.copied(),
                                    .delivered = accounting.delivered(),
                                    .absorbed = accounting.absorbed(),
                                    .dropped = accounting.dropped(),
                                    .in_flight = rack_.packets_in_flight()},
                                   end));
    for (unsigned number = 0; number < rack_.switches(); ++number) {
      const SwitchChassis& chassis = rack_.chassis(number);
      const std::string whose = rack_.switches() == 1 ? "" : " of " + chassis.name();
      report(sim::check_conservation("the packet buffer" + whose, chassis.buffer_balance(), end));
      report(sim::check_conservation("the queues of the packet buffer" + whose, chassis.queue_balance(), end));
    }
  }

 private:
  void report(std::optional<sim::Violation> violation) {
    if (violation) violated(std::move(violation->oracle), violation->at, std::move(violation->what));
  }

  Rack& rack_;
};

const Registration<OracleEntry> packet_conservation({
    .name = "packet-conservation",
    .doc =
        "packets created and copied = delivered + absorbed + dropped + in flight, and buffer cells in use = those of "
        "packets",
    .make = [](OracleContext& context) -> MadeOracle { return std::make_shared<PacketConservation>(context.rack()); },
});

bool of_store(OracleContext& context) {
  return dynamic_cast<const KeyValueService*>(&context.protocol().service()) != nullptr;
}

const Registration<OracleEntry> returned_key({
    .name = "returned-key",
    .doc = "a get returns the value of the key that it asked for",
    .make = [](OracleContext& context) -> MadeOracle {
      return std::make_shared<sim::AnswerOracle>(sim::StrayAnswer::wrong_key, context.event_log(), of_store(context));
    },
});

const Registration<OracleEntry> answered_once({
    .name = "answered-once",
    .doc = "on perfect wires each request is answered once, until somebody asks again",
    .make = [](OracleContext& context) -> MadeOracle {
      // A copy that a wire makes is answered too.
      return std::make_shared<sim::AnswerOracle>(sim::StrayAnswer::repeated, context.event_log(),
                                                 of_store(context) && context.terms().perfect_wires);
    },
});

const Registration<OracleEntry> torn({
    .name = "torn",
    .doc = "a get returns an item whole: all of its packets, all of its key and of one write",
    .make = [](OracleContext& context) -> MadeOracle {
      return std::make_shared<sim::TornOracle>(context.event_log(), of_store(context));
    },
});

/// One of the checks of whole histories. `data-value` implies all of them.
class JudgedHistory final : public sim::checkers::HistoryOracle {
 public:
  JudgedHistory(const sim::checkers::HistoryCheck& check, const RecordedHistory& history,
                const sim::EventLog& event_log)
      : HistoryOracle(check, *history.recorder, event_log), history_(history) {}
  void finish(sim::Time end) override {
    history_.kept->value = history_.recorder->recorded_operations();
    history_.dropped->value = history_.recorder->dropped_operations();
    HistoryOracle::finish(end);
  }

 private:
  RecordedHistory history_;
};

OracleEntry history_entry(std::string_view name, const char* doc) {
  const auto checks = sim::checkers::history_checks();
  const auto check = std::find_if(checks.begin(), checks.end(), [&](const auto& one) { return one.name == name; });
  return {
      .name = std::string(name), .doc = doc, .attach = kIfPromised, .make = [check = *check](OracleContext& context) {
        return std::make_shared<JudgedHistory>(check, context.history(), context.event_log());
      }};
}

const Registration<OracleEntry> linearizable(
    history_entry("linearizable", "each key's recorded history is linearizable, judged when the run is over"));
const Registration<OracleEntry> sequential(history_entry("sequential",
                                                         "each key's recorded history is sequentially consistent"));
const Registration<OracleEntry> sessions(
    history_entry("sessions", "each key's recorded history keeps each of the four session guarantees"));
const Registration<OracleEntry> stale_read(
    history_entry("stale-read", "no read that begins after a write was acknowledged returns an older value"));

}  // namespace

}  // namespace racksim::models
