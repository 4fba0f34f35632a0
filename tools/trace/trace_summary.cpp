// See trace_summary.hpp.
#include "tools/trace/trace_summary.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/workloads/trace/trace_keys.hpp"
#include "sim/kernel/time.hpp"
#include "sim/record/flat_map.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {

namespace {

std::string length_text(std::uint64_t ps) {
  return format_length(sim::Duration::from_ps(static_cast<std::int64_t>(ps)));
}

}  // namespace

TraceSummary trace_summary(models::TraceReader& reader) {
  TraceSummary summary{.file = reader.file(),
                       .format = reader.format(),
                       .contents = reader.contents(),
                       .operations = {},
                       .greatest_key = {}};
  models::TraceRecord record;
  sim::FlatMap<std::uint8_t> keys;
  std::uint64_t before = 0;
  for (; reader.next(record); ++summary.records) {
    summary.first_ps = summary.records == 0 ? record.at_ps : std::min(summary.first_ps, record.at_ps);
    summary.last_ps = std::max(summary.last_ps, record.at_ps);
    if (record.at_ps < before) ++summary.out_of_order;
    before = record.at_ps;
    summary.last_node = std::max(summary.last_node, record.node);
    summary.last_thread = std::max(summary.last_thread, record.thread);
    ++summary.operations.at(static_cast<std::size_t>(record.operation));
    keys[models::key_hash(record)] = 1;
    if (!record.key) ++summary.texts;
    if (record.key) summary.greatest_key = std::max(summary.greatest_key.value_or(0), *record.key);
    summary.bytes += record.size;
    summary.largest = std::max(summary.largest, record.size);
  }
  summary.keys = keys.size();
  return summary;
}

std::string trace_summary_text(const TraceSummary& summary) {
  std::string text =
      fmt::format("trace        {} ({})\nrecords      {}\n", summary.file, to_string(summary.format), summary.records);
  if (summary.records == 0) return text;
  text += "times        ";
  if (summary.contents.times) {
    text += fmt::format("from {} to {}{}\n", length_text(summary.first_ps), length_text(summary.last_ps),
                        summary.out_of_order == 0
                            ? ""
                            : fmt::format(", {} records before the one in front of them", summary.out_of_order));
  } else {
    text += "none: for the closed loop\n";
  }
  text += "sessions     ";
  if (summary.contents.sessions) {
    text += fmt::format("nodes 0 to {}, threads 0 to {}\n", summary.last_node, summary.last_thread);
  } else {
    text += summary.contents.clients ? "none, but clients: \"sessions\": \"client\" or \"turn\"\n"
                                     : "none: \"sessions\": \"turn\"\n";
  }
  text += "operations  ";
  for (std::size_t i = 0; i < summary.operations.size(); ++i) {
    if (summary.operations[i] == 0) continue;
    text += fmt::format(" {} {}", to_string(static_cast<models::TraceOperation>(i)), summary.operations[i]);
  }
  text += fmt::format("\nkeys         {} different", summary.keys);
  if (summary.greatest_key) text += fmt::format(", numbers up to {}", *summary.greatest_key);
  if (summary.texts > 0) {
    text += fmt::format(", {} records with other texts: \"keys\": \"hashed\" or \"numbered\"", summary.texts);
  }
  return text + fmt::format("\nsizes        {:.1f} bytes in the mean, {} at most\n",
                            static_cast<double>(summary.bytes) / static_cast<double>(summary.records), summary.largest);
}

JsonValue trace_summary_json(const TraceSummary& summary) {
  JsonValue operations = JsonValue::object();
  for (std::size_t i = 0; i < summary.operations.size(); ++i) {
    if (summary.operations[i] > 0) {
      operations.set(to_string(static_cast<models::TraceOperation>(i)), summary.operations[i]);
    }
  }
  const auto ns = [](std::uint64_t ps) { return static_cast<double>(ps) / 1000; };
  return JsonValue::object(
      {{"file", summary.file},
       {"format", to_string(summary.format)},
       {"records", summary.records},
       {"first_ns", summary.contents.times ? JsonValue(ns(summary.first_ps)) : JsonValue()},
       {"last_ns", summary.contents.times ? JsonValue(ns(summary.last_ps)) : JsonValue()},
       {"out_of_order", summary.out_of_order},
       {"last_node", summary.contents.sessions ? JsonValue(std::uint64_t{summary.last_node}) : JsonValue()},
       {"last_thread", summary.contents.sessions ? JsonValue(std::uint64_t{summary.last_thread}) : JsonValue()},
       {"operations", std::move(operations)},
       {"keys", summary.keys},
       {"greatest_key", summary.greatest_key ? JsonValue(*summary.greatest_key) : JsonValue()},
       {"text_keys", summary.texts},
       {"bytes", summary.bytes},
       {"largest", std::uint64_t{summary.largest}}});
}

}  // namespace racksim::tools
