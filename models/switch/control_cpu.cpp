// Operations of the control CPU. See control_cpu.hpp.
#include "models/switch/control_cpu.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "p4model/fit/dependency_graph.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::models {

namespace {

constexpr std::uint64_t kWordBits = 128;  // of the memory of register arrays, and of block writes

// Refuses a handle that is none of the program's objects.
template <class Object>
void check(const Object* handle, const std::deque<Object>& objects, std::string_view kind, const p4::Program& program) {
  const auto is_it = [&](const Object& object) { return &object == handle; };
  if (std::any_of(objects.begin(), objects.end(), is_it)) return;
  throw WrongProgram(handle ? fmt::format("the {} '{}' is of another program than the switch's '{}'", kind,
                                          handle->name, program.name())
                            : fmt::format("no {} of the switch's program '{}' is given", kind, program.name()));
}

template <class Memory>
bool uses(const std::vector<const Memory*>& used, const Memory* object) {
  return std::find(used.begin(), used.end(), object) != used.end();
}
bool uses(const p4::ProgramNode& node, const p4::Table* table) {
  return node.control->table == table;
}
bool uses(const p4::ProgramNode& node, const p4::RegisterArray* array) {
  return uses(node.arrays, array);
}
bool uses(const p4::ProgramNode& node, const p4::Meter* meter) {
  return uses(node.meters, meter);
}
bool uses(const p4::ProgramNode& node, const p4::Counter* counter) {
  return uses(node.counters, counter);
}

// An object that is in both gresses (a table in a shared block) counts as ingress.
template <class Object>
p4::Gress gress_of(const p4::Placement& placement, const Object* object) {
  const auto& graph = placement.graph();
  for (const auto node : boost::make_iterator_range(boost::vertices(graph))) {
    if (uses(graph[node], object)) return graph[node].gress;
  }
  return p4::Gress::ingress;
}

// Where an object's state is in the pipe.
template <class Object>
std::pair<p4::Gress, int> location_of(const p4::Pipeline& pipeline, const Object* object) {
  return {gress_of(pipeline.placement(), object), std::max(0, pipeline.placement().stage_of(*object))};
}
std::pair<p4::Gress, int> location_of(const p4::Pipeline& pipeline, const p4::ValueSet* set) {
  for (const auto& state : pipeline.program().parser(p4::Gress::egress).states) {
    for (const auto& c : state.cases) {
      if (c.set == set) return {p4::Gress::egress, SlotAccess::kParser};
    }
  }
  return {p4::Gress::ingress, SlotAccess::kParser};
}

// The objects of one kind that a program has.
template <class Object>
struct Declared {
  const std::deque<Object>& objects;
  std::string_view kind;
  std::uint32_t first;  // number of the first in the event log
};
Declared<p4::RegisterArray> declared(const p4::Program& program, const p4::RegisterArray*) {
  return {program.arrays(), "register array", 0};
}
Declared<p4::Table> declared(const p4::Program& program, const p4::Table*) {
  return {program.tables(), "table", p4::kTableObjects};
}
Declared<p4::Meter> declared(const p4::Program& program, const p4::Meter*) {
  return {program.meters(), "meter", p4::kMeterObjects};
}
Declared<p4::Counter> declared(const p4::Program& program, const p4::Counter*) {
  return {program.counters(), "counter", p4::kCounterObjects};
}
Declared<p4::ValueSet> declared(const p4::Program& program, const p4::ValueSet*) {
  return {program.value_sets(), "value set", p4::kValueSetObjects};
}

// Refuses an index where a key is asked for, and the other way round.
template <class Memory>
void check_entry(const Memory& memory, const ControlCpu::EntryRef& entry) {
  if (entry.index.has_value() == (memory.direct == nullptr)) return;
  throw std::runtime_error(
      memory.direct
          ? fmt::format("'{}' belongs to the entries of table '{}': a key says which", memory.name, memory.direct->name)
          : fmt::format("'{}' belongs to no table: an index says which entry", memory.name));
}

// The entry of a meter or counter; nothing if the table has it no more.
template <class Memory>
std::optional<std::uint64_t> entry_in(const p4::Pipeline& pipeline, const Memory& memory,
                                      const ControlCpu::EntryRef& entry) {
  return memory.direct ? pipeline.entry_number(*memory.direct, entry.key, entry.priority) : entry.index;
}

// How the event log has a key with its priority, and an entry's data: as one number.
std::uint64_t fold(const std::vector<std::uint64_t>& words) {
  std::uint64_t folded = words.size();
  for (const auto word : words) folded = folded * 0x9e3779b97f4a7c15 + word;
  return folded;
}
std::uint64_t fold(const std::vector<p4::KeyMatch>& key, std::uint32_t priority) {
  std::vector<std::uint64_t> words;
  for (const p4::KeyMatch& match : key) {
    words.push_back(match.value());
    if (match.form() != p4::KeyMatch::Form::value) {
      words.insert(words.end(), {match.extent(), static_cast<std::uint64_t>(match.form())});
    }
  }
  if (priority != 0) words.push_back(priority);
  return fold(words) & 0xffffffff;
}

}  // namespace

/// An object of a pipe's program, and the gress and stage that have its state.
struct ControlCpu::Target {
  unsigned pipe = 0;
  p4::Gress gress = p4::Gress::ingress;
  int stage = 0;
  std::uint32_t object = 0;  // in the event log
};

/// What an operation meets in its slot.
struct ControlCpu::Slot {
  p4::Pipeline& pipeline;
  SwitchChassis& chassis;
  const Target& target;
  sim::Time at;     // the nominal instant of the target's stage
  sim::Time begin;  // of the slot

  /// Notes in the event log what the target has now at an index.
  void record(std::uint64_t index, std::uint64_t value) const {
    chassis.record_state(target.pipe, {.gress = target.gress,
                                       .stage = std::max(0, target.stage),
                                       .at = at,
                                       .object_and_index = std::uint64_t{target.object} << 32 | index,
                                       .value = value});
  }
  /// Adds an entry or changes its action; whether it was there.
  bool set_entry(const p4::Table& table, const std::vector<p4::KeyMatch>& key, const p4::Action& action,
                 const std::vector<std::uint64_t>& data, std::uint32_t priority) const {
    const bool known = pipeline.modify_entry(table, key, action, data, priority);
    if (!known) pipeline.add_entry(table, key, action, data, priority);
    record(fold(key, priority), fold(data));
    return known;
  }
  void clear(const p4::Counter& counter, std::uint64_t entry) const {
    if (pipeline.counter(counter, entry) == p4::CounterValue{}) return;
    pipeline.set_counter(counter, entry, {});
    record(entry, 0);
  }
};

/// An operation that has been posted. It stays where it is until it ends.
struct ControlCpu::Operation : SlotAccess {
  Operation(ControlCpu& c, const Target& t) : cpu(c), target(t), boots(c.chassis_.boots()), number(c.posted_++) {}

  p4::Gress gress() const override { return target.gress; }
  int stage() const override { return target.stage; }
  void execute(p4::Pipeline& pipeline, sim::Time at) override {
    auto& chassis = cpu.chassis_;
    acted = at;
    const sim::Time begin = at - chassis.stage_offset(target.gress, target.stage);
    if (boots == chassis.boots()) act({pipeline, chassis, target, at, begin});
    // The answer leaves when the slot has left the ingress.
    const sim::Time back = begin + chassis.ingress_latency() + chassis.options().control_latency;
    cpu.context_.calendar.at<&ControlCpu::finish>(std::max(back, at), cpu.reply_lane_, cpu, this);
  }
  virtual void act(const Slot& slot) = 0;
  /// Tells whoever waits for the result.
  virtual void tell() = 0;

  ControlCpu& cpu;
  const Target target;
  const std::uint32_t boots;    // of the switch, when it was posted
  const std::uint64_t number;   // in the order of posting
  sim::Time acted;              // the nominal instant
  Operations::iterator listed;  // where the control CPU has it
};

/// An operation by what it does in its slot: `does(slot)` gives the result.
template <class Result, class Does>
struct ControlCpu::Doing final : Operation {
  Doing(ControlCpu& c, const Target& t, std::function<void(Result)>&& d, Does&& what)
      : Operation(c, t), done(std::move(d)), does(std::move(what)) {}
  void act(const Slot& slot) override { result = does(slot); }
  void tell() override {
    if (done) done(result);
  }

  std::function<void(Result)> done;
  Does does;
  Result result{};
};

ControlCpu::ControlCpu(RackContext& context, SwitchChassis& chassis)
    : context_(context),
      chassis_(chassis),
      request_lane_(context.calendar.add_lane(chassis.name() + "/control/request")),
      reply_lane_(context.calendar.add_lane(chassis.name() + "/control/reply")),
      gap_(sim::transmission_time(1, static_cast<std::int64_t>(chassis.options().control_operations_per_second))),
      slow_gap_(gap_) {}

ControlCpu::~ControlCpu() = default;

std::pair<p4::Gress, int> ControlCpu::place_of(const p4::Pipeline& pipeline, const p4::Table& table) {
  return location_of(pipeline, &table);
}

template <class Object>
ControlCpu::Target ControlCpu::target(unsigned pipe, const Object* object) const {
  const p4::Pipeline& pipeline = chassis_.pipeline(pipe);
  const Declared<Object> all = declared(pipeline.program(), object);
  check(object, all.objects, all.kind, pipeline.program());
  const auto [gress, stage] = location_of(pipeline, object);
  return {pipe, gress, stage, all.first + object->id};
}

// An index outside is refused when an operation is posted, not in its slot; so is all else that can be.
void ControlCpu::read(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index, Done done) {
  const Target at = target(pipe, array);
  chassis_.pipeline(pipe).registers().read(array->id, index);
  post(at, std::move(done),
       [array, index](const Slot& slot) { return slot.pipeline.registers().read(array->id, index); });
}

void ControlCpu::write(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index, std::uint64_t value,
                       Done done) {
  const Target at = target(pipe, array);
  chassis_.pipeline(pipe).registers().read(array->id, index);
  post(at, std::move(done), [array, index, value](const Slot& slot) {
    slot.pipeline.registers().write(array->id, index, value);
    slot.record(index, value);
    return std::uint64_t{1};
  });
}

void ControlCpu::clear(unsigned pipe, const p4::RegisterArray* array, Done done) {
  const Target at = target(pipe, array);
  const auto do_clear = [array](const Slot& slot) {
    auto& registers = slot.pipeline.registers();
    for (std::uint64_t entry = 0; entry < registers.size(array->id); ++entry) {
      if (registers.read(array->id, entry) == 0) continue;
      registers.write(array->id, entry, 0);
      slot.record(entry, 0);
    }
    return std::uint64_t{1};
  };
  post(at, std::move(done), do_clear, block_time(array->size * array->width.total()));
}

sim::Duration ControlCpu::block_time(std::uint64_t bits) const {
  const std::uint64_t words = (bits + kWordBits - 1) / kWordBits;
  return sim::transmission_time(static_cast<std::int64_t>(words * kWordBits),
                                static_cast<std::int64_t>(chassis_.options().control_block_bits_per_second));
}

void ControlCpu::set_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key,
                           const p4::Action* action, std::vector<std::uint64_t> data, Done done,
                           std::uint32_t priority) {
  const Target at = target(pipe, table);
  const auto& program = chassis_.pipeline(pipe).program();
  check(action, program.actions(), "action", program);
  post(at, std::move(done),
       [table, key = std::move(key), action, data = std::move(data), priority](const Slot& slot) -> std::uint64_t {
         return slot.set_entry(*table, key, *action, data, priority);
       });
}

void ControlCpu::try_set_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key,
                               const p4::Action* action, std::vector<std::uint64_t> data, std::uint32_t priority,
                               EntryDone done) {
  const Target at = target(pipe, table);
  const auto& program = chassis_.pipeline(pipe).program();
  check(action, program.actions(), "action", program);
  post(at, std::move(done),
       [table, key = std::move(key), action, data = std::move(data), priority](const Slot& slot) -> EntryAnswer {
         try {
           return {.known = slot.set_entry(*table, key, *action, data, priority)};
         } catch (const std::runtime_error& refused) {
           return {.refused = refused.what()};
         }
       });
}

void ControlCpu::read_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key,
                            std::uint32_t priority, ContentDone done) {
  post(target(pipe, table), std::move(done), [table, key = std::move(key), priority](const Slot& slot) {
    return slot.pipeline.entry(*table, key, priority);
  });
}

void ControlCpu::remove_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key, Done done,
                              std::uint32_t priority) {
  post(target(pipe, table), std::move(done),
       [table, key = std::move(key), priority](const Slot& slot) -> std::uint64_t {
         const bool known = slot.pipeline.remove_entry(*table, key, priority);
         slot.record(fold(key, priority), fold(std::vector<std::uint64_t>{}));
         return known;
       });
}

void ControlCpu::change_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask,
                              bool there, Done&& done) {
  const Target at = target(pipe, set);
  p4::Pipeline::check_value(*set, value, mask);
  post(at, std::move(done), [set, value, mask, there](const Slot& slot) -> std::uint64_t {
    const bool was_there = slot.pipeline.remove_value(*set, value, mask);
    if (there) slot.pipeline.add_value(*set, value, mask);
    slot.record(value & 0xffffffff, there);
    return was_there;
  });
}

void ControlCpu::add_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask, Done done) {
  change_value(pipe, set, value, mask, true, std::move(done));
}

void ControlCpu::remove_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask,
                              Done done) {
  change_value(pipe, set, value, mask, false, std::move(done));
}

void ControlCpu::change_replication(std::function<void(p4::ReplicationEngine&)> change, Done done) {
  post(Target{}, std::move(done), [change = std::move(change)](const Slot& slot) -> std::uint64_t {
    change(slot.chassis.replication());
    return 1;
  });
}

void ControlCpu::set_meter(unsigned pipe, const p4::Meter* meter, const EntryRef& entry, const p4::MeterRates& rates,
                           Done done) {
  const Target at = target(pipe, meter);
  check_entry(*meter, entry);
  p4::MeterMemory::check_rates(meter->name, rates);
  chassis_.pipeline(pipe).check_index(*meter, entry.index.value_or(0));
  post(at, std::move(done), [meter, entry, rates](const Slot& slot) -> std::uint64_t {
    const auto found = entry_in(slot.pipeline, *meter, entry);
    if (!found) return 0;
    slot.pipeline.set_meter(*meter, *found, rates, slot.begin);
    slot.record(*found, rates.committed);
    return 1;
  });
}

void ControlCpu::read_counter(unsigned pipe, const p4::Counter* counter, const EntryRef& entry, CounterDone done) {
  const Target at = target(pipe, counter);
  check_entry(*counter, entry);
  if (entry.index) chassis_.pipeline(pipe).counter(*counter, *entry.index);
  post(at, std::move(done), [counter, entry](const Slot& slot) {
    const auto found = entry_in(slot.pipeline, *counter, entry);
    return found ? slot.pipeline.counter(*counter, *found) : p4::CounterValue{};
  });
}

void ControlCpu::clear_counter(unsigned pipe, const p4::Counter* counter, const EntryRef& entry, Done done) {
  const Target at = target(pipe, counter);
  check_entry(*counter, entry);
  if (entry.index) chassis_.pipeline(pipe).counter(*counter, *entry.index);
  post(at, std::move(done), [counter, entry](const Slot& slot) -> std::uint64_t {
    const auto found = entry_in(slot.pipeline, *counter, entry);
    if (found) slot.clear(*counter, *found);
    return found.has_value();
  });
}

void ControlCpu::clear(unsigned pipe, const p4::Counter* counter, Done done) {
  const Target at = target(pipe, counter);
  const std::uint64_t bits = counter->unit == p4::CounterUnit::packets_and_bytes ? kWordBits : kWordBits / 2;
  const auto do_clear = [counter](const Slot& slot) {
    for (std::uint64_t entry = 0; entry < slot.pipeline.size(*counter); ++entry) slot.clear(*counter, entry);
    return std::uint64_t{1};
  };
  post(at, std::move(done), do_clear, block_time(chassis_.pipeline(pipe).size(*counter) * bits));
}

void ControlCpu::set_delay(double factor, sim::Duration added) {
  slow_gap_ = sim::Duration::from_ps(static_cast<std::int64_t>(static_cast<double>(gap_.ps()) * factor));
  added_latency_ = added;
}

template <class Result, class Does>
void ControlCpu::post(const Target& target, std::function<void(Result)>&& done, Does does, sim::Duration transfer) {
  const sim::Time start = operation_rate_.serve(context_.calendar.now(), slow_gap_ + transfer);
  last_arrival_ = std::max(start + transfer + chassis_.options().control_latency + added_latency_, last_arrival_);
  operations_.push_back(std::make_unique<Doing<Result, Does>>(*this, target, std::move(done), std::move(does)));
  Operation* operation = operations_.back().get();
  operation->listed = std::prev(operations_.end());
  context_.calendar.at<&ControlCpu::arrive>(last_arrival_, request_lane_, *this, operation);
}

void ControlCpu::arrive(Operation* operation) {
  RACKSIM_INVARIANT(operation->number == arrived_, "operations reach the pipes in the order in which they were posted");
  ++arrived_;
  chassis_.access(operation->target.pipe, *operation);
}

void ControlCpu::finish(Operation* operation) {
  const std::unique_ptr<Operation> ended = std::move(*operation->listed);
  operations_.erase(ended->listed);
  answered_ = ended->acted;
  ended->tell();
}

}  // namespace racksim::models
