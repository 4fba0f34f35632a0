// Digests on their way from a pipe to the control CPU (docs/hardware.md 6.6): they cross PCIe one behind the other at
// the rate of block transfers, and take the control CPU's latency.
//
// A program's pass sends at most one. While nobody listens none is kept, as a driver without a listener throws them
// away.
#pragma once

#include <optional>

#include "models/host/short_queue.hpp"
#include "models/packets/rack_context.hpp"
#include "models/switch/switch_options.hpp"
#include "p4model/execute/pipeline.hpp"

namespace racksim::models {

/// Told of each digest when it is at the control CPU.
class DigestListener {
 public:
  /// It was sent at the end of an ingress pass of this pipe.
  virtual void digest_arrived(unsigned pipe, const p4::Digest& digest) = 0;

 protected:
  ~DigestListener() = default;
};

class DigestChannel {
 public:
  DigestChannel(RackContext& context, const SwitchOptions& options) : context_(context), options_(options) {}
  DigestChannel(const DigestChannel&) = delete;
  DigestChannel& operator=(const DigestChannel&) = delete;

  /// Has a listener, which must outlive the run, told of digests. Once only, before the run.
  void listen(DigestListener& listener);
  /// Sends a digest whose pass ends at `when`. Passes of one pipe end in the order of their slots.
  void send(unsigned pipe, p4::Digest&& digest, sim::Time when);

 private:
  struct Sent {
    unsigned pipe = 0;
    p4::Digest digest{};
  };
  void arrive();

  RackContext& context_;
  const SwitchOptions& options_;
  DigestListener* listener_ = nullptr;
  std::optional<sim::Lane> lane_;  // made for who listens, so that other runs have no lane more
  sim::Time free_at_ = sim::Time::beginning();
  ShortQueue<Sent> under_way_;
};

}  // namespace racksim::models
