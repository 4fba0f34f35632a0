// A fault: its options, when it begins and ends, and what it does to a rack. The kinds are in models/faults/, the
// schedule in faults.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/rack/rack.hpp"
#include "sim/options/option_error.hpp"
#include "sim/options/parameters.hpp"
#include "sim/options/registry.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

/// What a random fault has to fit.
struct FaultScene {
  std::uint64_t nodes = 2;
  /// How long the part of the run is in which faults may happen.
  sim::Duration length = sim::Duration::from_ps(1'000'000'000);
  /// After which the protocol, or a NIC, has sent again what it got no answer to, however often before; zero for never.
  sim::Duration longest_timeout{};
  /// Those that may crash: the first so many; of nothing all.
  std::optional<std::uint64_t> mortal{};
  /// Those that crash come back on their own, not only when faults are healed.
  bool all_return = false;
  /// Names of the links between switches, and of the switches, where there are several.
  std::vector<std::string> links{}, switches{};
};

/// One fault of a scenario. Kinds derive from it and add options, or replace how its time is said.
class Fault {
 public:
  virtual ~Fault() = default;

  /// Declares the options; those here are `from` and `until`.
  virtual void declare(sim::Parameters& parameters);
  /// Throws sim::OptionError when the options do not fit the rack or each other. Called before the run.
  virtual void check(Rack& rack) const;
  /// When it begins and ends, counted from the start of the run; the heal may end it before.
  sim::Duration from() const { return from_; }
  virtual sim::Duration until() const { return until_; }
  /// Whom it hits, for traces: "node2", "all nodes", "switch".
  virtual std::string where() const = 0;

  /// Called when the run begins: NICs and switch compute packets ahead, so what concerns those is announced.
  virtual void announce(Rack&) {}
  /// Called at `from` and at the end, for what can be done on the spot.
  virtual void begin(Rack&) {}
  virtual void end(Rack&) {}
  /// Called instead of both when the heal comes first, to take back what was announced.
  virtual void withdraw(Rack&) {}

  /// When it ends at the latest if faults are healed at `heal`; one that would begin then or later is withdrawn. What
  /// was announced cannot end on the spot.
  virtual sim::Time healed_by(sim::Time heal) const { return heal; }
  /// Whether it lasts beyond the heal if it has begun.
  virtual bool outlives_heal() const { return false; }
  /// Whether it acts on packets alone, each of which its wire reports; else on machines as a whole, and what they do
  /// while it lasts may be late (sim::Disturbance).
  virtual bool acts_on_packets_alone() const { return false; }
  /// Whether of two at once the later to begin counts. When one of them ends, those that remain begin again.
  virtual bool replaces_earlier() const { return false; }

  /// Of a kind that stands for several faults, one after the other: those, which the schedule takes in its place.
  virtual std::vector<std::shared_ptr<Fault>> parts() const { return {}; }

  /// Draws all options at random, for a scene.
  virtual void draw(sim::RandomStream& random, const FaultScene& scene);

  /// "For ever": the longest run that the simulator takes.
  static constexpr sim::Duration kEver = sim::Duration::from_ps(1'000'000'000'000'000);
  /// How far ahead the end of what was announced is said: longer than the switch's whole buffer takes to leave by one
  /// port.
  static constexpr sim::Duration kHealNotice = sim::Duration::from_ps(1'000'000'000);

 protected:
  sim::Duration from_{}, until_ = kEver;
};

/// An option of many kinds: one node, or all.
struct NodeChoice {
  std::optional<std::uint64_t> node;

  void declare(sim::Parameters& parameters);
  void check(const Rack& rack) const;
  std::string where() const;
  void draw(sim::RandomStream& random, const FaultScene& scene);
  template <class Act>
  void for_each(Rack& rack, Act&& act) const {
    for (std::size_t n = 0; n < rack.nodes(); ++n) {
      if (!node || *node == n) act(static_cast<NodeId>(n));
    }
  }
};

/// An option of kinds that hit a switch: which one.
struct SwitchChoice {
  std::string name;  ///< empty: the only one

  void declare(sim::Parameters& parameters);
  void check(const Rack& rack) const;
  std::string where() const { return name.empty() ? "switch" : name; }
  void draw(sim::RandomStream& random, const FaultScene& scene);
  /// Its number, once it has been checked.
  unsigned of(const Rack& rack) const;
};

/// A kind of fault. Each registers itself (sim/options/registry.hpp).
struct FaultEntry {
  static constexpr std::string_view kWhat = "fault";
  std::string name, doc;
  std::function<std::shared_ptr<Fault>()> make;
  std::uint64_t least_nodes = 1;  ///< that a rack must have
  bool names_packets = false;     ///< whether it hits packets that its options name, not random ones
};

/// A length between two positive ones, in whole nanoseconds, short ones as likely as long ones: uniform in its
/// magnitude.
sim::Duration draw_length(sim::RandomStream& random, sim::Duration least, sim::Duration most);

}  // namespace racksim::models
