// Operations of the control CPU. See control_cpu.hpp.
#include "models/switch/control_cpu.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
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

// Refuses an index where a key is asked for, and the other way round.
template <class Memory>
void check_entry(const Memory& memory, const ControlCpu::EntryRef& entry) {
  if (entry.index.has_value() == (memory.direct == nullptr)) return;
  throw std::runtime_error(
      memory.direct
          ? fmt::format("'{}' belongs to the entries of table '{}': a key says which", memory.name, memory.direct->name)
          : fmt::format("'{}' belongs to no table: an index says which entry", memory.name));
}

}  // namespace

struct ControlCpu::Operation : SlotAccess {
  enum class Kind : std::uint8_t {
    read,
    write,
    clear,
    set_entry,
    remove_entry,
    set_meter,
    read_counter,
    clear_counter,
    clear_counters,
    add_value,
    remove_value
  };

  p4::Gress gress() const override { return gress_; }
  int stage() const override { return stage_; }
  void execute(p4::Pipeline& pipeline, sim::Time at) override {
    if (boots == cpu->chassis_.boots()) take_effect(pipeline, at);
    // The answer leaves when the slot has left the ingress.
    const auto& chassis = cpu->chassis_;
    const sim::Time slot = slot_of(at);
    const sim::Time back = slot + chassis.ingress_latency() + chassis.options().control_latency;
    cpu->context_.calendar.at<&ControlCpu::finish>(std::max(back, at), cpu->reply_lane_, *cpu, this);
  }
  sim::Time slot_of(sim::Time at) const { return at - cpu->chassis_.stage_offset(gress_, stage_); }
  // The entry of a meter or counter; nothing if the table has it no more.
  std::optional<std::uint64_t> entry_in(const p4::Pipeline& pipeline) const {
    const p4::Table* direct = meter ? meter->direct : counter->direct;
    return direct ? pipeline.entry_number(*direct, key, priority) : std::optional(index);
  }
  void name(const EntryRef& entry) {
    index = entry.index.value_or(0);
    key = entry.key;
    priority = entry.priority;
  }
  void take_effect(p4::Pipeline& pipeline, sim::Time at) {
    auto& chassis = cpu->chassis_;
    const auto record = [&](std::uint64_t object_and_index, std::uint64_t now) {
      chassis.record_state(pipe, {.gress = gress_,
                                  .stage = std::max(0, stage_),
                                  .at = at,
                                  .object_and_index = object_and_index,
                                  .value = now});
    };
    const auto record_register = [&](std::uint64_t entry, std::uint64_t now) {
      record(std::uint64_t{array} << 32 | entry, now);
    };
    switch (kind) {
      case Kind::read:
        result = pipeline.registers().read(array, index);
        break;
      case Kind::write:
        pipeline.registers().write(array, index, value);
        result = 1;
        break;
      case Kind::clear:
        for (std::uint64_t entry = 0; entry < pipeline.registers().size(array); ++entry) {
          if (pipeline.registers().read(array, entry) == 0) continue;
          pipeline.registers().write(array, entry, 0);
          record_register(entry, 0);
        }
        result = 1;
        break;
      case Kind::set_entry:
        result = pipeline.modify_entry(*table, key, *action, data, priority);
        if (!result) pipeline.add_entry(*table, key, *action, data, priority);
        break;
      case Kind::remove_entry:
        result = pipeline.remove_entry(*table, key, priority);
        break;
      case Kind::set_meter:
        if (const auto entry = entry_in(pipeline)) {
          pipeline.set_meter(*meter, *entry, rates, slot_of(at));
          record(std::uint64_t{p4::kMeterObjects + meter->id} << 32 | *entry, rates.committed);
          result = 1;
        }
        break;
      case Kind::read_counter:
        if (const auto entry = entry_in(pipeline)) count = pipeline.counter(*counter, *entry);
        break;
      case Kind::clear_counter:
        if (const auto entry = entry_in(pipeline)) {
          clear_counter(pipeline, *entry, record);
          result = 1;
        }
        break;
      case Kind::clear_counters:
        for (std::uint64_t entry = 0; entry < pipeline.size(*counter); ++entry) clear_counter(pipeline, entry, record);
        result = 1;
        break;
      case Kind::add_value:
        result = pipeline.remove_value(*set, value, mask);
        pipeline.add_value(*set, value, mask);
        break;
      case Kind::remove_value:
        result = pipeline.remove_value(*set, value, mask);
        break;
    }
    if (set) {
      const std::uint64_t there = kind == Kind::add_value;
      record(std::uint64_t{p4::kValueSetObjects + set->id} << 32 | (value & 0xffffffff), there);
    } else if (kind == Kind::write) {
      record_register(index, value);
    } else if (table) {
      const auto fold = [](const std::vector<std::uint64_t>& words) {
        std::uint64_t folded = words.size();
        for (const auto word : words) folded = folded * 0x9e3779b97f4a7c15 + word;
        return folded;
      };
      std::vector<std::uint64_t> key_words;
      for (const p4::KeyMatch& match : key) {
        key_words.push_back(match.value());
        if (match.form() != p4::KeyMatch::Form::value) {
          key_words.insert(key_words.end(), {match.extent(), static_cast<std::uint64_t>(match.form())});
        }
      }
      if (priority != 0) key_words.push_back(priority);
      record(std::uint64_t{p4::kTableObjects + table->id} << 32 | (fold(key_words) & 0xffffffff), fold(data));
    }
  }

  template <class Record>
  void clear_counter(p4::Pipeline& pipeline, std::uint64_t entry, Record record) const {
    if (pipeline.counter(*counter, entry) == p4::CounterValue{}) return;
    pipeline.set_counter(*counter, entry, {});
    record(std::uint64_t{p4::kCounterObjects + counter->id} << 32 | entry, 0);
  }

  ControlCpu* cpu = nullptr;
  std::uint32_t boots = 0;   // of the switch, when it was posted
  std::uint64_t number = 0;  // in the order of posting
  Kind kind = Kind::read;
  unsigned pipe = 0;
  p4::Gress gress_ = p4::Gress::ingress;
  int stage_ = 0;
  std::uint32_t array = 0;
  std::uint64_t index = 0, value = 0;
  const p4::Table* table = nullptr;
  const p4::Action* action = nullptr;
  const p4::Meter* meter = nullptr;
  const p4::Counter* counter = nullptr;
  const p4::ValueSet* set = nullptr;
  std::uint64_t mask = 0;
  p4::MeterRates rates;
  p4::CounterValue count;
  CounterDone counter_done;
  std::vector<p4::KeyMatch> key;
  std::uint32_t priority = 0;
  std::vector<std::uint64_t> data;
  Done done;
  std::uint64_t result = 0;
};

ControlCpu::ControlCpu(RackContext& context, SwitchChassis& chassis)
    : context_(context),
      chassis_(chassis),
      request_lane_(context.calendar.add_lane(chassis.name() + "/control/request")),
      reply_lane_(context.calendar.add_lane(chassis.name() + "/control/reply")),
      gap_(sim::transmission_time(1, static_cast<std::int64_t>(chassis.options().control_operations_per_second))),
      slow_gap_(gap_) {}

ControlCpu::~ControlCpu() = default;

template <class Object>
std::unique_ptr<ControlCpu::Operation> ControlCpu::make_operation(unsigned pipe, const Object* object,
                                                                  const std::deque<Object>& objects,
                                                                  std::string_view kind, Done&& done) {
  const auto& pipeline = chassis_.pipeline(pipe);
  check(object, objects, kind, pipeline.program());
  auto operation = std::make_unique<Operation>();
  operation->pipe = pipe;
  operation->stage_ = std::max(0, pipeline.placement().stage_of(*object));
  operation->gress_ = gress_of(pipeline.placement(), object);
  operation->done = std::move(done);
  return operation;
}

std::unique_ptr<ControlCpu::Operation> ControlCpu::operation_on(unsigned pipe, const p4::RegisterArray* array,
                                                                Done&& done) {
  const auto& arrays = chassis_.pipeline(pipe).program().arrays();
  auto operation = make_operation(pipe, array, arrays, "register array", std::move(done));
  operation->array = array->id;
  return operation;
}

std::unique_ptr<ControlCpu::Operation> ControlCpu::operation_on(unsigned pipe, const p4::Table* table, Done&& done) {
  const auto& tables = chassis_.pipeline(pipe).program().tables();
  auto operation = make_operation(pipe, table, tables, "table", std::move(done));
  operation->table = table;
  return operation;
}

std::unique_ptr<ControlCpu::Operation> ControlCpu::operation_on(unsigned pipe, const p4::Meter* meter, Done&& done) {
  const auto& meters = chassis_.pipeline(pipe).program().meters();
  auto operation = make_operation(pipe, meter, meters, "meter", std::move(done));
  operation->meter = meter;
  return operation;
}

std::unique_ptr<ControlCpu::Operation> ControlCpu::operation_on(unsigned pipe, const p4::Counter* counter,
                                                                Done&& done) {
  const auto& counters = chassis_.pipeline(pipe).program().counters();
  auto operation = make_operation(pipe, counter, counters, "counter", std::move(done));
  operation->counter = counter;
  return operation;
}

std::unique_ptr<ControlCpu::Operation> ControlCpu::operation_on(unsigned pipe, const p4::ValueSet* set,
                                                                std::uint64_t value, std::uint64_t mask, Done&& done) {
  const auto& program = chassis_.pipeline(pipe).program();
  check(set, program.value_sets(), "value set", program);
  p4::Pipeline::check_value(*set, value, mask);
  auto operation = std::make_unique<Operation>();
  operation->pipe = pipe;
  operation->set = set;
  operation->value = value;
  operation->mask = mask;
  operation->stage_ = SlotAccess::kParser;
  for (const auto& state : program.parser(p4::Gress::egress).states) {
    for (const auto& c : state.cases) {
      if (c.set == set) operation->gress_ = p4::Gress::egress;
    }
  }
  operation->done = std::move(done);
  return operation;
}

void ControlCpu::add_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask, Done done) {
  auto operation = operation_on(pipe, set, value, mask, std::move(done));
  operation->kind = Operation::Kind::add_value;
  post(std::move(operation));
}

void ControlCpu::remove_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask,
                              Done done) {
  auto operation = operation_on(pipe, set, value, mask, std::move(done));
  operation->kind = Operation::Kind::remove_value;
  post(std::move(operation));
}

void ControlCpu::read(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index, Done done) {
  auto operation = operation_on(pipe, array, std::move(done));
  chassis_.pipeline(pipe).registers().read(array->id, index);  // an index outside is refused now, not in the slot
  operation->kind = Operation::Kind::read;
  operation->index = index;
  post(std::move(operation));
}

void ControlCpu::write(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index, std::uint64_t value,
                       Done done) {
  auto operation = operation_on(pipe, array, std::move(done));
  chassis_.pipeline(pipe).registers().read(array->id, index);
  operation->kind = Operation::Kind::write;
  operation->index = index;
  operation->value = value;
  post(std::move(operation));
}

void ControlCpu::clear(unsigned pipe, const p4::RegisterArray* array, Done done) {
  auto operation = operation_on(pipe, array, std::move(done));
  operation->kind = Operation::Kind::clear;
  post(std::move(operation), block_time(array->size * array->width.total()));
}

sim::Duration ControlCpu::block_time(std::uint64_t bits) const {
  const std::uint64_t words = (bits + kWordBits - 1) / kWordBits;
  return sim::transmission_time(static_cast<std::int64_t>(words * kWordBits),
                                static_cast<std::int64_t>(chassis_.options().control_block_bits_per_second));
}

void ControlCpu::set_meter(unsigned pipe, const p4::Meter* meter, const EntryRef& entry, const p4::MeterRates& rates,
                           Done done) {
  auto operation = operation_on(pipe, meter, std::move(done));
  check_entry(*meter, entry);
  // What the meter refuses is refused now, not in the slot.
  p4::MeterMemory::check_rates(meter->name, rates);
  chassis_.pipeline(pipe).check_index(*meter, entry.index.value_or(0));
  operation->kind = Operation::Kind::set_meter;
  operation->name(entry);
  operation->rates = rates;
  post(std::move(operation));
}

void ControlCpu::read_counter(unsigned pipe, const p4::Counter* counter, const EntryRef& entry, CounterDone done) {
  auto operation = operation_on(pipe, counter, {});
  check_entry(*counter, entry);
  if (entry.index) chassis_.pipeline(pipe).counter(*counter, *entry.index);
  operation->kind = Operation::Kind::read_counter;
  operation->name(entry);
  operation->counter_done = std::move(done);
  post(std::move(operation));
}

void ControlCpu::clear_counter(unsigned pipe, const p4::Counter* counter, const EntryRef& entry, Done done) {
  auto operation = operation_on(pipe, counter, std::move(done));
  check_entry(*counter, entry);
  if (entry.index) chassis_.pipeline(pipe).counter(*counter, *entry.index);
  operation->kind = Operation::Kind::clear_counter;
  operation->name(entry);
  post(std::move(operation));
}

void ControlCpu::clear(unsigned pipe, const p4::Counter* counter, Done done) {
  auto operation = operation_on(pipe, counter, std::move(done));
  operation->kind = Operation::Kind::clear_counters;
  const std::uint64_t bits = counter->unit == p4::CounterUnit::packets_and_bytes ? kWordBits : kWordBits / 2;
  post(std::move(operation), block_time(chassis_.pipeline(pipe).size(*counter) * bits));
}

void ControlCpu::set_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key,
                           const p4::Action* action, std::vector<std::uint64_t> data, Done done,
                           std::uint32_t priority) {
  auto operation = operation_on(pipe, table, std::move(done));
  const auto& program = chassis_.pipeline(pipe).program();
  check(action, program.actions(), "action", program);
  operation->kind = Operation::Kind::set_entry;
  operation->action = action;
  operation->key = std::move(key);
  operation->priority = priority;
  operation->data = std::move(data);
  post(std::move(operation));
}

void ControlCpu::remove_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key, Done done,
                              std::uint32_t priority) {
  auto operation = operation_on(pipe, table, std::move(done));
  operation->kind = Operation::Kind::remove_entry;
  operation->key = std::move(key);
  operation->priority = priority;
  post(std::move(operation));
}

void ControlCpu::set_delay(double factor, sim::Duration added) {
  slow_gap_ = sim::Duration::from_ps(static_cast<std::int64_t>(static_cast<double>(gap_.ps()) * factor));
  added_latency_ = added;
}

void ControlCpu::post(std::unique_ptr<Operation> operation, sim::Duration transfer) {
  operation->cpu = this;
  operation->boots = chassis_.boots();
  operation->number = posted_++;
  const sim::Time start = std::max(context_.calendar.now(), free_at_);
  free_at_ = start + slow_gap_ + transfer;
  last_arrival_ = std::max(start + transfer + chassis_.options().control_latency + added_latency_, last_arrival_);
  ++outstanding_;
  context_.calendar.at<&ControlCpu::arrive>(last_arrival_, request_lane_, *this, operation.get());
  operations_.push_back(std::move(operation));
}

void ControlCpu::arrive(Operation* operation) {
  RACKSIM_INVARIANT(operation->number == arrived_, "operations reach the pipes in the order in which they were posted");
  ++arrived_;
  chassis_.access(operation->pipe, *operation);
}

void ControlCpu::finish(Operation* operation) {
  RACKSIM_INVARIANT(outstanding_ > 0, "an operation that ends was outstanding");
  --outstanding_;
  const auto found =
      std::find_if(operations_.begin(), operations_.end(), [&](const auto& owned) { return owned.get() == operation; });
  RACKSIM_INVARIANT(found != operations_.end(), "an operation ends once");
  const std::unique_ptr<Operation> owned = std::move(*found);
  operations_.erase(found);
  if (owned->done) owned->done(owned->result);
  if (owned->counter_done) owned->counter_done(owned->count);
}

}  // namespace racksim::models
