// Swarm testing (Groce et al., "Swarm Testing", ISSTA 2012): scenarios derived from a template, each with a random
// subset of what may vary, because leaving features out finds what using all of them at once hides.
//
// What may vary: every parameter of rack, protocol and workload whose declaration says `varied` (sim/parameters.hpp);
// the faults, of the kinds that the protocol tolerates (models/protocol.hpp); the order of simultaneous events and
// their jitter; the seed. Run `i` depends on the template, the fuzz seed and `i` alone, and each choice draws from a
// random stream of its own, so that declaring one more parameter leaves the other choices where they were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/scenario.hpp"

namespace racksim::tools {

class Swarm {
 public:
  /// `document` is the template; `overrides` ("path=value") are applied to it, and what they set is never varied. The
  /// catalogue must outlive the swarm.
  /// Throws InputError if it is no valid scenario.
  Swarm(JsonValue document, std::string file, const Catalogue& catalogue, const std::vector<std::string>& overrides,
        std::uint64_t seed);

  /// The whole scenario of run `index`, as `racksim run` reads it.
  JsonValue derive(std::uint64_t index) const;

  const std::string& file() const { return file_; }
  std::uint64_t seed() const { return seed_; }
  /// The template, read.
  const Scenario& original() const { return original_; }
  /// The dotted paths of the parameters that may vary.
  std::vector<std::string> varied() const;

 private:
  struct Knob {
    std::string path;
    std::vector<JsonValue> values;
    std::uint64_t least = 0, most = 0;  ///< used instead if there are no values
    bool always = false;                ///< never left as in the template, which is too large for short runs
  };
  void add_knobs(const std::string& prefix, const BoundOptions& options, const std::vector<std::string>& overrides);
  void set_schedule(JsonValue& document, const std::string& stream) const;
  std::uint64_t set_length(JsonValue& document, const std::string& stream) const;
  sim::Duration longest_timeout(const JsonValue& document) const;

  const Catalogue* catalogue_;
  JsonValue document_;
  std::string file_;
  std::uint64_t seed_;
  Scenario original_;
  std::vector<Knob> knobs_;
  std::vector<std::string> tolerated_;  ///< kinds of faults that the protocol promises to survive
  bool vary_faults_ = true, vary_schedule_ = true, vary_length_ = true;
};

/// Makes the testbed's name in a scenario document one that is found from any folder.
void pin_testbed(JsonValue& document, const std::string& file);

}  // namespace racksim::tools
