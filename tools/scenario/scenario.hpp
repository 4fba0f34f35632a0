// A scenario: everything that one run depends on, typed and validated.
//
//   {"version": 1, "name": "quickstart", "doc": "What this scenario shows.", "seed": 1,
//    "rack": {"testbed": "concordia-8", "nodes": 4},                     or just "concordia-8"
//    "protocol": {"name": "flowcc", "flowcc": {"ownership": "switch"}},  options of other protocols may stand beside it
//    "workload": {"kind": "micro", "read_ratio": 0.5},
//    "run": {"warmup": "1ms", "measure": {"operations": 100000}, "drain": "10ms", "time_limit": "1s",
//            "execution": "fused", "schedule": {"order": "shuffle:7", "jitter": "5ns"}},
//    "faults": [{"kind": "loss", "probability": 0.01}],
//    "check": {"all": true, "packet-conservation": false, "sessions": true, "history": 100000},
//    "observe": {"trace": "trace.jsonl", "series_interval": "10us"},
//    "expect": {"verdict": "pass", "throughput_mops": {"min": 1.5}, "baseline": {"latency_ns.p99": "5%"}},
//    "fuzz": {"draw": {"workload.hold": ["0s", "10us"]}}}                for racksim fuzz alone (fuzz_guide.hpp)
//
// `version`, `rack`, `protocol` and `workload` must be given. "$schema" is allowed, for editors, and ignored.
// A file may leave out what a file has that it builds on: `base` and `cases` (composition.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/scenario/binding.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/fuzz_guide.hpp"
#include "tools/scenario/run_plan.hpp"

namespace racksim::tools {

/// The options of a component, read, whatever they are.
struct BoundParameters {
  std::string name;            ///< the component's
  sim::Parameters parameters;  ///< point into its options object
};

/// A component with its options read. Copies share the options object.
template <class Options>
struct BoundOptions : BoundParameters {
  std::shared_ptr<Options> options;
};

/// A component whose options are given in C++: for scenarios that are put together without a text.
template <class Base, class Options>
BoundOptions<Base> bound(std::string name, Options options) {
  auto kept = std::make_shared<Options>(std::move(options));
  BoundOptions<Base> result{{std::move(name), {}}, kept};
  kept->declare(result.parameters);
  return result;
}

struct Scenario {
  std::string file;                ///< where it was read from
  std::vector<std::string> files;  ///< what it was put together from, that file first, its testbed's behind
  std::string name;                ///< the file's name without ".json" if the scenario gives none
  std::string doc;                 ///< what the scenario is there for; may be empty
  std::uint64_t seed = 1;
  std::string testbed;
  BoundOptions<models::RackOptions> rack;  ///< the testbed's values with the scenario's over them
  std::vector<Annotation> annotations;     ///< what the testbed says about its constants
  BoundOptions<models::ProtocolOptions> protocol;
  BoundOptions<models::WorkloadOptions> workload;
  RunPlan run;
  std::vector<BoundOptions<models::Fault>> faults;
  std::vector<OracleSwitch> checks;  ///< every oracle of the catalogue, in its order
  HistoryOptions history;
  Observation observe;
  Expectations expect;
  FuzzGuide fuzz;
};

/// What the protocol and the workload promise: the oracles that `check.all` asks for besides those of every run.
std::vector<std::string> promised_oracles(const Scenario& scenario);

/// Reads a scenario file, or FILE/CASE of a suite, found as `find_scenario_file` says and put together with what it
/// builds on (composition.hpp), with `--set` overrides ("path=value") applied in order.
/// Options of protocols that are not selected are validated too. Throws InputError.
Scenario load_scenario(const std::string& path, const Catalogue& catalogue,
                       const std::vector<std::string>& overrides = {});

/// A testbed on its own: `version`, `name`, `doc` and the rack's constants.
struct Testbed {
  std::string name, doc;
  BoundOptions<models::RackOptions> rack;
  std::vector<Annotation> annotations;
  std::vector<std::string> files = {};  ///< what it was put together from
};
/// Reads a testbed file or a part of one, put together with what it builds on. What it does not give has its default.
/// Throws InputError.
Testbed load_testbed(const std::string& file, const Catalogue& catalogue);
/// The same for a document already read; `file` stands for it in errors.
Testbed read_testbed(const JsonValue& document, const std::string& file, const Catalogue& catalogue);

/// Whether a testbed's document is but a part that testbeds build on: a NIC or a switch makes no rack without `nodes`.
bool is_testbed_part(const JsonValue& document);

/// Gives the testbed that a scenario names at `named`, or refuses that place.
using TestbedSource =
    std::function<Testbed(const JsonLocation& named, const std::string& name, const Catalogue& catalogue)>;
/// Looks for a file as `find_testbed_file` says, from the folder of the file that names the testbed. Refuses a part.
Testbed testbed_from_files(const JsonLocation& named, const std::string& name, const Catalogue& catalogue);

/// Reads a scenario from a document already read; `file` stands for it in errors. Touches no file but through
/// `testbeds`.
Scenario read_scenario(JsonValue document, const std::string& file, const Catalogue& catalogue,
                       const std::vector<std::string>& overrides = {},
                       const TestbedSource& testbeds = testbed_from_files);

/// Every parameter in effect, defaults included, as a scenario that reads back as the same run.
JsonValue configuration(const Scenario& scenario);

/// The canonical text of what may change the run's behaviour, for the run hash: the configuration without the
/// scenario's and the testbed's names, `execution`, `idle_passes`, `expect_timeouts`, `check_invariants`, `settling`,
/// `check`, `observe`, `expect` and `fuzz`.
std::string behavioural_configuration(const Scenario& scenario);

/// The JSON Schema (draft 2020-12) of scenario files: `then` is of those that build on others, `else` of those that say
/// all themselves.
JsonValue scenario_schema(const Catalogue& catalogue);
/// The same of suites, of testbeds, and of the parts that testbeds are put together from.
JsonValue suite_schema(const Catalogue& catalogue);
JsonValue testbed_schema(const Catalogue& catalogue);
JsonValue testbed_part_schema(const Catalogue& catalogue);
/// Of `set` in cases and figures: values by their dotted paths. And of one such path.
JsonValue set_schema(const Catalogue& catalogue);
JsonValue path_schema(const Catalogue& catalogue);

}  // namespace racksim::tools
