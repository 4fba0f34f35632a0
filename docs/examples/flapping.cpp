// A fault: the wires of a node go down and up again, over and over, as those of a bad transceiver do.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/faults/fault.hpp"

namespace racksim::flapping {

namespace {

using namespace sim::literals;

class Flapping final : public models::Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);  // from and until
    nodes_.declare(p);
    p.length("up", up_, 1_us, 1_s, "How long the wires are up between two outages.");
    p.length("down", down_, 1_us, 1_s, "How long an outage is.");
  }
  void check(models::Rack& rack) const override {
    Fault::check(rack);
    nodes_.check(rack);
    if (until() == kEver) throw sim::OptionError("until", "no end", "when the last outage is over at the latest");
  }
  std::string where() const override { return nodes_.where(); }
  /// The wires report each packet that they lose. A fault that does not act on packets alone disturbs whole machines.
  bool acts_on_packets_alone() const override { return true; }

  /// The schedule takes these in its place: the outages.
  std::vector<std::shared_ptr<Fault>> parts() const override {
    std::vector<std::shared_ptr<Fault>> outages;
    for (sim::Duration at = from(); at < until() && !is_outage_; at += down_ + up_) {
      const auto outage = std::make_shared<Flapping>(*this);
      outage->is_outage_ = true;
      outage->from_ = at;
      outage->until_ = std::min(at + down_, until());
      outages.push_back(outage);
    }
    return outages;
  }
  void begin(models::Rack& rack) override { set_up(rack, false); }
  void end(models::Rack& rack) override { set_up(rack, true); }

  /// For fuzzing. Short enough for what is sent again to come through.
  void draw(sim::RandomStream& random, const models::FaultScene& scene) override {
    Fault::draw(random, scene);
    nodes_.draw(random, scene);
    up_ = models::draw_length(random, 2_us, 50_us);
    down_ = models::draw_length(random, 1_us, 20_us);
  }

 private:
  void set_up(models::Rack& rack, bool up) {
    nodes_.for_each(rack, [&](models::NodeId node) {
      rack.uplink(node).set_up(up);
      rack.downlink(node).set_up(up);
    });
  }

  models::NodeChoice nodes_;
  sim::Duration up_ = 20_us, down_ = 5_us;
  bool is_outage_ = false;
};

const sim::Registration<models::FaultEntry> registration({
    .name = "flapping",
    .doc = "the wires of a node go down and up again, over and over",
    .make = [] { return std::make_shared<Flapping>(); },
});

}  // namespace

}  // namespace racksim::flapping
