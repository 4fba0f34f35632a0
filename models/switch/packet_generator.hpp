// The packet generator of a pipe (docs/hardware.md 6.1, 6.6): applications that send packets of their own into the
// pipe, by its recirculation port.
//
// An application fires at an instant, and then, if it has a period, after each of those; or when a front port of its
// pipe goes down; or when a packet comes by the pipe's recirculation port whose first 32 bits match. Then it sends its
// batches one after the other, and the packets of each. A packet is the application's template behind a header that
// says who sent it, which of the packets it is, and why.
//
// What happens while an application is busy sending is not published. Here ports that go down wait for their turn, once
// each, and a packet that matches is let pass.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "models/packets/rack_context.hpp"
#include "models/wire/wire.hpp"
#include "p4model/language/packet.hpp"

namespace racksim::models {

/// What the control plane loads for an application.
struct GeneratorApp {
  static constexpr unsigned kMostApps = 8;
  unsigned app = 0;  ///< 0 to 7
  unsigned pipe = 0;
  enum class Trigger : std::uint8_t { time, port_down, recirculation } trigger = Trigger::time;
  std::uint32_t match = 0, mask = 0;        ///< of the first 32 bits of a recirculated packet
  sim::Time first{};                        ///< when it fires first
  std::optional<sim::Duration> period{};    ///< until it fires again; once when not given
  std::uint64_t batches = 1, packets = 1;   ///< each time it fires, and a batch: 1 to 65,536
  sim::Duration batch_gap{}, packet_gap{};  ///< between the beginnings of two batches, and of two packets of one
  const p4::Packet* packet = nullptr;       ///< what it sends; must outlive the run
};

class PacketGenerator {
 public:
  /// Packets go to `sink`, at the recirculation port of their pipe: that of pipe 0 is `first_port`.
  PacketGenerator(RackContext& context, PacketSink& sink, unsigned first_port)
      : context_(context), sink_(sink), first_port_(first_port) {}
  PacketGenerator(const PacketGenerator&) = delete;
  PacketGenerator& operator=(const PacketGenerator&) = delete;

  /// Starts an application, before its first instant. Throws std::runtime_error for numbers out of range, and for a
  /// period in which its packets have no time.
  void start(const GeneratorApp& app);
  /// A front port of a pipe has gone down.
  void port_went_down(unsigned pipe, unsigned port);
  /// A packet has come by a pipe's recirculation port; those of the generator itself are none of these.
  void came_round(unsigned pipe, const p4::Packet& packet);
  /// Whether it looks at what comes round.
  bool looks_at_recirculation() const { return looks_; }

 private:
  struct Running {
    GeneratorApp app;
    std::uint64_t batch = 0, packet = 0;  // that comes next
    sim::Time fired{};
    bool busy = false;
    std::uint32_t key = 0;                // of its packets: the port, or bits of the packet that came round
    std::deque<std::uint32_t> waiting{};  // ports that went down while it was busy
  };
  void fire(Running& running, std::uint32_t key, sim::Time when);
  /// What the running one does behind its last packet.
  void end(Running& running);
  void send(Running* running);

  RackContext& context_;
  PacketSink& sink_;
  unsigned first_port_;
  std::optional<sim::Lane> lane_;  // made for the first application, so that other runs have no lane more
  std::deque<Running> running_;
  std::uint64_t serial_ = 0;
  bool looks_ = false, sending_ = false;
};

}  // namespace racksim::models
