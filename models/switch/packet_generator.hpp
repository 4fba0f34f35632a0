// The packet generator of a pipe (models/hardware.md 6.1, 6.6): applications that send packets of their own into the
// pipe, by its recirculation port, once or again and again.
//
// An application fires at an instant, and then, if it has a period, after each of those: it sends its batches one after
// the other, and the packets of each. A packet is the application's template behind a header that says who sent it and
// which of the packets it is. Triggers by a port that goes down or by a recirculated packet are not modelled.
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

 private:
  struct Running {
    GeneratorApp app;
    std::uint64_t batch = 0, packet = 0;  // that comes next
    sim::Time fired;
  };
  void send(Running* running);

  RackContext& context_;
  PacketSink& sink_;
  unsigned first_port_;
  std::optional<sim::Lane> lane_;  // made for the first application, so that other runs have no lane more
  std::deque<Running> running_;
  std::uint64_t serial_ = 0;
};

}  // namespace racksim::models
