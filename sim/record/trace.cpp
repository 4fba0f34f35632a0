#include "sim/record/trace.hpp"

#include <iterator>
#include <ostream>
#include <stdexcept>

namespace racksim::sim {

std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result += '"';
}

void JsonLinesTrace::observe(const Observation& observation) {
  if (observation.at < from_ || observation.at > until_) return;
  line_.clear();
  fmt::format_to(std::back_inserter(line_),
                 "{{\"t_ps\":{},\"source\":{},\"what\":\"{}\",\"op\":{},\"detail\":[{},{},{}]}}\n", observation.at.ps(),
                 quoted_name(observation.source), to_string(observation.what), observation.operation,
                 observation.detail[0], observation.detail[1], observation.detail[2]);
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
  if (!out_) throw std::runtime_error("the trace cannot be written: is the disk full?");
}

const std::string& JsonLinesTrace::quoted_name(Source source) {
  if (source.index >= quoted_names_.size()) quoted_names_.resize(source.index + 1);
  auto& quoted = quoted_names_[source.index];
  if (quoted.empty()) quoted = json_quoted(event_log_.name(source));
  return quoted;
}

}  // namespace racksim::sim
