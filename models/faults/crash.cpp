// `crash`: a server goes off, with all that is on it, and comes back as another incarnation.
//
// The crash is the schedule's own calendar event, so no task is on the stack when the server's tasks are destroyed.
#include <stdexcept>

#include "models/faults/fault.hpp"

namespace racksim::models {

namespace {

class Crash final : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    p.length("from", from_, sim::Duration{}, kEver, "When the node goes off.");
    p.length("until", until_, sim::Duration{}, kEver,
             "When it is started again; without it, at the end of the measured phase.");
    p.integer("node", node_, 0, 254, "The node.");
    p.flag("stays_down", stays_down_, "The end of the measured phase does not start it again.");
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    NodeChoice{node_}.check(rack);
  }
  std::string where() const override { return NodeChoice{node_}.where(); }
  void begin(Rack& rack) override { rack.crash(static_cast<NodeId>(node_)); }
  void end(Rack& rack) override { rack.restart(static_cast<NodeId>(node_)); }
  bool outlives_heal() const override { return stays_down_; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    node_ = random.below(scene.nodes);
    if (random.chance(0.3)) until_ = kEver;
    stays_down_ = random.chance(0.2);
  }

 private:
  std::uint64_t node_ = 0;
  bool stays_down_ = false;
};

const sim::Registration<FaultEntry> crash(
    {.name = "crash",
     .doc = "a node goes off, its tasks, memory and connections are lost, and comes back as a new incarnation",
     .make = [] { return std::make_shared<Crash>(); }});

}  // namespace

}  // namespace racksim::models
