// One wire of 100 Gbit/s and 10 ns, and what comes out of it, for tests of wires and their faults.
#pragma once

#include <vector>

#include "models/wire/wire.hpp"
#include "tests/models/hardware_fixture.hpp"

namespace racksim::models::test {

using namespace racksim::sim::literals;

using Effect = TargetedFault::Effect;
using Entries = std::vector<Collector::Entry>;

struct OneWire : Hardware {
  Collector sink{*this};
  Wire wire{context, "a-b", 100'000'000'000, 10_ns, sink, 3};

  void send(std::uint64_t serial) { wire.transmit(packet(serial), calendar.now()); }
  void send_many(std::uint64_t n) {
    for (std::uint64_t i = 1; i <= n; ++i) wire.transmit(packet(i), sim::Time{});
  }
};

/// When the packet in this place, from 1, of those sent back to back from the start arrives without a fault.
inline sim::Time arrival(int place) {
  return at(10_ns + 6'720_ps * place);
}

}  // namespace racksim::models::test
