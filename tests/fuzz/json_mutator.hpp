// Small changes to JSON documents that keep them well-formed, so that a fuzzer gets past the parser.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools::testing {

/// Changes one value of a document: replaces, copies, removes, adds or renames. The same document and seed give the
/// same result.
class JsonMutator {
 public:
  /// Takes keys and names from every string of `vocabulary`, such as a JSON Schema.
  explicit JsonMutator(const JsonValue& vocabulary);

  JsonValue mutate(const JsonValue& document, std::uint64_t seed) const;

 private:
  class Pass;
  void collect(const JsonValue& value);

  std::vector<std::string> words_;
};

}  // namespace racksim::tools::testing
