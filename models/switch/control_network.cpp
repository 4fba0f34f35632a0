// The control CPU's port in the network, behind the switch's CPU port. See control_cpu.hpp.
#include <stdexcept>
#include <utility>

#include "models/packets/addressing.hpp"
#include "models/switch/control_cpu.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {

void ControlCpu::listen(PacketHandler& handler) {
  if (handler_) throw std::logic_error("the control CPU's network port has a listener");
  handler_ = &handler;
  network_source_ = context_.event_log.add_source(chassis_.name() + "/control/network");
  const auto& options = chassis_.options();
  to_switch_ = std::make_unique<Wire>(context_, "control-" + chassis_.name(), options.cpu_port_bits_per_second,
                                      options.control_latency, chassis_, chassis_.cpu_port());
  from_switch_ = std::make_unique<Wire>(context_, chassis_.name() + "-control", options.cpu_port_bits_per_second,
                                        options.control_latency, *this, 0);
  chassis_.plug(chassis_.cpu_port(), *from_switch_);
}

void ControlCpu::send(p4::PacketRef&& packet, NodeId in_name_of) {
  if (!handler_) throw std::logic_error("the control CPU's network port is not plugged in");
  packet->get_at<p4::Ethernet>(0).src = mac_of(node());
  auto& ip = packet->get_at<p4::Ipv4>(1);
  auto& udp = packet->get_at<p4::Udp>(2);
  ip.src = ipv4_of(in_name_of);
  ip.total_length = packet->header_bytes() + packet->payload_bytes - p4::Ethernet::kLayout.bytes();
  udp.length = ip.total_length - p4::Ipv4::kLayout.bytes();
  packet->serial = packet_serial(node(), ++next_serial_);
  context_.accounting.create();
  context_.event_log.record(sim::Observed::message_sent, network_source_, context_.calendar.now(), packet->operation,
                            packet->serial, packet->wire_bytes());
  to_switch_->transmit(std::move(packet), context_.calendar.now());
}

void ControlCpu::receive(p4::PacketRef&& packet, unsigned) {
  context_.accounting.deliver();
  context_.event_log.record(sim::Observed::message_delivered, network_source_, context_.calendar.now(),
                            packet->operation, packet->serial);
  for (PacketObserver* observer : context_.packet_observers) {
    observer->delivered(*packet, network_source_, context_.calendar.now());
  }
  handler_->on_packet(std::move(packet));
}

std::uint64_t ControlCpu::packets_held() const {
  return handler_ ? to_switch_->in_flight() + from_switch_->in_flight() : 0;
}

}  // namespace racksim::models
