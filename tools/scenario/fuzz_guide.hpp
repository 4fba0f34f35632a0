// `fuzz`: what a scenario says of itself as a template of racksim fuzz, beyond what the declarations of options say.
//
//   "fuzz": {"draw": {"workload.hold": ["0s", "10us", "3ms"]},
//            "leave": {"protocol.selcc.gamma": "locks that are held for so long are given up by turns"}}
#pragma once

#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct FuzzGuide {
  /// A parameter that is drawn from these values, whatever its declaration says. The template sees to it that all
  /// promises are kept with them, and that calm runs stay calm.
  struct Draw {
    std::string path;  ///< dotted
    std::vector<JsonValue> values;
  };
  /// A parameter that stays as the template has it, and why.
  struct Leave {
    std::string path, why;
  };
  std::vector<Draw> draw;
  std::vector<Leave> leave;

  const Draw* draw_of(const std::string& path) const;
  const Leave* leave_of(const std::string& path) const;
};

/// Throws InputError. Whether the paths are of parameters that the scenario has is for whoever draws to say.
FuzzGuide read_fuzz_guide(const JsonValue& value, const JsonLocation& place);
JsonValue fuzz_guide_schema();

}  // namespace racksim::tools
