// The ports of the switch: their numbers, the pipes that they belong to, and the wires that leave by them
// (docs/hardware.md 6.1, 7.5).
//
//   0 .. ports - 1              front ports, where servers are plugged in
//   ports .. ports + pipes - 1  the recirculation port of each pipe: its wire is a loopback to the pipe's own slots
//   ports + pipes               the port behind which the control CPU's packets come and go, in the first pipe
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/switch_name.hpp"
#include "models/switch/switch_options.hpp"
#include "models/wire/wire.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::models {

class SwitchPorts {
 public:
  explicit SwitchPorts(const SwitchOptions& options);

  unsigned pipes() const { return pipes_; }
  unsigned cpu_port() const { return front_ + pipes_; }
  unsigned recirculation_port(unsigned pipe) const { return front_ + pipe; }
  std::size_t size() const { return outgoing_.size(); }

  bool is_front(unsigned port) const { return port < front_; }
  bool recirculates(unsigned port) const { return port >= front_ && port != cpu_port(); }
  /// The pipe of a port that there is.
  unsigned pipe_of(unsigned port) const { return pipe_at_[port]; }

  /// Plugs in the wire that leaves at a front port or at the control CPU's. Throws std::runtime_error for another.
  void plug(unsigned port, Wire& outgoing);
  /// Makes the loopback of the next pipe, in the order of pipes; it ends at `sink`.
  void add_loopback(RackContext& context, const SwitchName& name, PacketSink& sink);

  /// The wire that leaves by a port; null if there is none, or no such port.
  Wire* wire(unsigned port) const { return port < outgoing_.size() ? outgoing_[port] : nullptr; }
  Wire& loopback(unsigned pipe) const { return *loopbacks_[pipe]; }
  /// Lets all loopbacks work, or lose what is on them.
  void set_loopbacks_up(bool up);
  /// Lets the wires that leave by the ports of a pipe work, its loopback among them, or lose what is on them.
  void set_pipe_up(unsigned pipe, bool up);
  /// Packets on loopbacks.
  std::uint64_t in_loopbacks() const;

 private:
  const SwitchOptions& options_;
  unsigned front_, pipes_;
  std::vector<unsigned> pipe_at_;  // by port, since to compute it costs a division
  std::vector<Wire*> outgoing_;    // by port
  std::vector<std::unique_ptr<Wire>> loopbacks_;
};

/// How many packets are in a part of the switch, and how many of them circulate: they came by a recirculation port, or
/// go to one.
class HeldPackets {
 public:
  explicit HeldPackets(const SwitchPorts& ports) : ports_(ports) {}
  void add(unsigned port) {
    ++all_;
    circulating_ += ports_.recirculates(port);
  }
  void remove(unsigned port) {
    RACKSIM_INVARIANT(all_ > 0 && circulating_ >= std::uint64_t{ports_.recirculates(port)},
                      "a packet that leaves a part of the switch was in it");
    --all_;
    circulating_ -= ports_.recirculates(port);
  }
  std::uint64_t all() const { return all_; }
  std::uint64_t circulating() const { return circulating_; }

 private:
  const SwitchPorts& ports_;
  std::uint64_t all_ = 0, circulating_ = 0;
};

}  // namespace racksim::models
