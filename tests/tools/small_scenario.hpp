// A scenario that takes a moment, in a folder of its own, for commands that run it several times.
#pragma once

#include <string>

#include "tests/tools/run_racksim.hpp"

namespace racksim::tools::testing {

/// A folder with small.json, whose seed is 7.
struct SmallScenario {
  SmallScenario() {
    folder.write("small.json", R"({
  "version": 1, "name": "small", "seed": 7, "rack": {"testbed": "concordia-8", "nodes": 3},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 1000}}})");
  }
  Outcome call(const std::string& arguments) const { return run_racksim(folder, arguments); }

  TemporaryFolder folder;
};

}  // namespace racksim::tools::testing
