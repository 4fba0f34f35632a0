// Files that build on others. A scenario, fuzz template, figure or testbed names what it builds on, and says what
// differs:
//
//   {"base": "flowcc/lossy.json", "seed": 7, "protocol": {"flowcc": {"ways": 2}}, "faults": null}
//
// `base` is a file, or several of which each later one goes over those before it. Its path is relative to the file that
// names it; else it is one of those that come with the program. Objects are merged by key, arrays and single values are
// replaced, `null` removes what the base has. A value with its source (`{"value": ..., "source": ...}`, binding.hpp) is
// replaced whole, so that no value keeps the source of another. `name`, `doc` and `$schema` speak of the file they stand
// in and are not inherited.
//
// A suite file holds cases, each a scenario that builds on the rest of the file:
//
//   {"base": "flowcc/lossy.json", "cases": {"without-mark": {"set": {"protocol.flowcc.migration.rules.mark": false},
//                                                     "expect": {"violation": "single-writer"}}}}
//
// A case holds members of a scenario, merged like those of any file, and `set`: values by their dotted path, as `--set`
// takes them, which replace or, by `null`, remove. The case is named FILE/CASE; that is also the scenario's name, without
// the folder and ".json", unless the case gives another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A document put together from a file and all that it builds on, and where each of its values stands.
class Composition {
 public:
  /// Reads `path`, a file or FILE/CASE, and what it builds on. Throws InputError: for a file that cannot be read, a
  /// circle, more than 32 files, a suite without the name of a case, and a case that the file does not hold.
  explicit Composition(const std::string& path);

  /// The path that it was made from; it stands for the document in errors.
  const std::string& path() const { return path_; }
  /// The files that were read for it, the path's own first.
  const std::vector<std::string>& files() const { return files_; }
  /// Without `base` and `cases`, with the rack in its long form. A figure keeps the `base` that is its scenario.
  const JsonValue& document() const { return document_; }

  /// Calls `read` with the document and its path. An InputError that speaks of a place in the document is thrown again
  /// with the file and the place where that value stands.
  template <class Read>
  auto read(const Read& read) const {
    try {
      return read(document_, path_);
    } catch (const InputError& error) {
      rethrow(error);
    }
  }

  /// Where the value at `pointer` of the document stands: the last file that says something of it.
  JsonLocation origin(const std::string& pointer) const;

 private:
  friend class Composer;

  Composition() = default;
  [[noreturn]] void rethrow(const InputError& error) const;

  std::string path_;
  std::vector<std::string> files_;
  JsonValue document_;
  /// By pointer: where the value and all below it come from that no longer pointer names, and where an object was last
  /// added to.
  std::map<std::string, JsonLocation> values_, objects_;
};

/// The names of a suite file's cases, in its order; empty if the document is no suite.
std::vector<std::string> case_names(const JsonValue& document);

/// Writes `"rack": "concordia-8"`, which is short for `"rack": {"testbed": "concordia-8"}`, in its long form.
void expand_rack(JsonValue& document);

/// Makes the testbed's name and the workload's input in a scenario document such as are found from any folder.
void pin_files(JsonValue& document, const std::string& file);

}  // namespace racksim::tools
