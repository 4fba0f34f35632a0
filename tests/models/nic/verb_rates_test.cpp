// How many verbs a second a NIC does, with hosts that cost nothing: by its constants, and against published figures
// (docs/hardware.md 7.6).
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "models/nic/verbs.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace verb_rates_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr CpuCosts kFree{0_ps, 0_ps, 0_ps, 0_ps};

/// Two machines that do one kind of verb to each other, or the first to the second alone, as fast as their NICs can.
struct Loaded : TwoNics {
  struct Load : CompletionHandler {
    Load(Loaded& owner, Host& host) : loaded(owner), queue(host.nic.create_completion_queue(host.core, *this)) {}
    void on_completion(const Completion& completion) override {
      if (completion.opcode == Opcode::receive) return;
      CHECK(completion.status == Status::success);
      ++done;
      loaded.post(*this, completion.qpn);
    }
    Loaded& loaded;
    CompletionQueue& queue;
    std::vector<QueuePair*> pairs;
    std::vector<Destination> destinations;
    std::uint64_t done = 0;
  };

  Loaded(const NicOptions& nic, Opcode kind, std::uint32_t length, bool datagrams, bool both, int queue_pairs = 32)
      : TwoNics(nic, kFree),
        pairs(queue_pairs),
        opcode(kind),
        bytes(length),
        both_ways(both),
        few_suffice(length > 1024 || nic.messages_per_second < 50'000'000) {
    for (int i = 0; i < pairs; ++i) {
      QueuePair *x = nullptr, *y = nullptr;
      if (datagrams) {
        x = &a.nic.create_datagram({at_a.queue, at_a.queue});
        y = &b.nic.create_datagram({at_b.queue, at_b.queue});
      } else {
        auto& from = a.nic.create_reliable({at_a.queue, at_a.queue});
        auto& to = b.nic.create_reliable({at_b.queue, at_b.queue});
        from.connect(1, to.number());
        to.connect(0, from.number());
        x = &from;
        y = &to;
      }
      at_a.pairs.push_back(x);
      at_b.pairs.push_back(y);
      at_a.destinations.push_back({1, y->number()});
      at_b.destinations.push_back({0, x->number()});
      for (QueuePair* one : {x, y}) one->post_receive(1'000'000);
    }
    for (Load* load : {&at_a, &at_b}) {
      if (load == &at_b && !both_ways) continue;
      // As many verbs are under way, whether a queue pair has them all or each has few.
      for (int i = 0; i < (few_suffice ? 32 : 256); ++i) {
        post(*load, load->pairs[static_cast<std::size_t>(i % pairs)]->number());
      }
    }
  }
  void post(Load& load, std::uint32_t qpn) {
    const std::size_t i = qpn - load.pairs.front()->number();
    WorkRequest request;
    request.opcode = opcode;
    request.remote = {8 * (next++ % 4096), b.memory_key};  // both register the same keys
    request.bytes = bytes;
    request.destination = load.destinations[i];
    if (one_word) request.remote.address = 0;
    if (opcode == Opcode::send || opcode == Opcode::write) request.content = Content::of(next);
    load.pairs[i]->post(request);
  }
  /// Verbs a second that a machine ends, in the steady state.
  double rate() {
    calendar.run_until(at(100_us));
    const std::uint64_t before = at_a.done + at_b.done;
    // Requests and answers come in waves as large as what is under way, of which a window holds many.
    const sim::Duration window = few_suffice ? 2_ms : 200_us;
    calendar.run_until(at(100_us) + window);
    return static_cast<double>(at_a.done + at_b.done - before) / (window.ns() * 1e-9) / (both_ways ? 2 : 1);
  }

  int pairs;
  Opcode opcode;
  std::uint32_t bytes;
  bool both_ways, few_suffice;
  bool one_word = false;
  std::uint64_t next = 0;
  Load at_a{*this, a}, at_b{*this, b};
};

double rate(Opcode opcode, std::uint32_t bytes, bool both_ways, const NicOptions& options = {}, bool datagrams = false,
            int queue_pairs = 32) {
  return Loaded(options, opcode, bytes, datagrams, both_ways, queue_pairs).rate();
}

// As GAM's cluster has it (scenarios/testbeds/gam-8.json), without its network's latency.
NicOptions gam_nic() {
  NicOptions connectx3;
  connectx3.messages_per_second = 22'200'000;
  connectx3.pcie_bits_per_second = 57'600'000'000;
  connectx3.inline_bytes = 256;
  connectx3.mtu_bytes = 2048;
  connectx3.outstanding_reads = 1;
  connectx3.long_read_time = 50'800_ps;
  return connectx3;
}

// Of a figure that a model with one constant cannot meet in every point, how far off it is.
double off(double simulated, double published) {
  return std::abs(simulated / published - 1);
}

}  // namespace

TEST_CASE("Small verbs run at the message rate, which requests and their answers share in each direction") {
  // A machine that asks and is asked sends a request and an answer for each verb: 100 M/s are 50 M verbs/s.
  for (const Opcode opcode : {Opcode::send, Opcode::write, Opcode::read}) {
    INFO(name_of(opcode));
    CHECK(rate(opcode, 8, true) == Approx(50e6).epsilon(0.01));
    CHECK(rate(opcode, 8, false) == Approx(100e6).epsilon(0.01));
  }
  CHECK(rate(Opcode::send, 8, true, {}, true) == Approx(100e6).epsilon(0.01));
}

TEST_CASE("Large verbs run at the rate of the wire") {
  // 4096 bytes with the headers of each, at 100 Gbit/s; acknowledgements of 86 bytes share the wire with requests.
  const auto per_second = [](std::uint64_t bytes) { return 100e9 / (8.0 * static_cast<double>(bytes)); };
  CHECK(rate(Opcode::write, 4096, false) == Approx(per_second(4096 + 60 + 38)).epsilon(0.01));
  CHECK(rate(Opcode::send, 4096, false) == Approx(per_second(4096 + 44 + 38)).epsilon(0.01));
  CHECK(rate(Opcode::read, 4096, false) == Approx(per_second(4096 + 48 + 38)).epsilon(0.01));
  CHECK(rate(Opcode::write, 4096, true) == Approx(per_second(4096 + 60 + 38 + 86)).epsilon(0.01));
  CHECK(rate(Opcode::read, 4096, true) == Approx(per_second(4096 + 48 + 38 + 98)).epsilon(0.01));
  CHECK(rate(Opcode::send, 4096, false, {}, true) == Approx(per_second(4096 + 52 + 38)).epsilon(0.01));
}

TEST_CASE("A ConnectX-3 reads as fast as rdma_bench measured it, up to the step at 256 bytes") {
  // All machines read from all: 11.1 M READs/s of 8 bytes, so 22.2 M messages/s in each direction. The other sizes are
  // predictions.
  NicOptions connectx3;
  connectx3.messages_per_second = 22'200'000;
  CHECK(off(rate(Opcode::read, 8, true, connectx3), 11.1e6) < 0.01);
  CHECK(off(rate(Opcode::read, 40, true, connectx3), 11.0e6) < 0.02);
  CHECK(off(rate(Opcode::read, 104, true, connectx3), 10.8e6) < 0.04);
  CHECK(off(rate(Opcode::read, 200, true, connectx3), 10.3e6) < 0.09);
  CHECK(off(rate(Opcode::read, 232, true, connectx3), 10.0e6) < 0.12);
  // Beyond the step, which no constant of the model makes, it does not.
  CHECK(off(rate(Opcode::read, 264, true, connectx3), 7.1e6) > 0.5);
}

TEST_CASE("A ConnectX-3 does atomics as fast as rdma_bench measured it") {
  // 2.7 M/s on counters in the CPU's cache, 1.8 M/s outside, whichever words they are.
  for (const std::uint64_t measured : {2'700'000u, 1'800'000u}) {
    NicOptions connectx3;
    connectx3.atomics_per_second = measured;
    connectx3.atomic_latency = 0_ps;
    for (const Opcode opcode : {Opcode::fetch_add, Opcode::compare_swap}) {
      CHECK(off(rate(opcode, 8, false, connectx3), static_cast<double>(measured)) < 0.01);
    }
  }
}

TEST_CASE("One queue pair does as many of GAM's verbs as many do: the NIC's rate is a NIC's",
          "[claim:gam-inv-one-qp-saturates]") {
  // SENDs of control messages and WRITEs of lines (GAM §3.1). Each is answered by an acknowledgement.
  for (const auto& [opcode, bytes] : {std::pair{Opcode::send, 40u}, std::pair{Opcode::write, 512u}}) {
    INFO(name_of(opcode));
    const double many = rate(opcode, bytes, true, gam_nic());
    CHECK(rate(opcode, bytes, true, gam_nic(), false, 1) == Approx(many).epsilon(0.01));
    if (opcode == Opcode::send) CHECK(many == Approx(22.2e6 / 2).epsilon(0.01));
  }
}

TEST_CASE("GAM's NIC does fewer READs than WRITEs of lines, and over one queue pair of words; over many as many",
          "[claim:gam-inv-read-verb-slower]") {
  const auto reads_over_writes = [](std::uint32_t bytes, int queue_pairs) {
    return rate(Opcode::read, bytes, false, gam_nic(), false, queue_pairs) /
           rate(Opcode::write, bytes, false, gam_nic(), false, queue_pairs);
  };
  // A queue pair has one READ under way.
  CHECK(reads_over_writes(512, 1) < 0.5);
  CHECK(reads_over_writes(512, 32) < 0.9);
  CHECK(reads_over_writes(8, 1) < 0.5);
  // Words run at the message rate, for which no WRITE's own is published.
  CHECK(reads_over_writes(8, 32) == Approx(1).epsilon(0.01));
}

TEST_CASE("A ConnectX-5 lies within what is recalled of it") {
  // Recalled, unverified: 35 to 75 M one-sided READs/s; 2 to 3 M atomics/s on one word, tens of millions on many.
  const double reads = rate(Opcode::read, 64, true);
  CHECK(reads > 35e6);
  CHECK(reads < 75e6);
  const double atomics = rate(Opcode::fetch_add, 8, false);
  CHECK(atomics > 10e6);
  CHECK(atomics < 100e6);
  for (const Opcode opcode : {Opcode::fetch_add, Opcode::compare_swap}) {
    Loaded t({}, opcode, 8, false, false);
    t.one_word = true;
    t.rate();  // until none of other words is left
    const std::uint64_t before = t.at_a.done;
    t.calendar.run_until(at(600_us));
    const double one_word = static_cast<double>(t.at_a.done - before) / 300e-6;
    CHECK(one_word > 2e6);
    CHECK(one_word < 3e6);
  }
}

}  // namespace verb_rates_test
