// Names of what meters and counters have, and a program's declarations of them. See meter.hpp.
#include "p4model/language/meter.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "p4model/language/program.hpp"

namespace racksim::p4 {

namespace {

/// A new memory behind those there are; names are unique among those of one kind.
template <class Memory>
Memory& add_memory(std::deque<Memory>& memories, std::string name, const std::string& program, std::string_view what) {
  if (std::any_of(memories.begin(), memories.end(), [&](const Memory& memory) { return memory.name == name; })) {
    throw ProgramError(fmt::format("program '{}': {} '{}' exists twice", program, what, name));
  }
  auto& added = memories.emplace_back();
  added.name = std::move(name);
  added.id = static_cast<std::uint32_t>(memories.size() - 1);
  return added;
}

}  // namespace

std::string_view name_of(Colour colour) {
  return colour == Colour::green ? "green" : colour == Colour::yellow ? "yellow" : "red";
}

std::string_view name_of(MeterUnit unit) {
  return unit == MeterUnit::packets ? "packets" : "bytes";
}

std::string_view name_of(CounterUnit unit) {
  return unit == CounterUnit::packets ? "packets" : unit == CounterUnit::bytes ? "bytes" : "packets and bytes";
}

Meter& Program::meter(std::string meter_name, MeterUnit unit, std::uint64_t size) {
  auto& meter = add_memory(meters_, std::move(meter_name), name_, "meter");
  meter.unit = unit;
  meter.size = size;
  return meter;
}

Meter& Program::direct_meter(std::string meter_name, MeterUnit unit, const Table& table) {
  auto& made = meter(std::move(meter_name), unit, 0);
  made.direct = &table;
  return made;
}

Counter& Program::counter(std::string counter_name, CounterUnit unit, std::uint64_t size) {
  auto& counter = add_memory(counters_, std::move(counter_name), name_, "counter");
  counter.unit = unit;
  counter.size = size;
  return counter;
}

Counter& Program::direct_counter(std::string counter_name, CounterUnit unit, const Table& table) {
  auto& made = counter(std::move(counter_name), unit, 0);
  made.direct = &table;
  return made;
}

}  // namespace racksim::p4
