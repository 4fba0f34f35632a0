// What connects nodes (GAM §3.2): one queue pair for each two, and selective signalling.
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"
#include "tests/protocols/gam/gam_run.hpp"

namespace gam_channel_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

/// The queue pairs that packets are for, each by its node and number.
class QueuePairs final : public models::PacketObserver {
 public:
  explicit QueuePairs(Run& run) { run.rack.context().add_packet_observer(*this); }
  std::size_t seen() const { return seen_.size(); }

 private:
  void on_wire(const p4::Packet& packet, const models::WirePassage&) override {
    seen_.emplace(models::node_of_ipv4(packet.get<p4::Ipv4>().dst), packet.get<models::Bth>().dest_qp);
  }
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  std::set<std::pair<NodeId, std::uint64_t>> seen_;
};

}  // namespace

TEST_CASE("Each two nodes have one queue pair, however many threads they run", "[claim:gam-inv-qp-count]") {
  for (const unsigned threads : {1u, 2u, 6u}) {
    Setup setup;
    setup.micro.threads = threads;
    setup.options.cache_bytes = 16 * Setup::kLineBytes;
    Run run(setup);
    QueuePairs queue_pairs(run);
    run.finish();
    CHECK(queue_pairs.seen() == 4 * 3);  // both ends of each connection
    CHECK(run.violations() == "");
  }
}

TEST_CASE("Of r work requests one makes a completion, which leaves the worker more time", "[claim:gam-inv-signaling]") {
  const auto run_with = [](std::uint64_t r) {
    Setup setup;
    setup.options.signal_every = r;
    setup.options.outstanding_writes = 64;
    setup.micro.read_ratio = 0;
    setup.measure(20'000);
    Run run(setup);
    run.finish();
    CHECK(run.violations() == "");
    const auto messages = run.counter("messages.handled");
    return std::pair(static_cast<double>(run.counter("channels.completions")) / static_cast<double>(messages),
                     run.calendar.now() - sim::Time{});
  };
  const auto [all, slow] = run_with(1);
  const auto [some, fast] = run_with(16);
  CHECK(all == Approx(1).margin(0.02));
  CHECK(some == Approx(1.0 / 16).margin(0.01));
  CHECK(fast < slow);
}

}  // namespace gam_channel_test
