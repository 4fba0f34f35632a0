// `crash`: a server goes off, with all that is on it, and comes back as another incarnation. `availability`: it does so
// as its profile says.
//
// The crash is the schedule's own calendar event, so no task is on the stack when the server's tasks are destroyed.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/faults/availability.hpp"
#include "models/faults/fault.hpp"

namespace racksim::models {

namespace {

class Crash final : public Fault {
 public:
  Crash() = default;
  Crash(std::uint64_t node, sim::Duration from, sim::Duration until, bool stays_down)
      : node_(node), stays_down_(stays_down) {
    from_ = from;
    until_ = until;
  }

  void declare(sim::Parameters& p) override {
    p.length("from", from_, sim::Duration{}, kEver, "When the node goes off.");
    p.length("until", until_, sim::Duration{}, kEver,
             "When it is started again; without it, at the end of the measured phase.");
    p.integer("node", node_, 0, kMostNodes - 1, "The node.");
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
    node_ = random.below(scene.mortal.value_or(scene.nodes));
    if (random.chance(0.3) && !scene.all_return) until_ = kEver;
    stays_down_ = random.chance(0.2) && !scene.all_return;
  }

 private:
  std::uint64_t node_ = 0;
  bool stays_down_ = false;
};

class Availability final : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    p.length("from", from_, sim::Duration{}, kEver, "When the profile begins: its times count from there.");
    p.length("until", until_, sim::Duration{}, kEver, "Outages that would begin then or later are left out.");
    p.integer("node", node_, 0, kMostNodes - 1, "The node.");
    p.text("profile", profile_,
           "When the node goes off and on, as SimGrid's state profiles say it: a line, or what stands between "
           "semicolons, with a time in seconds and 0 for off or 1 for on; a last \"LOOPAFTER 0.001\" repeats it.")
        .canonical([this] { return canonical_profile(profile_); });
    p.flag("stays_down", stays_down_, "The end of the measured phase does not start it again.");
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    NodeChoice{node_}.check(rack);
    if (outages().empty()) {
      throw sim::OptionError("profile", fmt::format("\"{}\"", profile_), "a node that goes off before \"until\"");
    }
  }
  std::string where() const override { return NodeChoice{node_}.where(); }
  std::vector<std::shared_ptr<Fault>> parts() const override {
    std::vector<std::shared_ptr<Fault>> crashes;
    for (const Outage& outage : outages()) {
      const sim::Duration until = outage.until < kEver - from_ ? from_ + outage.until : kEver;
      crashes.push_back(std::make_shared<Crash>(node_, from_ + outage.from, until, stays_down_));
    }
    return crashes;
  }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    until_ = kEver;
    node_ = random.below(scene.mortal.value_or(scene.nodes));
    profile_.clear();
    const std::uint64_t outages = 1 + random.below(3);
    sim::Duration at{};
    for (std::uint64_t i = 0; i < 2 * outages; ++i) {
      profile_ += fmt::format("{}{:.9f} {}", profile_.empty() ? "" : "; ", at.seconds(), i % 2);
      at += draw_length(random, sim::Duration::from_ps(1'000'000),
                        std::max(scene.length / 4, sim::Duration::from_ps(2'000'000)));
    }
    stays_down_ = random.chance(0.2) && !scene.all_return;
  }

 private:
  std::vector<Outage> outages() const { return read_profile(profile_, until_ - from_); }

  std::uint64_t node_ = 0;
  std::string profile_ = "0 0";
  bool stays_down_ = false;
};

const sim::Registration<FaultEntry> availability(
    {.name = "availability",
     .doc = "a node goes off and comes back as its availability profile says, each time as a new incarnation",
     .make = [] { return std::make_shared<Availability>(); }});

const sim::Registration<FaultEntry> crash(
    {.name = "crash",
     .doc = "a node goes off, its tasks, memory and connections are lost, and comes back as a new incarnation",
     .make = [] { return std::make_shared<Crash>(); }});

}  // namespace

}  // namespace racksim::models
