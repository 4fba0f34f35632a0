// What the switch counts of packets and slots, registered under "switch.".
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::models {

struct SwitchCounters {
  explicit SwitchCounters(sim::Metrics& metrics)
      : packets_in(metrics.counter("switch.packets_in", "packets", "Packets that arrived at front ports.")),
        packets_out(metrics.counter("switch.packets_out", "packets", "Packets that left by front ports.")),
        passes(metrics.counter("switch.ingress_passes", "passes", "Ingress passes, second ones included.")),
        resubmits(metrics.counter("switch.resubmits", "packets", "Packets sent through ingress again.")),
        recirculations(metrics.counter("switch.recirculations", "packets", "Packets sent to recirculation.")),
        recirculation_drops(
            metrics.counter("switch.recirculation_drops", "packets",
                            "Packets and copies for which a recirculation port's queue or the buffer had no room; "
                            "packets.dropped.tail_drop counts them too.")),
        copies_made(metrics.counter("switch.multicast_copies", "packets", "Copies made by the PRE.")),
        control_slots(metrics.counter("switch.control_slots", "operations",
                                      "Register and table operations of the control CPU.")) {}

  sim::Counter &packets_in, &packets_out, &passes, &resubmits, &recirculations, &recirculation_drops, &copies_made,
      &control_slots;
};

}  // namespace racksim::models
