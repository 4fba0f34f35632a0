// Constants of a NIC and of the CPU's part in messaging. Where the defaults come from: docs/hardware.md 7.3-7.5.
#pragma once

#include <cstdint>

#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

using namespace sim::literals;

/// One RDMA NIC of the ConnectX-5 kind.
struct NicOptions {
  sim::Duration pcie_latency = 175_ns;  ///< one way; a read from host memory takes two
  std::uint64_t pcie_bits_per_second = 100'000'000'000;
  std::uint64_t inline_bytes = 128;  ///< payloads up to this size come with the doorbell and are not read over PCIe
  std::uint64_t messages_per_second = 100'000'000;       ///< of each direction
  sim::Duration transmit_latency = 110_ns;               ///< from the engine's start on a message to its first bit
  sim::Duration receive_latency = 100_ns;                ///< from the last bit of a packet to the start of its DMA
  std::uint64_t mtu_bytes = 4096;                        ///< payload bytes in a segment of a reliable connection
  std::uint64_t receive_ring = 1024;                     ///< packets that a raw queue pair holds until they are polled
  sim::Duration rc_retransmission_timeout = 131'072_ns;  ///< 4.096 us * 2^5
  std::uint64_t rc_retry_count = 7;
  std::uint64_t rnr_retry_count = 7;     ///< 7: for ever (ibv_modify_qp(3))
  std::uint64_t rnr_timer = 12;          ///< code of the pause that a responder without receives asks for: 0.64 ms
  std::uint64_t outstanding_reads = 16;  ///< READs and atomics of a queue pair without an answer
  std::uint64_t send_queue = 4096;       ///< work requests of a queue pair that have not completed
  std::uint64_t atomics_per_second = 50'000'000;
  sim::Duration atomic_latency = 400_ns;  ///< of one atomic of a word, after which the next of the word begins
  /// What a packet takes of its sender's transmit engine beside its slot under the message rate: one of a WRITE or a
  /// SEND, of a READ's response at the responder, and of one that brings more than `long_read_bytes`.
  sim::Duration write_time, send_time, read_time, long_read_time;
  std::uint64_t long_read_bytes = 256;
  std::uint64_t queue_pair_cache = 0;  ///< queue pairs whose state fits the NIC; 0: all
  sim::Duration queue_pair_fetch;      ///< engine time to fetch the state of another

  void declare(sim::Parameters& parameters);
};

/// What the verbs cost the core that calls them. A receive includes polling and dispatch, but for what `poll` takes.
struct CpuCosts {
  sim::Duration post = 40_ns;
  sim::Duration post_more = 10_ns;
  sim::Duration receive = 60_ns;
  sim::Duration completion = 40_ns;
  sim::Duration poll = 0_ns;  ///< of each poll of a completion queue that finds something, however much it finds

  void declare(sim::Parameters& parameters);
};

}  // namespace racksim::models
