// How many packets each coherence event takes, and how long an uncontended one lasts (Concordia §4.2, §5.1.1; Tables 2
// and 3). Counts are those of the paper's figures plus the acknowledgement of the unlock (§5.3.2) and the write-back of
// a block that a reader turns Shared.
#include <algorithm>
#include <catch2/catch.hpp>

#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace message_counts_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Ownership = FlowCcOptions::Ownership;

namespace {

// Packets that the parts of all nodes sent and received; blocks that travel as RC WRITEs count where they are sent.
struct Packets {
  std::uint64_t requester_sent = 0, requester_received = 0;
  std::uint64_t home_received = 0, home_sent = 0;
  std::uint64_t cache_received = 0, cache_sent = 0;
  bool operator==(const Packets&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Packets& p) {
  return out << "requester " << p.requester_sent << " sent, " << p.requester_received << " received; home agent "
             << p.home_received << " received, " << p.home_sent << " sent; cache agent " << p.cache_received
             << " received, " << p.cache_sent << " sent";
}
Packets counted(const FlowCcScript& run) {
  return {run.counter("requester.packets_sent"),       run.counter("requester.packets_received"),
          run.counter("home_agent.packets_received"),  run.counter("home_agent.packets_sent"),
          run.counter("cache_agent.packets_received"), run.counter("cache_agent.packets_sent")};
}

// A rack of 6 nodes at rest, in which one access at a time is looked at. Block 0 has its home on node 0.
struct Quiet {
  explicit Quiet(Ownership ownership) : run(setup(ownership)) {}
  static Setup setup(Ownership ownership) {
    Setup setup;
    setup.flowcc.ownership = ownership;
    setup.rack.nodes = 6;
    setup.flowcc.cache_bytes = 8 * 4096;
    setup.micro.sharing_ratio = 1;
    setup.micro.shared_bytes = 60 * 4096;
    return setup;
  }
  void read(models::NodeId node, std::uint64_t block = 0) { run.access({node, 0}, run.shared_block(block), false); }
  void write(models::NodeId node, std::uint64_t block = 0) { run.access({node, 0}, run.shared_block(block), true); }

  // What an access adds.
  template <class Do>
  Packets during(Do&& access) {
    const Packets before = counted(run);
    access();
    const Packets after = counted(run);
    return {after.requester_sent - before.requester_sent, after.requester_received - before.requester_received,
            after.home_received - before.home_received,   after.home_sent - before.home_sent,
            after.cache_received - before.cache_received, after.cache_sent - before.cache_sent};
  }
  sim::Duration time(models::NodeId node, bool write) { return run.access({node, 0}, run.shared_block(0), write); }

  FlowCcScript run;
};

// What home ownership adds to an event: the home agent receives the request and the unlock, and sends the copies of the
// request and the unlock's acknowledgement.
Packets at_home(Packets p, std::uint64_t copies) {
  p.home_received += 2;
  p.home_sent += copies + 1;
  return p;
}

}  // namespace

TEST_CASE("a local hit sends nothing") {
  Quiet rack(Ownership::switch_owned);
  rack.write(1);
  CHECK(rack.during([&] { rack.read(1); }) == Packets{});
  CHECK(rack.during([&] { rack.write(1); }) == Packets{});
}

TEST_CASE("a miss on an Unshared block goes to the home agent, which sends data and an acknowledgement",
          "[claim:concordia-inv-unshared-to-home]") {
  for (const bool write : {false, true}) {
    const auto miss = [&](Quiet& rack) { return rack.during([&] { write ? rack.write(1) : rack.read(1); }); };
    Quiet in_switch(Ownership::switch_owned), at_its_home(Ownership::home);
    // Request and unlock; acknowledgement and the unlock's.
    CHECK(miss(in_switch) == Packets{2, 2, 1, 2, 0, 0});
    // The home agent takes the unlock and acknowledges it besides; as owner it serves the request itself.
    CHECK(miss(at_its_home) == Packets{2, 2, 2, 3, 0, 0});
  }
}

TEST_CASE("a READ-MISS on a Shared block goes to one sharer, whatever their number",
          "[claim:concordia-inv-read-miss-shared-one]") {
  for (const models::NodeId sharers : {1, 2, 4}) {
    Quiet in_switch(Ownership::switch_owned), at_its_home(Ownership::home);
    for (Quiet* rack : {&in_switch, &at_its_home}) {
      for (models::NodeId node = 1; node <= sharers; ++node) rack->read(node);
    }
    const Packets expected{2, 2, 0, 0, 1, 2};
    CHECK(in_switch.during([&] { in_switch.read(5); }) == expected);
    CHECK(at_its_home.during([&] { at_its_home.read(5); }) == at_home(expected, 1));
  }
}

TEST_CASE("a READ-MISS on a Modified block goes to its owner, and the reader writes the block home") {
  Quiet in_switch(Ownership::switch_owned), at_its_home(Ownership::home);
  for (Quiet* rack : {&in_switch, &at_its_home}) rack->write(1);
  const Packets expected{3, 2, 0, 0, 1, 2};
  CHECK(in_switch.during([&] { in_switch.read(5); }) == expected);
  CHECK(at_its_home.during([&] { at_its_home.read(5); }) == at_home(expected, 1));
  CHECK(in_switch.run.counter("write_backs") == 1);
}

TEST_CASE("a WRITE-MISS on a Modified block goes to its owner, and nothing is written home") {
  Quiet in_switch(Ownership::switch_owned), at_its_home(Ownership::home);
  for (Quiet* rack : {&in_switch, &at_its_home}) rack->write(1);
  const Packets expected{2, 2, 0, 0, 1, 2};
  CHECK(in_switch.during([&] { in_switch.write(5); }) == expected);
  CHECK(at_its_home.during([&] { at_its_home.write(5); }) == at_home(expected, 1));
  CHECK(in_switch.run.counter("write_backs") == 0);
}

TEST_CASE("a write to a block with k other sharers is k copies and k acknowledgements, and a miss one block of data",
          "[claim:concordia-inv-sole-sharer-ack]") {
  for (models::NodeId sharers = 0; sharers <= 4; ++sharers) {
    for (const bool miss : {false, true}) {
      if (miss && sharers == 0) continue;  // Unshared: above
      Quiet in_switch(Ownership::switch_owned), at_its_home(Ownership::home);
      for (Quiet* rack : {&in_switch, &at_its_home}) {
        for (models::NodeId node = 1; node <= sharers; ++node) rack->read(node);
        if (!miss) rack->read(5);
      }
      // With no other sharer the owner acknowledges at once.
      const Packets expected{2, std::max<std::uint64_t>(1, sharers) + 1, 0, 0, sharers, sharers + (miss ? 1u : 0u)};
      INFO(sharers << " other sharers" << (miss ? ", miss" : ""));
      CHECK(in_switch.during([&] { in_switch.write(5); }) == expected);
      CHECK(at_its_home.during([&] { at_its_home.write(5); }) ==
            at_home(expected, std::max<std::uint64_t>(1, sharers)));
      CHECK(in_switch.run.counter("invalidations") == sharers);
    }
  }
}

TEST_CASE("an eviction is a request that comes back, an unlock, and for a dirty block its write-back",
          "[claim:concordia-inv-evict-returns]") {
  for (const bool dirty : {false, true}) {
    Quiet in_switch(Ownership::switch_owned), at_its_home(Ownership::home);
    for (Quiet* rack : {&in_switch, &at_its_home}) {
      // One bucket of eight entries: the ninth block evicts the first.
      for (std::uint64_t block = 0; block < 8; ++block) dirty ? rack->write(1, block) : rack->read(1, block);
    }
    const Packets miss{2, 2, 1, 2, 0, 0};
    const Packets evict{dirty ? 3u : 2u, 2, 0, 0, 0, 0};
    CHECK(in_switch.during([&] { in_switch.read(1, 8); }) ==
          Packets{miss.requester_sent + evict.requester_sent, 4, 1, 2, 0, 0});
    // At home: miss (2 received, 3 sent) and eviction (request and unlock received, both acknowledged).
    CHECK(at_its_home.during([&] { at_its_home.read(1, 8); }) ==
          Packets{miss.requester_sent + evict.requester_sent, 4, 2 + 2, 3 + 2, 0, 0});
    CHECK(in_switch.run.counter(dirty ? "requests.evict_modified" : "requests.evict_shared") == 1);
  }
}

namespace {

// The parts of a packet's way, from the constants of the rack. What is queued for nothing takes exactly this long:
// packets of different events never meet here.
struct Parts {
  explicit Parts(FlowCcScript& r) : run(r), rack(r.setup.rack), costs(r.setup.flowcc) {}

  static std::uint32_t control_frame() {
    return p4::Ethernet::kLayout.bytes() + p4::Ipv4::kLayout.bytes() + p4::Udp::kLayout.bytes() +
           FlowCcHeader::kLayout.bytes() + p4::kFcsBytes;
  }
  sim::Duration on_wire(std::uint32_t frame) const {
    return sim::transmission_time(8 * std::int64_t{frame + p4::kPreambleAndGapBytes},
                                  static_cast<std::int64_t>(rack.link_bits_per_second)) +
           rack.link_propagation;
  }
  sim::Duration over_pcie(std::uint32_t bytes) const {
    return sim::transmission_time(8 * std::int64_t{bytes}, static_cast<std::int64_t>(rack.nic.pcie_bits_per_second));
  }
  sim::Duration through_switch() const {
    models::SwitchChassis& chassis = run.rack.chassis();
    return chassis.ingress_latency() + chassis.options().traffic_manager_latency + chassis.egress_latency();
  }
  // From the call that sends a control packet to the call of its receiver's handler.
  sim::Duration control() const {
    const std::uint32_t frame = control_frame();
    return rack.nic.pcie_latency + rack.nic.transmit_latency + 2 * on_wire(frame) + through_switch() +
           rack.nic.receive_latency + over_pcie(frame - p4::kFcsBytes) + rack.nic.pcie_latency + rack.cpu.receive;
  }
  // From the call that writes a block to its being in the receiver's memory: the doorbell, a read of host memory (there
  // and back), the wires, and a write to host memory; no core takes part.
  sim::Duration block() const {
    const std::uint32_t frame = p4::Ethernet::kLayout.bytes() + p4::Ipv4::kLayout.bytes() + p4::Udp::kLayout.bytes() +
                                models::Bth::kLayout.bytes() + models::Reth::kLayout.bytes() +
                                static_cast<std::uint32_t>(costs.block_bytes) + models::kIcrcBytes + p4::kFcsBytes;
    const auto bytes = static_cast<std::uint32_t>(costs.block_bytes);
    return rack.nic.pcie_latency + 2 * rack.nic.pcie_latency + over_pcie(bytes) + rack.nic.transmit_latency +
           2 * on_wire(frame) + through_switch() + rack.nic.receive_latency + over_pcie(bytes) + rack.nic.pcie_latency;
  }
  sim::Duration start() const { return costs.local_access + costs.miss_setup; }

  FlowCcScript& run;
  models::RackOptions rack;
  FlowCcOptions costs;
};

}  // namespace

TEST_CASE("an uncontended READ-MISS takes the sum of its parts") {
  Quiet unshared(Ownership::switch_owned), shared(Ownership::switch_owned), at_home(Ownership::home);
  const Parts parts(unshared.run);
  // Request to the home agent (or the provider), and the block back, which lands after the acknowledgement and is then
  // noticed.
  const sim::Duration ways = parts.start() + parts.control() + parts.block() + parts.costs.notice_data_work;
  CHECK(unshared.time(1, false) == ways + parts.costs.home_agent_work);
  shared.read(2);
  CHECK(shared.time(1, false) == ways + parts.costs.cache_agent_work);
  // A home agent that is the owner serves an Unshared block as fast: the switch only forwards the request.
  CHECK(at_home.time(1, false) == ways + parts.costs.home_agent_work);
}

TEST_CASE("a WRITE-SHARED takes one round trip through the switch, and one more leg through a home agent",
          "[claim:concordia-inv-dir-extra-hop]") {
  Quiet in_switch(Ownership::switch_owned), at_home(Ownership::home);
  for (Quiet* rack : {&in_switch, &at_home}) {
    rack->read(1);
    rack->read(2);
  }
  const Parts parts(in_switch.run);
  CHECK(in_switch.time(1, true) == parts.start() + 2 * parts.control() + parts.costs.cache_agent_work);
  CHECK(at_home.time(1, true) == parts.start() + 3 * parts.control() + parts.costs.home_agent_work +
                                     parts.costs.multicast_copy_work + parts.costs.cache_agent_work);
}

TEST_CASE("the only sharer's write takes a visit to the switch, or a round trip to the home agent",
          "[claim:concordia-inv-dir-extra-hop][claim:concordia-inv-sole-sharer-ack]") {
  Quiet in_switch(Ownership::switch_owned), at_home(Ownership::home);
  for (Quiet* rack : {&in_switch, &at_home}) rack->read(1);
  const Parts parts(in_switch.run);
  CHECK(in_switch.time(1, true) == parts.start() + parts.control());
  CHECK(at_home.time(1, true) == parts.start() + 2 * parts.control() + parts.costs.home_agent_work);
}

TEST_CASE("a reader that copies its block takes longer by the size of the block, and one that notices slowly by that") {
  for (const std::uint64_t block : {1024u, 4096u}) {
    Setup setup = Quiet::setup(Ownership::switch_owned);
    FlowCcOptions& costs = setup.flowcc;
    costs.block_bytes = block;
    const auto read = [&] {
      FlowCcScript run(setup);
      const sim::Duration took = run.access({1, 0}, run.shared_block(0), false);
      run.finish();
      CHECK(run.violations() == "");
      return took;
    };
    const sim::Duration before = read();
    costs.copy_work_per_kib = 100_ns;
    CHECK(read() == before + 100_ns * static_cast<std::int64_t>(block / 1024));
    costs.notice_data_work = costs.notice_data_work + 1_us;
    CHECK(read() == before + 100_ns * static_cast<std::int64_t>(block / 1024) + 1_us);
  }
}

}  // namespace message_counts_test
