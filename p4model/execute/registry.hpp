// Programs by name, for people: `racksim list programs` and `racksim fit NAME`. They register themselves
// (sim/options/registry.hpp). So do the shapes in which scenarios of the tree have them, for the build alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "p4model/language/program.hpp"
#include "sim/options/registry.hpp"

namespace racksim::p4 {

struct ProgramEntry {
  static constexpr std::string_view kWhat = "switch program";
  std::string name, doc;
  std::function<std::shared_ptr<const Program>()> make;
};

/// All programs linked into the program, in the order of their names.
inline const std::vector<ProgramEntry>& programs() {
  return sim::Registry<ProgramEntry>::entries();
}

/// A program as scenarios, examples, figures or fuzz templates have it, if not as it is registered above: the build
/// generates its passes too (p4model/generate; its folder's CMakeLists.txt names it).
struct ShippedShape {
  static constexpr std::string_view kWhat = "shape of a switch program";
  std::string name;
  std::function<std::shared_ptr<const Program>()> make;
};

}  // namespace racksim::p4
