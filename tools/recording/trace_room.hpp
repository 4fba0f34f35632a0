// A trace that leaves others room on its disk: it takes a few hundred bytes an observation, and a run has millions.
#pragma once

#include <string>

#include "sim/record/trace.hpp"
#include "tools/files/disk_room.hpp"

namespace racksim::tools {

/// Writes as JsonLinesTrace does, and looks now and then how much room is left.
class TraceWithRoom final : public sim::JsonLinesTrace {
 public:
  /// `file` is named by errors; `space` tells of its disk.
  TraceWithRoom(const sim::EventLog& event_log, std::ostream& out, sim::Time from, sim::Time until, DiskRoom room)
      : JsonLinesTrace(event_log, out, from, until), room_(std::move(room)) {}

  /// What to do about a disk with too little room.
  static constexpr const char* kAdvice = "observe.trace_from and observe.trace_until trace less";

  /// Throws OutputError when there is too little room, or none.
  void observe(const sim::Observation& observation) override;

 private:
  DiskRoom room_;
};

}  // namespace racksim::tools
