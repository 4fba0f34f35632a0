// Swarm testing (Groce et al., "Swarm Testing", ISSTA 2012): scenarios derived from a template, each with a random
// subset of what may vary, because leaving features out finds what using all of them at once hides.
//
// Half of the runs are calm, so that a retry cannot hide what a protocol has lost by itself: no faults, jitter that no
// timeout minds, only moderate values (sim/options/parameters.hpp) and no timeout below its default. There the oracle
// `served` lets no timeout pass, and what the template expects of metrics must hold. What a template itself gives is
// taken for moderate, but for its timeouts. Of the other half, which have faults, one half is patient: in load,
// timeouts and jitter they are as calm runs are, so that `served` asks what explains each timeout. The rest may have
// anything; those that drew more load than is moderate, a timeout below the template's or much jitter say
// `run.expect_timeouts`.
//
// What may vary: every parameter of rack, protocol and workload whose declaration says `varied`
// (sim/options/parameters.hpp), or of which the template says so (tools/scenario/fuzz_guide.hpp); the faults, of the kinds that the protocol tolerates (models/service/protocol.hpp); the
// order of simultaneous events and their jitter; the seed. Run `i` depends on the template, the fuzz seed and `i`
// alone, and each choice draws from a random stream of its own, so that declaring one more parameter leaves the other
// choices where they were. If what is drawn does not fit each other, the run is drawn again, from streams that are
// named after the number of the redraw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

class Swarm {
 public:
  /// `document` is the template; `overrides` ("path=value") are applied to it, and what they set is never varied. The
  /// catalogue must outlive the swarm.
  /// Throws InputError if it is no valid scenario.
  Swarm(JsonValue document, std::string file, const Catalogue& catalogue, const std::vector<std::string>& overrides,
        std::uint64_t seed);

  /// The whole scenario of run `index`, as `racksim run` reads it; `redraw` counts those that were refused before.
  JsonValue derive(std::uint64_t index, std::uint64_t redraw = 0) const;

  const std::string& file() const { return file_; }
  std::uint64_t seed() const { return seed_; }
  /// The template, read.
  const Scenario& original() const { return original_; }
  /// The dotted paths of the parameters that may vary.
  std::vector<std::string> varied() const;
  /// All that may be drawn: these, and "fault KIND" for each kind of faults.
  std::vector<std::string> draws() const;
  /// Which of them a derived scenario has, as indices: parameters that are not as in the template, and kinds of faults.
  std::vector<std::uint64_t> drawn_in(const JsonValue& derived) const;

 private:
  enum class Manner {
    calm,     ///< no faults, and whatever the template expects of metrics
    patient,  ///< faults; no timeout comes from anything else
    hurried   ///< faults; load and short timeouts may make timeouts too
  };
  struct Choice {
    JsonValue value;
    bool calm = true;      ///< a calm run may have it
    bool patient = true;   ///< a patient run may
    bool strains = false;  ///< a run that has it expects timeouts
  };
  struct Knob {
    std::string path;
    std::vector<Choice> choices;
    std::uint64_t least = 0, most = 0;    ///< used instead if there are no choices
    bool calm = true;                     ///< any run may have less than `most`; else hurried ones, which are strained
    bool always = false;                  ///< never left as in the template, which is too large for short runs
    std::optional<JsonValue> calm_value;  ///< what one that is not hurried has if it draws nothing, not the template's
  };
  /// `component` tells the defaults.
  void add_knobs(const std::string& prefix, const sim::Parameters& defaults, const BoundParameters& options,
                 const std::vector<std::string>& overrides);
  /// Of what the template itself says (FuzzGuide).
  void add_drawn_by_template(const std::vector<std::string>& overrides);
  /// What the template expects of metrics; its verdict and baseline are not for other runs.
  void keep_expectations(const JsonValue& document);
  void tell_roles();
  Manner manner_of(const std::string& stream) const;
  /// Each of these returns whether the run expects timeouts for what it has drawn.
  bool set_knobs(JsonValue& document, const std::string& stream, double density, Manner manner) const;
  bool set_schedule(JsonValue& document, const std::string& stream, Manner manner) const;
  void set_faults(JsonValue& document, const std::string& stream, std::uint64_t operations) const;
  std::uint64_t set_length(JsonValue& document, const std::string& stream, Manner manner) const;
  sim::Duration longest_timeout(const JsonValue& document) const;
  std::vector<std::string> tolerated_by(const JsonValue& document) const;
  std::vector<std::string> fault_kinds() const;
  JsonValue own_faults(const JsonValue& document, const std::vector<std::string>& tolerated) const;
  void give_time(JsonValue& document) const;

  const Catalogue* catalogue_;
  JsonValue document_;
  JsonValue expect_ = JsonValue::object();
  std::string file_;
  std::uint64_t seed_;
  Scenario original_;
  std::vector<Knob> knobs_;
  bool vary_faults_ = true, vary_schedule_ = true, vary_length_ = true;
};

/// The swarm of a template file, or FILE/CASE, put together with what it builds on. Throws InputError.
Swarm load_swarm(const std::string& file, const Catalogue& catalogue, const std::vector<std::string>& overrides,
                 std::uint64_t seed);

/// Those of several templates, which must be of one protocol. Throws InputError.
std::vector<Swarm> load_swarms(const std::vector<std::string>& files, const Catalogue& catalogue,
                               const std::vector<std::string>& overrides, std::uint64_t seed);

}  // namespace racksim::tools
