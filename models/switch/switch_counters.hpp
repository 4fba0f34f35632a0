// What a switch counts of packets and slots, registered under its name: "switch.packets_in".
#pragma once

#include <string>

#include "models/switch/switch_name.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::models {

struct SwitchCounters {
  SwitchCounters(sim::Metrics& metrics, const SwitchName& name)
      : packets_in(metrics.counter(name.text + ".packets_in", "packets", "Packets that arrived at front ports.")),
        packets_out(metrics.counter(name.text + ".packets_out", "packets", "Packets that left by front ports.")),
        passes(metrics.counter(name.text + ".ingress_passes", "passes", "Ingress passes, second ones included.")),
        resubmits(metrics.counter(name.text + ".resubmits", "packets", "Packets sent through ingress again.")),
        recirculations(metrics.counter(name.text + ".recirculations", "packets", "Packets sent to recirculation.")),
        recirculation_drops(
            metrics.counter(name.text + ".recirculation_drops", "packets",
                            "Packets and copies for which a recirculation port's queue or the buffer had no room; "
                            "packets.dropped.tail_drop counts them too.")),
        copies_made(metrics.counter(name.text + ".multicast_copies", "packets", "Copies made by the PRE.")),
        control_slots(metrics.counter(name.text + ".control_slots", "operations",
                                      "Register and table operations of the control CPU.")) {}

  sim::Counter &packets_in, &packets_out, &passes, &resubmits, &recirculations, &recirculation_drops, &copies_made,
      &control_slots;
};

}  // namespace racksim::models
