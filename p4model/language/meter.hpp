// Meters and counters: memories of a stage in which a packet reaches one entry, by an index (TNA: Meter, Counter) or
// through the table's entry that it hit (DirectMeter, DirectCounter). Costs and limits: docs/hardware.md 6.8.
//
//   auto& police = program.meter("POLICE", MeterUnit::bytes, 256);
//   auto& seen = program.direct_counter("SEEN", CounterUnit::packets_and_bytes, table);
//   program.action("mark").meter(police, port, colour).count(seen);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "p4model/language/field.hpp"

namespace racksim::p4 {

struct Table;

/// What a meter makes of a packet, as the number that its field gets (TNA, MeterColor_t as Tofino encodes it).
enum class Colour : std::uint8_t { green = 0, yellow = 1, red = 3 };

/// "green", "yellow" or "red".
std::string_view name_of(Colour colour);
/// The colour that a field's value stands for; 2, which no meter gives, counts as red.
constexpr Colour colour_of(std::uint64_t value) {
  return value == 0 ? Colour::green : value == 1 ? Colour::yellow : Colour::red;
}

enum class MeterUnit : std::uint8_t { packets, bytes };
enum class CounterUnit : std::uint8_t { packets, bytes, packets_and_bytes };

std::string_view name_of(MeterUnit unit);
std::string_view name_of(CounterUnit unit);

/// What the control plane sets for a meter's entry (RFC 2698): rates in packets or bytes a second, bursts in packets or
/// bytes. Bytes are those of frames, check sequence included.
struct MeterRates {
  std::uint64_t committed = 0, peak = 0;
  std::uint64_t committed_burst = 0, peak_burst = 0;
  bool operator==(const MeterRates&) const = default;
};

/// Both parts of a counter's entry; a counter of one unit leaves the other part 0.
struct CounterValue {
  std::uint64_t packets = 0, bytes = 0;
  bool operator==(const CounterValue&) const = default;
};

/// Two-rate three-colour markers (RFC 2698). An entry that the control plane has not set is green to all.
struct Meter {
  std::string name;
  std::uint32_t id = 0;
  MeterUnit unit = MeterUnit::bytes;
  std::uint64_t size = 0;         ///< entries; of a direct one those of its table
  const Table* direct = nullptr;  ///< the table whose entries it belongs to
};

/// Counts of 64 bits each.
struct Counter {
  std::string name;
  std::uint32_t id = 0;
  CounterUnit unit = CounterUnit::packets;
  std::uint64_t size = 0;
  const Table* direct = nullptr;
};

/// One execution of a meter; without an index that of the entry which was hit.
struct MeterExecution {
  const Meter* meter;
  std::optional<Operand> index;
  FieldRef colour;                     ///< gets the colour
  std::optional<FieldRef> pre_colour;  ///< the colour that the packet has already; green when not given (colour-blind)
};

struct CounterExecution {
  const Counter* counter;
  std::optional<Operand> index;
};

}  // namespace racksim::p4
