// What a fuzzing campaign has come to, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/fuzz/fuzz.hpp"
#include "tools/fuzz/shrink.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A campaign, and what was made of what it found.
struct FuzzReport {
  const Swarm& swarm;
  const FuzzResult& result;
  std::string file;  ///< the template, as it was named
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  bool baseline = false;              ///< it was compared with one
  std::vector<std::string> lost;      ///< race points of the baseline
  std::vector<std::string> files;     ///< of the failures; empty where none could be written
  std::vector<std::string> commands;  ///< of the failures: what runs each again
  const std::optional<ShrinkResult>& shrunk;
  std::string shrunk_file;
};

std::string fuzz_report_text(const FuzzReport& report);
JsonValue fuzz_report_json(const FuzzReport& report);

}  // namespace racksim::tools
