// A small menu of faults. See fault_draws.hpp.
#include "tools/fault_draws.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace racksim::tools {
namespace {

using sim::Duration;
using sim::RandomStream;

JsonValue nanoseconds(std::uint64_t ns) {
  return fmt::format("{}ns", ns);
}

template <class T>
T one_of(RandomStream& stream, std::initializer_list<T> values) {
  return values.begin()[stream.below(values.size())];
}

/// Half the time the whole run, else a window that begins somewhere in it.
void draw_window(RandomStream& stream, JsonValue& fault, std::uint64_t length_ns) {
  const bool whole = stream.chance(0.5);
  const std::uint64_t from = stream.below(length_ns), length = 1000 + stream.below(length_ns);
  if (whole) return;
  fault.set("from", nanoseconds(from));
  fault.set("until", nanoseconds(from + length));
}

/// Half the time all wires, else those of one node, or one of its two.
void draw_wires(RandomStream& stream, JsonValue& fault, std::uint64_t nodes) {
  const bool all = stream.chance(0.5);
  const std::uint64_t node = stream.below(nodes);
  const char* direction = one_of(stream, {"both", "to_switch", "from_switch"});
  if (!all) fault.set("node", node);
  fault.set("direction", direction);
}

JsonValue draw_noise(RandomStream& stream, std::uint64_t nodes, std::uint64_t length_ns) {
  JsonValue fault;
  fault.set("kind", "noise");
  draw_window(stream, fault, length_ns);
  draw_wires(stream, fault, nodes);
  if (stream.chance(0.5)) fault.set("loss", one_of(stream, {0.002, 0.02, 0.1}));
  if (stream.chance(0.5)) fault.set("duplicate", one_of(stream, {0.01, 0.1, 0.3}));
  if (stream.chance(0.5)) {
    fault.set("reorder", one_of(stream, {0.01, 0.1, 0.3}));
    fault.set("reorder_delay", one_of(stream, {"1us", "5us", "20us", "60us"}));
  }
  if (stream.chance(0.25)) {
    // A wire leaves its bad state by packets alone: on a quiet one all that come may be one packet's eight tries.
    fault.set("burst_enter", 0.02);
    fault.set("burst_leave", 0.5);
    fault.set("burst_loss", 0.5);
  }
  if (stream.chance(0.25)) {
    fault.set("spike", one_of(stream, {0.001, 0.02}));
    fault.set("spike_delay", one_of(stream, {"5us", "30us"}));
  }
  return fault;
}

JsonValue draw_drop(RandomStream& stream, std::uint64_t nodes) {
  JsonValue fault;
  fault.set("kind", "drop");
  draw_wires(stream, fault, nodes);
  fault.set("header", "ethernet");
  fault.set("first", 1 + stream.below(200));
  fault.set("count", 1 + stream.below(4));
  return fault;
}

JsonValue draw_down(RandomStream& stream, std::uint64_t nodes, std::uint64_t length_ns) {
  JsonValue fault;
  fault.set("kind", "down");
  const std::uint64_t from = stream.below(length_ns);
  fault.set("from", nanoseconds(from));
  // A reliable connection gives up after seven time-outs of 131 us.
  fault.set("until", nanoseconds(from + 1000 + stream.below(300'000)));
  fault.set("node", stream.below(nodes));
  fault.set("direction", one_of(stream, {"both", "to_switch", "from_switch"}));
  return fault;
}

}  // namespace

JsonValue draw_faults(RandomStream& stream, std::uint64_t nodes, Duration length) {
  const std::uint64_t length_ns = std::max<std::uint64_t>(static_cast<std::uint64_t>(length.ps()) / 1000, 1);
  const bool noise = stream.chance(0.6), drop = stream.chance(0.4), down = stream.chance(0.3);
  JsonValue faults = JsonValue::array();
  if (noise) faults.push(draw_noise(stream, nodes, length_ns));
  if (drop) faults.push(draw_drop(stream, nodes));
  if (down) faults.push(draw_down(stream, nodes, length_ns));
  return faults;
}

}  // namespace racksim::tools
