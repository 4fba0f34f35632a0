// The report of a run for people: first what they ask first, and the rest if they ask for it.
//
//   scenario, throughput and latency, with how both went over the run, each kind of operation and each who answers
//   nodes, what limited it, trouble
//   what was checked, the verdict, and what to run next if it failed
#pragma once

#include <cstdint>
#include <string>

#include "tools/experiment/experiment.hpp"

namespace racksim::tools {

/// Which numbers a page has: those that a person asks first, or all that are meant for one.
enum class Detail : std::uint8_t { usual, all };

/// Commands for a run, as they are printed.
struct RunCommands {
  std::string replay;   ///< what runs it again
  std::string explain;  ///< what explains it; empty if nothing can
};

/// A page for the terminal. The commands are printed when something failed.
std::string report_text(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                        const RunCommands& commands, Detail detail = Detail::usual);

}  // namespace racksim::tools
