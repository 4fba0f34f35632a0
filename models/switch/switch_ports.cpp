// Numbers and wires of ports. See switch_ports.hpp.
#include "models/switch/switch_ports.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::models {

SwitchPorts::SwitchPorts(const SwitchOptions& options)
    : options_(options),
      front_(static_cast<unsigned>(options.ports)),
      pipes_(static_cast<unsigned>((options.ports + options.ports_per_pipe - 1) / options.ports_per_pipe)),
      outgoing_(front_ + pipes_ + 1) {
  for (unsigned port = 0; port < front_; ++port) {
    pipe_at_.push_back(port / static_cast<unsigned>(options.ports_per_pipe));
  }
  for (unsigned pipe = 0; pipe < pipes_; ++pipe) pipe_at_.push_back(pipe);
  pipe_at_.push_back(0);  // the control CPU's
}

void SwitchPorts::plug(unsigned port, Wire& outgoing) {
  if (!is_front(port) && port != cpu_port()) {
    throw std::runtime_error(fmt::format("the switch has no port {}: it has {}", port, front_));
  }
  outgoing_[port] = &outgoing;
}

void SwitchPorts::add_loopback(RackContext& context, const SwitchName& name, PacketSink& sink) {
  const auto pipe = static_cast<unsigned>(loopbacks_.size());
  const unsigned port = recirculation_port(pipe);
  outgoing_[port] = loopbacks_
                        .emplace_back(std::make_unique<Wire>(
                            context, fmt::format("{}-recirculation{}", name.text, pipe),
                            options_.recirculation_bits_per_second, options_.recirculation_latency, sink, port))
                        .get();
}

void SwitchPorts::set_loopbacks_up(bool up) {
  for (auto& wire : loopbacks_) wire->set_up(up);
}

void SwitchPorts::set_pipe_up(unsigned pipe, bool up) {
  for (unsigned port = 0; port < cpu_port(); ++port) {
    if (pipe_of(port) == pipe && outgoing_[port]) outgoing_[port]->set_up(up);
  }
}

std::uint64_t SwitchPorts::in_loopbacks() const {
  std::uint64_t packets = 0;
  for (const auto& wire : loopbacks_) packets += wire->in_flight();
  return packets;
}

}  // namespace racksim::models
