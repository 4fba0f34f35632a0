// One pipe of a switch with a program loaded: its state and the passes that packets make through it.
//
// A pass runs fused (`run_ingress`, `run_egress`) or stage by stage (`begin_*`, `run_stage`, `finish_*`); packets do
// not overtake each other in a pipeline, so both give the same state and packets when stage i of one packet runs before
// stage i of the next. The pipeline knows no time; `latency_cycles` tells the chassis how long its stages take.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "p4model/execute/code.hpp"
#include "p4model/execute/loaded_program.hpp"
#include "p4model/execute/meter_memory.hpp"
#include "p4model/execute/pass_notes.hpp"
#include "p4model/execute/register_file.hpp"
#include "p4model/execute/stage_watcher.hpp"
#include "p4model/execute/ternary_table.hpp"
#include "p4model/fit/placement.hpp"
#include "p4model/language/packet.hpp"

namespace racksim::p4 {

/// What the hardware tells the ingress about a packet.
struct IngressMetadata {
  std::uint16_t port = 0;
  bool resubmitted = false;
  std::uint64_t resubmit_data = 0;
  bool may_resubmit = true;  ///< false for the internal ports of quads 16 and 17 (docs/hardware.md 6.5)
  sim::Time arrived{};       ///< at the port
  sim::Time begin{};         ///< of the pass
};

/// What the hardware tells the egress about a copy. `packet_length` is in bytes.
struct EgressMetadata {
  std::uint16_t port = 0;
  std::uint16_t rid = 0;
  std::uint32_t packet_length = 0;
  sim::Time begin{};  ///< of the pass
};

/// A copy that a mirror session makes, of the packet as ingress received it or egress deparsed it.
struct MirrorCopy {
  PacketRef packet;
  std::uint16_t session = 0;
};

/// A message to the control CPU: of each field of the program's digest its value.
struct Digest {
  const Program::DigestUse* what = nullptr;
  std::vector<std::uint64_t> values{};
};

/// What becomes of a packet after ingress: a resubmission and nothing else, or copies to any of the unicast port and
/// two multicast groups, or nothing (docs/hardware.md 6.6). A program that sets both drop and resubmit is
/// resubmitted, as the TNA pseudo-code has it.
struct Verdict {
  static constexpr std::int32_t kNone = -1;
  bool resubmit = false;
  std::uint64_t resubmit_data = 0;
  std::int32_t ucast_port = kNone;
  std::int32_t mcast_a = kNone, mcast_b = kNone;
  std::uint16_t rid = 0;
  std::int32_t l2_exclusion = kNone;
  std::int32_t l1_exclusion = kNone;
  std::uint16_t level1_hash = 0, level2_hash = 0;  ///< choose a node of an ECMP set, and a member of a LAG

  bool dropped() const { return !resubmit && ucast_port == kNone && mcast_a == kNone && mcast_b == kNone; }
  bool operator==(const Verdict&) const = default;
};

/// A packet on its way through the stages of one gress.
class Pass {
 public:
  static constexpr std::size_t kMaxWords = LoadedProgram::kMaxWords;

 private:
  friend class Pipeline;
  std::uint64_t phv_[kMaxWords];
  Packet* packet_ = nullptr;
  Gress gress_ = Gress::ingress;
  bool rejected_ = false, resubmitted_ = false, may_resubmit_ = false;
  std::uint8_t parsed_ = 0;                      // headers extracted
  std::uint8_t header_at_[Packet::kMaxHeaders];  // by place in the packet: the program's header number
  sim::Time begin_;                              // with the packet and its place the key of random draws
  std::uint32_t place_ = 0;
};

struct PipelineCounters {
  std::uint64_t ingress_passes = 0, egress_passes = 0;
  std::uint64_t parser_rejects = 0;
  std::uint64_t ingress_drops = 0, egress_drops = 0;  ///< passes that ended with no copy, parser rejects included
  std::uint64_t resubmits = 0;
  std::uint64_t refused_resubmits = 0;  ///< drops because the pass was a resubmitted one already, or its port cannot
};

struct TableCounters {
  std::uint64_t hits = 0, misses = 0;
};

struct PassOutputs;

class Pipeline {
 public:
  /// Registers are 0, tables have the program's entries alone.
  explicit Pipeline(std::shared_ptr<const LoadedProgram> program);
  /// The same of a program that is loaded here alone. Throws ProgramError or DoesNotFit.
  explicit Pipeline(std::shared_ptr<const Program> program, const SwitchResources& resources = {})
      : Pipeline(std::make_shared<const LoadedProgram>(std::move(program), resources)) {}

  const Program& program() const { return program_; }
  const Placement& placement() const { return loaded_->placement; }
  int stages() const { return placement().stages(); }
  std::uint64_t latency_cycles(Gress gress, int stage) const { return placement().latency_cycles(gress, stage); }
  std::uint64_t latency_cycles(Gress gress) const { return placement().latency_cycles(gress); }
  /// Whether an egress pass can change headers: a packet that others share must be cloned before it.
  bool egress_changes_headers() const;
  /// Whether an egress pass may use registers, meters or counters: what it does then depends on the egress passes
  /// before it.
  bool egress_uses_registers() const;

  /// A whole pass. A resubmitted or dropped packet keeps its headers as they were.
  Verdict run_ingress(Packet& packet, const IngressMetadata& metadata);
  /// The same pass, noting what its outcome depends on.
  Verdict run_ingress(Packet& packet, const IngressMetadata& metadata, PassNotes& notes);
  /// False when the copy is dropped.
  bool run_egress(Packet& packet, const EgressMetadata& metadata) {
    if (code_.gress[1].idle() && !watcher_) {
      ++counters_.egress_passes;
      return true;
    }
    return run_busy_egress(packet, metadata);
  }

  void begin_ingress(Pass& pass, Packet& packet, const IngressMetadata& metadata);
  void begin_egress(Pass& pass, Packet& packet, const EgressMetadata& metadata);
  void run_stage(Pass& pass, int stage);
  Verdict finish_ingress(Pass& pass);
  bool finish_egress(Pass& pass);

  /// Whether an egress pass leaves each packet as it is.
  bool egress_does_nothing() const { return code_.gress[1].idle(); }
  /// Counts passes that were not run, each an ingress pass that drops nothing and an egress pass that does nothing...
  void count_passes(std::uint64_t passes) {
    counters_.ingress_passes += passes;
    counters_.egress_passes += passes;
  }
  /// ... and their lookups, for `passes` of them that would all have given these notes.
  void count_lookups(const PassNotes& notes, std::uint64_t passes) {
    for (const auto& lookup : notes.lookups()) {
      auto& counters = table_counters_[lookup.table];
      (lookup.hit ? counters.hits : counters.misses) += passes;
    }
  }

  /// The control plane's view. Names and numbers are the program's; unknown ones throw std::runtime_error. A key gives
  /// one match per key field. Priorities are for TCAM: the lowest number wins, where prefixes do not decide.
  RegisterFile& registers() { return registers_; }
  const RegisterFile& registers() const { return registers_; }
  void add_entry(const Table& table, std::span<const KeyMatch> key, const Action& action,
                 std::span<const std::uint64_t> data = {}, std::uint32_t priority = 0);
  /// False when there is no entry with this key and priority.
  bool modify_entry(const Table& table, std::span<const KeyMatch> key, const Action& action,
                    std::span<const std::uint64_t> data = {}, std::uint32_t priority = 0);
  bool remove_entry(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority = 0);
  /// Takes over all entries of a table from another pipe with this program, which has just begun as this one has. Both
  /// keep them once until one changes them.
  void share_entries(const Table& table, const Pipeline& with);
  /// The same for entries that ask for one value of each key field.
  void add_entry(const Table& table, std::span<const std::uint64_t> key, const Action& action,
                 std::span<const std::uint64_t> data = {}) {
    add_entry(table, matches(key), action, data);
  }
  bool modify_entry(const Table& table, std::span<const std::uint64_t> key, const Action& action,
                    std::span<const std::uint64_t> data = {}) {
    return modify_entry(table, matches(key), action, data);
  }
  bool remove_entry(const Table& table, std::span<const std::uint64_t> key) {
    return remove_entry(table, matches(key));
  }
  /// Values of a parser's value set: those that equal `value` in the bits of `mask`. Throws std::runtime_error when
  /// there is no room for another, it is there, or it has bits that the mask or the set's width leaves out.
  void add_value(const ValueSet& set, std::uint64_t value, std::uint64_t mask = ~std::uint64_t{0});
  /// False when it is not there.
  bool remove_value(const ValueSet& set, std::uint64_t value, std::uint64_t mask = ~std::uint64_t{0});
  /// Throws as these do for a value that the set cannot have.
  static void check_value(const ValueSet& set, std::uint64_t value, std::uint64_t mask) { masked(set, value, mask); }
  std::size_t values(const ValueSet& set) const { return value_sets_.at(set.id).size(); }
  /// A meter's entry begins with full buckets at `now`, as passes that begin then see it; an entry outside is a
  /// std::runtime_error, as rates that make no sense are (meter_memory.hpp).
  void set_meter(const Meter& meter, std::uint64_t index, const MeterRates& rates, sim::Time now);
  void check_index(const Meter& meter, std::uint64_t index) const { meter_memories_.at(meter.id).check(index); }
  CounterValue counter(const Counter& counter, std::uint64_t index) const;
  void set_counter(const Counter& counter, std::uint64_t index, const CounterValue& value);
  std::uint64_t size(const Counter& counter) const { return counter_memories_.at(counter.id).size(); }
  /// The entry of a table's direct meters and counters that belongs to a key; nothing if the table has no such entry.
  std::optional<std::uint64_t> entry_number(const Table& table, std::span<const KeyMatch> key,
                                            std::uint32_t priority = 0) const;
  /// What an entry does: its action and that action's data; nothing if the table has no such entry.
  struct EntryContent {
    const Action* action = nullptr;
    std::vector<std::uint64_t> data{};
  };
  std::optional<EntryContent> entry(const Table& table, std::span<const KeyMatch> key,
                                    std::uint32_t priority = 0) const;
  /// Of a table with an idle time-out: whether an entry was added or hit since this was asked of it last; nothing if
  /// the table has no such entry.
  std::optional<bool> take_hit(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority = 0);
  std::uint32_t entries(const Table& table) const {
    return table.in_tcam() ? ternary_.at(table.id)->size() : tables_.at(table.id).size();
  }
  const TableCounters& counters(const Table& table) const { return table_counters_.at(table.id); }
  const PipelineCounters& counters() const { return counters_; }

  /// Has an observer told of each register value that a pass changes and of changes by the control plane, after those
  /// that were added before it. It must outlive the pipeline or be removed.
  void add_observer(StateWriteObserver& observer) {
    observers_.push_back(&observer);
    registers_.add_observer(observer);
  }
  void remove_observer(const StateWriteObserver& observer) {
    std::erase(observers_, &observer);
    registers_.remove_observer(observer);
  }
  /// What random draws depend on beside the packet and its pass.
  void seed(std::uint64_t value) { seed_ = value; }
  /// Whether a pass does the same whenever it runs, if registers and tables are the same: without time stamps, random
  /// numbers, meters, counters, idle time-outs and what leaves otherwise than by its verdict.
  bool passes_repeat() const { return loaded_->passes_repeat(); }
  /// Whether passes look at the time.
  bool has_clock() const { return uses_.clock; }
  /// What the last pass asked for beside its verdict; taken, it is gone.
  bool has_requests() const { return has_mirror_copy_ || has_digest_; }
  bool has_mirror_copy() const { return has_mirror_copy_; }
  bool has_digest() const { return has_digest_; }
  MirrorCopy take_mirror_copy() {
    has_mirror_copy_ = false;
    return std::move(mirror_copy_);
  }
  Digest take_digest() {
    has_digest_ = false;
    return std::move(digest_);
  }

  /// Has a watcher, which must outlive the passes, told of all that whole passes do inside; null ends it.
  void watch(StageWatcher* watcher) { watcher_ = watcher; }

  /// Whether whole passes of ingress run as a generated function: where the program that was built has one of this form.
  bool runs_generated() const { return generated_.ingress != nullptr; }
  /// From now on all passes are interpreted.
  void interpret() { generated_ = {}; }

 private:
  friend class PassState;
  void tell_of_tables() const;
  static std::vector<KeyMatch> matches(std::span<const std::uint64_t> values) { return {values.begin(), values.end()}; }
  bool run_busy_egress(Packet& packet, const EgressMetadata& metadata);
  void start(Pass& pass, Packet& packet, Gress gress);
  void parse(Pass& pass, const GressCode& code);
  /// Where a parser state with value sets goes.
  std::int32_t choose(const ParseCode& parse, std::uint64_t value) const;
  void deparse(Pass& pass);
  /// What becomes of a packet whose ingress pass was not rejected; counts it.
  Verdict verdict_of(const PassOutputs& outputs, bool resubmitted, bool may_resubmit);
  void run_checksums(const std::vector<ChecksumCode>& units, Pass& pass);
  void rebuild_headers(Pass& pass);
  /// Who is told of what the instructions do.
  enum class Witness : std::uint8_t { nobody, notes, watcher };
  /// Runs up to the first `done` that does not end an action.
  template <Witness witness>
  void run(const Instruction* at, Pass& pass, PassNotes* notes = nullptr);
  /// All stages of a pass that has begun, for the watcher.
  void run_watched(Pass& pass);
  /// What a pass asks for beside its verdict.
  void note_requests(const Pass& pass);
  void copy_for_mirror(const Pass& pass, MirrorKind kind);
  std::uint64_t draw(const Pass& pass, std::uint32_t number) const;
  /// An execution of a meter or a counter; the watcher is told if there is one.
  void run_meter(const MeterCode& code, Pass& pass);
  void run_counter(const CounterCode& code, Pass& pass);
  void tell_write(std::uint32_t object, std::uint64_t index, std::uint64_t value, std::int32_t stage,
                  const Packet& packet) const;
  /// Direct meters and counters of a new entry begin anew.
  void begin_entry(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority);
  void tell_lookup(const TableCode& code, const std::uint64_t* phv) const;
  void tell_probe(const Instruction& probe, const std::uint64_t* phv) const;
  void tell_register(const ArrayCode& code, std::uint64_t index, std::uint64_t before, std::uint64_t output) const;
  /// Whether PHV word `slot` is a field of the program.
  bool is_field(std::uint16_t slot) const { return slot < program_.fields().size(); }
  /// Looks up and returns the action to be run, its data in their place.
  const Instruction* look_up(const TableCode& table, std::uint64_t* phv);
  std::int32_t find_entry(const TableCode& table, const std::uint64_t* phv) const;
  const Instruction* look_up_in_tcam(const TableCode& table, std::uint64_t* phv);
  const Instruction* run_entry(const TableCode& code, std::uint32_t action, const std::uint64_t* data,
                               std::uint64_t* phv) const;
  const Instruction* note_miss(const TableCode& code, std::uint64_t* phv);
  void note_hit(const TableCode& code, std::uint64_t* phv);
  void note_entry(const TableCode& code, std::int32_t entry, std::uint64_t* phv);
  std::uint32_t hash(const HashCode& hash, const std::uint64_t* phv) const;

  std::shared_ptr<const LoadedProgram> loaded_;
  const Program& program_;
  const ProgramCode& code_;
  const LoadedProgram::Uses uses_;
  GeneratedFunctions generated_;
  RegisterFile registers_;
  std::vector<ExactTable> tables_;                    // by number of the table in the program
  std::vector<std::optional<TernaryTable>> ternary_;  // the same, nothing for those in SRAM
  std::vector<TableCounters> table_counters_;
  std::vector<std::vector<bool>> hit_;  // by number of the table and entry, of tables with an idle time-out
  struct MaskedValue {
    std::uint64_t value, mask;
    bool operator==(const MaskedValue&) const = default;
  };
  static MaskedValue masked(const ValueSet& set, std::uint64_t value, std::uint64_t mask);
  std::vector<std::vector<MaskedValue>> value_sets_;  // by number of the set in the program
  std::vector<MeterMemory> meter_memories_;           // by number of the meter in the program
  std::vector<CounterMemory> counter_memories_;       // the same
  PipelineCounters counters_;
  std::int32_t no_port_ = program().no_port();
  std::vector<StateWriteObserver*> observers_;
  StageWatcher* watcher_ = nullptr;
  std::uint64_t seed_ = 0;
  bool has_mirror_copy_ = false, has_digest_ = false;
  MirrorCopy mirror_copy_;
  Digest digest_;
};

}  // namespace racksim::p4
