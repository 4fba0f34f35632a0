// Declarations of the switch's constants. See switch_options.hpp.
#include "models/switch/switch_options.hpp"

namespace racksim::models {

void SwitchOptions::declare(sim::Parameters& p) {
  p.integer("switch.ports", ports, 1, kMostPorts, "Front-panel ports.");
  p.integer(
       "switch.port_bits", port_bits, p4::kPortBits, 12,
       "Bits of a port's number in plain forwarding. Tofino's 9, of which all ones stand for none, number 511 ports "
       "with those of recirculation and control CPU; more bits are of a larger switch than there is. Programs of "
       "protocols have 9.")
      .neutral(p4::kPortBits);
  p.integer("switch.ports_per_pipe", ports_per_pipe, 1, 64, "Ports that share a pipe and its state.");
  p.integer("switch.port_packet_rate", port_packets_per_second, 0, 10'000'000'000,
            "Packets a second that a front port takes in each direction, however short they are; 0: no such limit.")
      .neutral(0);
  p.integer("switch.clock", clock_hz, 1'000'000, 10'000'000'000, "Pipe clock in Hz; a pipe starts one pass a cycle.");
  p.length("switch.parser_latency", parser_latency, 0_ps, 1_ms, "Receiving MAC and parser, per ingress pass.");
  p.length("switch.deparser_latency", deparser_latency, 0_ps, 1_ms, "Deparser, per pass.");
  p.length("switch.traffic_manager_latency", traffic_manager_latency, 0_ps, 1_ms,
           "From the ingress deparser to the head of an empty queue.");
  p.rate("switch.recirculation_rate", recirculation_bits_per_second, 1'000'000, 10'000'000'000'000,
         "Rate of the recirculation port of each pipe.");
  p.length("switch.recirculation_latency", recirculation_latency, 0_ps, 1_ms,
           "Propagation of a recirculation port's loopback, from its transmitter to the pipe's parser.");
  p.size("switch.cell", cell_bytes, 1, 4096, "Bytes in a buffer cell.");
  p.integer("switch.buffer_cells", buffer_cells, 1, 100'000'000, "Cells of the shared packet buffer.");
  p.integer("switch.queue_cells", queue_cells, 0, 100'000'000,
            "Cells that each queue may hold whatever the others do, while the buffer has room.");
  p.real("switch.queue_share", queue_share, 0, 1000, "Share of the free buffer that a queue may hold beyond that.");
  p.integer("switch.copy_cycles", copy_cycles, 0, 1000, "Clock cycles between two copies of a multicast packet.");
  p.length("switch.control_latency", control_latency, 0_ps, 1_s, "One way between the control CPU and a pipe.");
  p.integer("switch.control_rate", control_operations_per_second, 1, 1'000'000'000,
            "Register and table operations a second that the control CPU can make.");
  p.rate("switch.control_block_rate", control_block_bits_per_second, 1'000'000, 10'000'000'000'000,
         "Rate at which block writes of the control CPU cross PCIe.");
  p.rate("switch.cpu_port_rate", cpu_port_bits_per_second, 1'000'000, 10'000'000'000'000,
         "Rate of the control CPU's network port; its latency is control_latency.");
  p.object("switch.pipe", pipe);
}

}  // namespace racksim::models
