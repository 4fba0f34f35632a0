// What a switch counts of packets and slots, registered under its name: "switch.packets_in".
#pragma once

#include <string>

#include "sim/metrics/metrics.hpp"

namespace racksim::models {

struct SwitchCounters {
  sim::Metrics& m;
  std::string name;
  sim::Counter& packets_in = m.counter(name + ".packets_in", "packets", "Packets that arrived at front ports.");
  sim::Counter& packets_out = m.counter(name + ".packets_out", "packets", "Packets that left by front ports.");
  sim::Counter& passes = m.counter(name + ".ingress_passes", "passes", "Ingress passes, second ones included.");
  sim::Counter& resubmits = m.counter(name + ".resubmits", "packets", "Packets sent through ingress again.");
  sim::Counter& recirculations = m.counter(name + ".recirculations", "packets", "Packets sent to recirculation.");
  sim::Counter& recirculation_drops =
      m.trouble(name + ".recirculation_drops", "packets",
                "Packets and copies for which a recirculation port's queue or the buffer had no room; "
                "packets.dropped.tail_drop counts them too.");
  sim::Counter& copies_made = m.counter(name + ".multicast_copies", "packets", "Copies made by the PRE.");
  sim::Counter& control_slots =
      m.counter(name + ".control_slots", "operations", "Register and table operations of the control CPU.");
};

}  // namespace racksim::models
