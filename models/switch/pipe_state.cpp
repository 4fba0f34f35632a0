// Recording what passes write. See pipe_state.hpp.
#include "models/switch/pipe_state.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace racksim::models {

PipeState::PipeState(RackContext& context, const SwitchTiming& timing, const SwitchName& name, unsigned number,
                     std::uint64_t stages)
    : context_(context), timing_(timing), switch_number_(name.number), number_(number) {
  constexpr std::array kBoth{p4::Gress::ingress, p4::Gress::egress};
  for (const auto gress : kBoth) {
    sources_[static_cast<std::size_t>(gress)] =
        context.event_log.add_source(fmt::format("{}/pipe{}/{}", name.text, number, p4::name_of(gress)));
  }
  for (const auto gress : kBoth) {
    for (std::uint64_t stage = 0; stage < stages; ++stage) {
      stage_sources_[static_cast<std::size_t>(gress)].push_back(context.event_log.add_source(
          fmt::format("{}/pipe{}/{}/stage{}", name.text, number, p4::name_of(gress), stage)));
    }
  }
}

void PipeState::boot(std::shared_ptr<const p4::LoadedProgram> program) {
  pipeline_ = std::make_unique<p4::Pipeline>(std::move(program));
  pipeline_->add_observer(*this);
  pipeline_->seed(context_.seed);
}

void PipeState::throw_unloaded() {
  throw std::logic_error("no program is loaded into the switch");
}

void PipeState::register_written(const p4::StateWrite& write) {
  record({.gress = gress_,
          .stage = write.stage,
          .at = start_ + timing_.stage_offset(gress_, write.stage),
          .operation = operation_,
          .object_and_index = std::uint64_t{write.array} << 32 | write.index,
          .value = write.value,
          .packet_serial = write.packet_serial});
}

void PipeState::record(const Change& change) const {
  const auto source = stage_sources_[static_cast<std::size_t>(change.gress)][static_cast<std::size_t>(change.stage)];
  context_.event_log.record(sim::Observed::switch_state, source, change.at, sim::OperationId{change.operation},
                            change.object_and_index, change.value, change.packet_serial);
  for (PacketObserver* observer : context_.packet_observers) {
    observer->switch_written({.network_switch = switch_number_,
                              .pipe = number_,
                              .at = change.at,
                              .object = static_cast<std::uint32_t>(change.object_and_index >> 32),
                              .index = static_cast<std::uint32_t>(change.object_and_index),
                              .value = change.value,
                              .packet_serial = change.packet_serial});
  }
}

}  // namespace racksim::models
