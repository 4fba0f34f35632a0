// Declarations of the NIC's constants. See nic_options.hpp.
#include "models/nic/nic_options.hpp"

namespace racksim::models {

void NicOptions::declare(sim::Parameters& p) {
  p.length("nic.pcie_latency", pcie_latency, 0_ps, 1_ms, "One-way PCIe latency; a read from host memory takes two.");
  p.rate("nic.pcie_rate", pcie_bits_per_second, 1'000'000, 10'000'000'000'000, "DMA bandwidth of each direction.");
  p.size("nic.inline", inline_bytes, 0, 4096, "Largest payload that comes with the doorbell, without a PCIe read.");
  p.integer("nic.message_rate", messages_per_second, 1, 10'000'000'000, "Messages a second in each direction.");
  p.length("nic.transmit_latency", transmit_latency, 0_ps, 1_ms, "From a message's turn in the NIC to its first bit.");
  p.length("nic.receive_latency", receive_latency, 0_ps, 1_ms, "From a packet's last bit to the start of its DMA.");
  p.size("nic.mtu", mtu_bytes, 256, 9000, "Payload of a segment of a reliable connection.");
  p.integer("nic.receive_ring", receive_ring, 1, 1'000'000, "Packets that a raw queue pair holds until polled.");
  p.length("nic.rc_retransmission_timeout", rc_retransmission_timeout, 1_us, 100_s,
           "Time without progress after which a reliable connection retransmits.");
  p.integer("nic.rc_retry_count", rc_retry_count, 0, 1'000'000, "Retransmissions without progress before failure.");
  p.integer("nic.rnr_retry_count", rnr_retry_count, 0, 7,
            "How often a message is sent again that found no posted receive; 7: for ever.");
  p.integer("nic.rnr_timer", rnr_timer, 0, 31, "Code of the pause that a receiver without receives asks for.");
  p.integer("nic.outstanding_reads", outstanding_reads, 1, 1'000,
            "READs and atomics of a queue pair that wait for their responses at a time.");
  p.integer("nic.send_queue", send_queue, 1, 1'000'000, "Work requests of a queue pair that have not completed.");
  p.integer("nic.atomic_rate", atomics_per_second, 1, 10'000'000'000, "Atomics a second that a NIC carries out.");
  p.length("nic.atomic_latency", atomic_latency, 0_ps, 1_ms, "Of an atomic, after which the next of its word begins.");
  p.length("nic.write_time", write_time, 0_ps, 1_ms, "Transmit engine time of a WRITE's packet beside its slot.")
      .neutral(0_ps);
  p.length("nic.send_time", send_time, 0_ps, 1_ms, "Transmit engine time of a SEND's packet beside its slot.")
      .neutral(0_ps);
  p.length("nic.read_time", read_time, 0_ps, 1_ms, "Transmit engine time of a READ response's packet beside its slot.")
      .neutral(0_ps);
  p.size("nic.long_read", long_read_bytes, 0, 4096, "Longest READ response that takes no more than nic.read_time.")
      .neutral(256);
  p.length("nic.long_read_time", long_read_time, 0_ps, 1_ms, "What a packet of a longer READ response takes besides.")
      .neutral(0_ps);
  p.integer("nic.queue_pair_cache", queue_pair_cache, 0, 1'000'000,
            "Queue pairs whose state fits the NIC, by latest use; 0: all.")
      .neutral(0);
  p.length("nic.queue_pair_fetch", queue_pair_fetch, 0_ps, 1_ms, "Engine time to fetch a queue pair's state.")
      .neutral(0_ps);
}

void CpuCosts::declare(sim::Parameters& p) {
  p.length("cpu.post", post, 0_ps, 1_ms, "CPU time to post a work request.");
  p.length("cpu.post_more", post_more, 0_ps, 1_ms, "CPU time for each further work request of one doorbell.");
  p.length("cpu.receive", receive, 0_ps, 1_ms, "CPU time to poll and dispatch a received message.");
  p.length("cpu.completion", completion, 0_ps, 1_ms, "CPU time to poll a completion.");
  p.length("cpu.poll", poll, 0_ps, 1_ms, "CPU time of a poll that finds something, beside that for each it finds.")
      .neutral(0_ps);
}

}  // namespace racksim::models
