// From cycles of the placed program to durations. See switch_timing.hpp.
#include "models/switch/switch_timing.hpp"

namespace racksim::models {

SwitchTiming::SwitchTiming(const SwitchOptions& options)
    : options_(options), cycle_(cycles(1)), copy_gap_(cycles(options.copy_cycles)) {}

sim::Duration SwitchTiming::cycles(std::uint64_t n) const {
  return sim::transmission_time(static_cast<std::int64_t>(n), static_cast<std::int64_t>(options_.clock_hz));
}

void SwitchTiming::use(const p4::Pipeline& pipeline) {
  for (const auto gress : {p4::Gress::ingress, p4::Gress::egress}) {
    auto& offsets = stage_offsets_[static_cast<std::size_t>(gress)];
    offsets.clear();
    std::uint64_t before = options_.pipe.turn_cycles;
    const auto parser = gress == p4::Gress::ingress ? options_.parser_latency : sim::Duration{};
    for (int stage = 0; stage < pipeline.stages(); ++stage) {
      offsets.push_back(parser + cycles(before));
      before += pipeline.latency_cycles(gress, stage);
    }
  }
  ingress_latency_ =
      options_.parser_latency + cycles(pipeline.latency_cycles(p4::Gress::ingress)) + options_.deparser_latency;
  egress_latency_ = cycles(pipeline.latency_cycles(p4::Gress::egress)) + options_.deparser_latency;
  egress_uses_registers_ = pipeline.egress_uses_registers();
}

}  // namespace racksim::models
