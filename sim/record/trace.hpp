// A trace of a run as JSON lines, one object per observation:
//
//   {"t_ps":1500,"source":"node0/nic","what":"message_sent","op":7,"detail":[64,0,0]}
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record/event_log.hpp"

namespace racksim::sim {

/// `text` as a JSON string with its quotes: quotes, backslashes and control characters escaped, the rest as it is.
std::string json_quoted(std::string_view text);

/// Writes an event log's observations to a stream: all of them, or those of a window of time.
class JsonLinesTrace : public Observer {
 public:
  /// Both must outlive the trace. The event log gives the sources' names; attach the trace to it.
  JsonLinesTrace(const EventLog& event_log, std::ostream& out,
                 Time from = Time::from_ps(std::numeric_limits<std::int64_t>::min()), Time until = Time::max())
      : event_log_(event_log), out_(out), from_(from), until_(until) {}

  /// Writes one line, if the observation lies in the window (both ends included). A stream that fails (a full disk) is
  /// a std::runtime_error.
  void observe(const Observation& observation) override;

 private:
  const std::string& quoted_name(Source source);

  const EventLog& event_log_;
  std::ostream& out_;
  Time from_, until_;
  std::vector<std::string> quoted_names_;  // by source, filled when first seen
  fmt::memory_buffer line_;
};

}  // namespace racksim::sim
