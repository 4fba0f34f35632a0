// The NIC of the testbed selcc-16 against what rdma_bench measured of a ConnectX-3 (docs/hardware.md 7.7), in its
// set-up rc-swarm: all machines READ from all, from 8 workers each with a queue pair to every machine, hosts that cost
// nothing here. What a constant of the testbed was fitted to is met to 2 %; everything else is a prediction, and stands
// beside the published figure with how far off it is.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <vector>

#include "models/rack/rack.hpp"
#include "sim/random/random.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/scenario.hpp"

namespace connectx3_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::sim::literals;

namespace {

RackOptions selcc_16(std::uint64_t machines) {
  const auto testbed =
      tools::load_testbed((tools::scenarios_folder() / "testbeds/selcc-16.json").string(), tools::built_in_catalogue());
  RackOptions options = *testbed.rack.options;
  options.nodes = machines;
  options.roles = {};
  options.cpu = {0_ps, 0_ps, 0_ps, 0_ps};
  return options;
}

/// Machines that keep verbs under way to one another, over queue pairs drawn anew for each.
struct Swarm {
  struct Machine final : CompletionHandler {
    Machine(Swarm& owner, NodeId node)
        : swarm(owner),
          nic(owner.rack.server(node).nic()),
          queue(nic.create_completion_queue(owner.rack.server(node).core(0), *this)),
          random(1, "machine" + std::to_string(node)) {
      Memory::Region everywhere;
      everywhere.bytes = 1 << 20;
      key = nic.memory().add(everywhere);
    }
    void on_completion(const Completion& completion) override {
      CHECK(completion.status == Status::success);
      ++done;
      post();
    }
    void post() {
      WorkRequest request;
      request.opcode = swarm.opcode;
      request.remote = {swarm.one_word ? 0 : 8 * random.below(4096), key};  // all register the same keys
      request.bytes = swarm.bytes;
      if (swarm.opcode == Opcode::write) request.content = p4::Content::of(std::uint64_t{1});
      pairs[random.below(pairs.size())]->post(request);
    }
    Swarm& swarm;
    Nic& nic;
    CompletionQueue& queue;
    sim::RandomStream random;
    std::uint32_t key = 0;
    std::vector<ReliableConnection*> pairs;
    std::uint64_t done = 0;
  };

  /// With the queue pairs that so many machines would have.
  Swarm(const RackOptions& options, Opcode verb, std::uint32_t length, unsigned emulated)
      : opcode(verb), bytes(length), rack(calendar, event_log, metrics, options, 1) {
    const auto nodes = static_cast<unsigned>(options.nodes);
    for (NodeId node = 0; node < nodes; ++node) machines.push_back(std::make_unique<Machine>(*this, node));
    for (NodeId a = 0; a < nodes; ++a) {
      for (NodeId b = static_cast<NodeId>(a + 1); b < nodes; ++b) {
        for (unsigned i = 0; i < kWorkers * (emulated / nodes); ++i) join(*machines[a], *machines[b], a, b);
      }
    }
  }
  void join(Machine& x, Machine& y, NodeId a, NodeId b) {
    auto &from = x.nic.create_reliable({x.queue, x.queue}), &to = y.nic.create_reliable({y.queue, y.queue});
    from.connect(b, to.number());
    to.connect(a, from.number());
    x.pairs.push_back(&from);
    y.pairs.push_back(&to);
  }
  /// Verbs a second that a machine of those that ask ends, in the steady state.
  double rate(unsigned asking = 255) {
    const std::size_t n = std::min<std::size_t>(asking, machines.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (int k = 0; k < kUnderWay; ++k) machines[i]->post();
    }
    calendar.run_until(sim::Time{} + 200_us);
    const std::uint64_t before = total();
    calendar.run_until(sim::Time{} + 1200_us);
    return static_cast<double>(total() - before) / 1e-3 / static_cast<double>(n);
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& machine : machines) sum += machine->done;
    return sum;
  }

  static constexpr unsigned kWorkers = 8;
  static constexpr int kUnderWay = 64;
  Opcode opcode;
  std::uint32_t bytes;
  bool one_word = false;
  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  Rack rack;
  std::vector<std::unique_ptr<Machine>> machines;
};

double million_reads(std::uint64_t machines, std::uint32_t bytes, unsigned emulated) {
  return Swarm(selcc_16(machines), Opcode::read, bytes, emulated).rate() / 1e6;
}

struct Point {
  unsigned x;        // bytes, or machines
  double published;  // M READs/s a machine
  double off;        // simulated over published, less 1
};

void compare(const Point& point, double simulated) {
  INFO(point.x << ": " << simulated << " M/s, published " << point.published);
  CHECK(simulated / point.published - 1 == Approx(point.off).margin(0.02));
}

}  // namespace

TEST_CASE("A ConnectX-3 reads as fast as measured at every size, with the step at 256 bytes") {
  // Fitted: 8 and 264 bytes. Between the two ends of a step the card gets slower a little, the model does not.
  for (const Point& point :
       {Point{8, 11.1, 0}, Point{40, 11.0, 0.01}, Point{104, 10.8, 0.03}, Point{200, 10.3, 0.08},
        Point{232, 10.0, 0.11}, Point{264, 7.1, 0}, Point{328, 6.8, 0.04}, Point{392, 6.6, 0.08}}) {
    compare(point, million_reads(6, point.x, 6));
  }
}

TEST_CASE("A ConnectX-3 gets slower with the number of queue pairs, as measured at both ends and too steeply between") {
  // READs of 32 bytes. Fitted: 11 and 99 machines. Queue pairs are drawn alike and the least recently used gives way:
  // states are missing as soon as there are more than fit, up to 29 % more often than was measured.
  double before = 1e9;
  for (const Point& point :
       {Point{11, 7.7, 0}, Point{22, 2.7, -0.26}, Point{33, 2.1, -0.29}, Point{55, 1.65, -0.23}, Point{99, 1.17, 0}}) {
    const double simulated = million_reads(11, 32, point.x);
    compare(point, simulated);
    CHECK(simulated < before);
    before = simulated;
  }
}

TEST_CASE("A ConnectX-3 does 2.7 M atomics/s, on one word as on many") {
  for (const Opcode opcode : {Opcode::fetch_add, Opcode::compare_swap}) {
    for (const bool one_word : {false, true}) {
      Swarm t(selcc_16(2), opcode, 8, 2);
      t.one_word = one_word;
      CHECK(t.rate(1) / 1e6 == Approx(2.7).epsilon(0.01));
    }
  }
}

TEST_CASE("A ConnectX-3 that is read from or written to by many does 22.2 M/s, where more is recalled") {
  // HERD, recalled: 26 M READs/s and 35 M WRITEs/s inbound. One slot for each packet of either direction gives less.
  for (const Opcode opcode : {Opcode::read, Opcode::write}) {
    Swarm t(selcc_16(5), opcode, 32, 5);
    for (std::size_t i = 1; i < t.machines.size(); ++i) {
      // Its queue pairs to the first alone; they were the first to be made.
      t.machines[i]->pairs.resize(Swarm::kWorkers);
    }
    std::swap(t.machines.front(), t.machines.back());
    CHECK(t.rate(4) * 4 / 1e6 == Approx(22.2).epsilon(0.02));
  }
}

TEST_CASE("A miss of a line of 2056 bytes runs at the rate of the wire: 3.18 M/s from one server") {
  // 54.5 Gb/s over 2056 B and 86 B of headers and gap.
  Swarm t(selcc_16(5), Opcode::read, 2056, 5);
  for (std::size_t i = 1; i < t.machines.size(); ++i) t.machines[i]->pairs.resize(Swarm::kWorkers);
  std::swap(t.machines.front(), t.machines.back());
  CHECK(t.rate(4) * 4 / 1e6 == Approx(3.18).epsilon(0.01));
}

}  // namespace connectx3_test
