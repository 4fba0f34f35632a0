// A trace that leaves others room on its disk: it takes a few hundred bytes an observation, and a run has millions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/record/trace.hpp"

namespace racksim::tools {

/// How many bytes a trace leaves free on a disk of so many: a gibibyte, or a twentieth of a smaller disk.
std::uint64_t room_to_leave(std::uint64_t capacity);

/// Writes as JsonLinesTrace does, and looks now and then how much room is left.
class TraceWithRoom final : public sim::JsonLinesTrace {
 public:
  using Space = std::function<std::filesystem::space_info()>;
  static constexpr std::uint64_t kObservations = 512;  ///< between two looks

  /// `file` is named by errors; `space` tells of its disk.
  TraceWithRoom(const sim::EventLog& event_log, std::ostream& out, sim::Time from, sim::Time until, std::string file,
                Space space)
      : JsonLinesTrace(event_log, out, from, until), file_(std::move(file)), space_(std::move(space)) {}

  /// Throws OutputError when there is too little room, or none.
  void observe(const sim::Observation& observation) override;

 private:
  std::string file_;
  Space space_;
  std::uint64_t observations_ = 0;
};

}  // namespace racksim::tools
