// Meters and counters of a pipeline: what passes and the control plane do to them. See pipeline.hpp.
#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

void Pipeline::run_meter(const MeterCode& code, Pass& pass) {
  const Meter& meter = program_.meters()[code.meter];
  const auto index = pass.phv_[code.index];
  const auto before = colour_of(pass.phv_[code.pre_colour]);
  const std::uint64_t amount = meter.unit == MeterUnit::packets ? 1 : pass.packet_->frame_bytes();
  auto& memory = meter_memories_[code.meter];
  const auto tokens = observers_.empty() ? 0 : memory.tokens(index);
  const auto after = memory.execute(index, amount, before, pass.begin_);
  pass.phv_[code.colour] = static_cast<std::uint64_t>(after);
  if (!observers_.empty() && memory.tokens(index) != tokens) {
    tell_write(kMeterObjects + code.meter, index, memory.tokens(index), code.stage, *pass.packet_);
  }
  if (watcher_) {
    watcher_->metered({.meter = &meter, .index = index, .amount = amount, .before = before, .after = after});
  }
}

void Pipeline::run_counter(const CounterCode& code, Pass& pass) {
  const auto index = pass.phv_[code.index];
  const auto& value = counter_memories_[code.counter].count(index, pass.packet_->frame_bytes());
  tell_write(kCounterObjects + code.counter, index, value.bytes ? value.bytes : value.packets, code.stage,
             *pass.packet_);
  if (watcher_) {
    watcher_->counted({.counter = &program_.counters()[code.counter], .index = index, .after = value});
  }
}

void Pipeline::tell_write(std::uint32_t object, std::uint64_t index, std::uint64_t value, std::int32_t stage,
                          const Packet& packet) const {
  const StateWrite write{.array = object,
                         .index = static_cast<std::uint32_t>(index),
                         .value = value,
                         .stage = stage,
                         .packet_serial = packet.serial};
  for (StateWriteObserver* observer : observers_) observer->register_written(write);
}

void Pipeline::set_meter(const Meter& meter, std::uint64_t index, const MeterRates& rates, sim::Time now) {
  meter_memories_.at(meter.id).set(index, rates, now);
}

CounterValue Pipeline::counter(const Counter& counter, std::uint64_t index) const {
  return counter_memories_.at(counter.id).at(index);
}

void Pipeline::set_counter(const Counter& counter, std::uint64_t index, const CounterValue& value) {
  counter_memories_.at(counter.id).set(index, value);
}

std::optional<std::uint64_t> Pipeline::entry_number(const Table& table, std::span<const KeyMatch> key,
                                                    std::uint32_t priority) const {
  const auto entry = table.in_tcam() ? ternary_.at(table.id)->entry_of(key, priority)
                                     : tables_.at(table.id).find(loaded_->exact_key(table, key, priority));
  if (entry < 0) return std::nullopt;
  return static_cast<std::uint64_t>(entry);
}

void Pipeline::begin_entry(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority) {
  const auto entry = entry_number(table, key, priority);
  for (const auto& meter : program_.meters()) {
    if (meter.direct == &table) meter_memories_[meter.id].reset(*entry);
  }
  for (const auto& counter : program_.counters()) {
    if (counter.direct == &table) counter_memories_[counter.id].set(*entry, {});
  }
}

}  // namespace racksim::p4
