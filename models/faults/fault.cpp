// What all kinds of faults share. See fault.hpp.
#include "models/faults/fault.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/rack/topology.hpp"
#include "models/switch/switch_chassis.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

using namespace sim::literals;

void Fault::declare(sim::Parameters& p) {
  p.length("from", from_, 0_s, kEver, "When it begins.");
  p.length("until", until_, 0_s, kEver, "When it ends; the end of the measured phase ends it in any case.");
}

void Fault::check(Rack&) const {
  if (until() <= from())
    throw sim::OptionError("until", fmt::format("{} ns", until().ns()),
                           fmt::format("an end after its beginning, {} ns", from().ns()));
}

void Fault::draw(sim::RandomStream& random, const FaultScene& scene) {
  from_ = sim::Duration::from_ps(static_cast<std::int64_t>(
              random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(1, scene.length.ps() / 1000))))) *
          1000;
  // A handful of them in a row stay within the patience of a reliable connection (8 timeouts of 131 us).
  until_ = from_ + draw_length(random, 1_us, std::clamp(scene.length / 2, 2_us, 200_us));
}

void NodeChoice::declare(sim::Parameters& p) {
  p.optional_integer("node", node, 0, kMostNodes - 1, "The node that it hits; null for all.");
}

void NodeChoice::check(const Rack& rack) const {
  if (node && *node >= rack.nodes()) {
    throw sim::OptionError("node", fmt::format("node {}", *node),
                           fmt::format("one of the {} nodes, counted from 0", rack.nodes()));
  }
}

std::string NodeChoice::where() const {
  return node ? fmt::format("node{}", *node) : "all nodes";
}

void NodeChoice::draw(sim::RandomStream& random, const FaultScene& scene) {
  node = random.below(scene.nodes);
  if (random.chance(0.2)) node.reset();
}

void SwitchChoice::declare(sim::Parameters& p) {
  p.text("switch", name, "The switch that it hits, such as \"tor1\" or \"spine\"; empty if there is one.")
      .neutral("")
      .canonical([this] { return name == kLoneSwitch ? "" : name; });
}

void SwitchChoice::check(const Rack& rack) const {
  if (of(rack) < rack.switches()) return;
  std::string names;
  for (unsigned number = 0; number < rack.switches(); ++number) {
    names += (names.empty() ? "" : ", ") + rack.chassis(number).name();
  }
  throw sim::OptionError("switch", name.empty() ? "nothing" : fmt::format("\"{}\"", name),
                         fmt::format("one of the rack's switches: {}", names));
}

unsigned SwitchChoice::of(const Rack& rack) const {
  if (name.empty() && rack.switches() == 1) return 0;
  unsigned number = 0;
  while (number < rack.switches() && rack.chassis(number).name() != name) ++number;
  return number;
}

void SwitchChoice::draw(sim::RandomStream& random, const FaultScene& scene) {
  name.clear();
  if (!scene.switches.empty()) name = scene.switches[random.below(scene.switches.size())];
}

sim::Duration draw_length(sim::RandomStream& random, sim::Duration least, sim::Duration most) {
  std::uint64_t doublings = 0;
  while (doublings < 62 && least.ps() <= (most.ps() >> (doublings + 1))) ++doublings;
  const std::int64_t low = least.ps() << random.below(doublings + 1);
  const auto more = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(low)));
  const std::int64_t drawn = std::min(low + more, most.ps());
  return sim::Duration::from_ps(std::max<std::int64_t>(1000, drawn / 1000 * 1000));
}

}  // namespace racksim::models
