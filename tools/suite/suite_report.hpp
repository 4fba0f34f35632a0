// A suite's results as a table, as JSON and as JUnit XML.
#pragma once

#include <string>
#include <vector>

#include "tools/suite/suite.hpp"

namespace racksim::tools {

/// One line a scenario, the reasons below those that failed, and a line that counts.
std::string suite_text(const std::vector<SuiteScenario>& scenarios, const std::vector<SuiteResult>& results,
                       double wall_seconds);

/// Keys: verdict, wall_s, provenance, and for each of `scenarios` name, file, verdict ("pass", "fail", or "skipped"
/// after an interruption), seconds, modes, failures, baseline, and seeds where several were run.
JsonValue suite_json(const std::vector<SuiteScenario>& scenarios, const std::vector<SuiteResult>& results,
                     double wall_seconds);

/// JUnit XML as CI systems read it: a test suite for each folder, a failure or (no verdict reached) an error each.
std::string suite_junit(const std::vector<SuiteScenario>& scenarios, const std::vector<SuiteResult>& results);

/// `text` between XML's quotes or tags: markup escaped, and what XML 1.0 cannot hold at all (most control characters,
/// bytes that are no UTF-8) replaced by "?".
std::string xml_escaped(std::string_view text);

}  // namespace racksim::tools
