// See trace_csv.hpp.
#include "models/workloads/trace/trace_csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_numbers.hpp"

namespace racksim::models {

namespace {

enum Role : std::uint8_t { time, node, thread, op, key, size, client, count, kRoles };
constexpr std::array<std::string_view, kRoles> kNames = {"time", "node", "thread", "op",
                                                         "key",  "size", "client", "count"};
struct TimeUnit {
  std::string_view name;
  std::uint64_t ps;
};
constexpr std::array<TimeUnit, 4> kTimes = {
    {{"time_s", 1'000'000'000'000}, {"time_ms", 1'000'000'000}, {"time_us", 1'000'000}, {"time_ns", 1'000}}};

/// Which column has which role.
struct Plan {
  std::array<std::optional<std::size_t>, kRoles> column;
  std::uint64_t time_unit_ps = 1000;
  bool from_first = false;  ///< times count from the first record on
  bool has_header = true;
  TraceFormat format = TraceFormat::csv;
};

std::optional<std::size_t> place_of(const std::vector<std::string_view>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

class CsvReader final : public TraceReader {
 public:
  CsvReader(std::unique_ptr<TraceBytes> of, const Plan& plan) : TraceReader(std::move(of)), plan_(plan) {
    for (const auto& column : plan_.column) {
      if (column) columns_ = std::max(columns_, *column + 1);
    }
    contents_ = {.times = has(time), .sessions = has(node) && has(thread), .clients = has(client), .numbers = false};
  }

  TraceContents contents() const override { return contents_; }
  TraceFormat format() const override { return plan_.format; }
  std::uint64_t position() const override { return bytes().line_number(); }
  void rewind() override {
    bytes().rewind();
    if (plan_.has_header) bytes().line();
    first_.reset();
    again_ = 0;
  }

  bool next(TraceRecord& record) override {
    if (again_ > 0) {
      --again_;
      return true;
    }
    const auto line = bytes().line();
    if (!line) return false;
    split_fields(*line, fields_);
    if (fields_.size() < columns_) {
      refuse(fmt::format("{} fields", fields_.size()), fmt::format("at least {}", columns_));
    }
    if (has(time)) record.at_ps = time_of(field(time));
    record.node = small(node, "a node");
    record.thread = small(thread, "a thread");
    record.size = small(size, "a size");
    record.operation = TraceOperation::get;
    if (has(op)) {
      const auto operation = trace_operation(field(op));
      if (!operation) refuse(fmt::format("the operation \"{}\"", field(op)), trace_operation_names());
      record.operation = *operation;
    }
    record.key = key_number(field(key));
    if (!record.key) record.key_text = field(key);
    if (has(client)) record.client = field(client);
    if (has(count)) {
      const auto times = whole_number(field(count));
      if (!times || *times == 0) refuse(fmt::format("the count \"{}\"", field(count)), "a whole number from 1");
      again_ = *times - 1;
    }
    return true;
  }

 private:
  bool has(Role role) const { return plan_.column[role].has_value(); }
  std::string_view field(Role role) const { return fields_[*plan_.column[role]]; }

  /// A number below 2^32; 0 if there is no such column.
  std::uint32_t small(Role role, const char* what) const {
    if (!has(role)) return 0;
    const auto number = whole_number(field(role));
    if (!number || *number >> 32 != 0) {
      refuse(fmt::format("{} \"{}\"", what, field(role)), "a whole number from 0 to 4294967295");
    }
    return static_cast<std::uint32_t>(*number);
  }
  std::uint64_t time_of(std::string_view text) {
    const auto at = instant(text, plan_.time_unit_ps);
    if (!at) refuse(fmt::format("the time \"{}\"", text), "a number from 0, exact to the picosecond");
    if (!first_) first_ = plan_.from_first ? *at : 0;
    if (*at < *first_) refuse(fmt::format("the time \"{}\"", text), "one that is not before the first record's");
    if (*at - *first_ > kLastInstant) refuse(fmt::format("the time \"{}\"", text), "at most 2^63 picoseconds");
    return static_cast<std::uint64_t>(*at - *first_);
  }

  Plan plan_;
  std::size_t columns_ = 0;
  TraceContents contents_;
  std::vector<std::string_view> fields_;
  std::optional<Picoseconds> first_;
  std::uint64_t again_ = 0;  // how often the record is to come once more
};

/// What an entry of the list says, or a refusal of the list.
struct Mapping {
  Role role = kRoles;
  std::string column;
};

[[noreturn]] void refuse_list(const std::string& found) {
  throw sim::OptionError(
      "columns", found,
      "a list like \"time_us=ts op=verb key=object_id size=bytes client=host\" with a key; roles are "
      "time_s, time_ms, time_us, time_ns, node, thread, op, key, size, client and count");
}

std::vector<Mapping> parsed_list(std::string_view text, Plan& plan) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view entry = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    const std::string_view name = entry.substr(0, equals);
    Mapping mapping{.role = kRoles, .column = {}};
    for (std::size_t role = node; role < kRoles; ++role) {
      if (kNames[role] == name) mapping.role = static_cast<Role>(role);
    }
    for (const TimeUnit& unit : kTimes) {
      if (unit.name != name) continue;
      mapping.role = time;
      plan.time_unit_ps = unit.ps;
    }
    if (mapping.role == kRoles || equals == std::string_view::npos || equals + 1 == entry.size()) {
      refuse_list(fmt::format("\"{}\"", entry));
    }
    for (const Mapping& other : mappings) {
      if (other.role == mapping.role) refuse_list(fmt::format("two columns for \"{}\"", kNames[mapping.role]));
    }
    mapping.column = entry.substr(equals + 1);
    mappings.push_back(std::move(mapping));
  }
  if (std::none_of(mappings.begin(), mappings.end(), [](const Mapping& m) { return m.role == key; })) {
    refuse_list("no column for the key");
  }
  return mappings;
}

}  // namespace

void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    if (line.starts_with('"')) {
      std::size_t end = line.find('"', 1);
      while (end != std::string_view::npos && end + 1 < line.size() && line[end + 1] == '"')
        end = line.find('"', end + 2);
      if (end != std::string_view::npos && (end + 1 == line.size() || line[end + 1] == ',')) {
        fields.push_back(line.substr(1, end - 1));
        if (end + 1 == line.size()) return;
        line.remove_prefix(end + 2);
        continue;
      }
    }
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

bool is_trace_header(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> names;
  split_fields(line, names);
  return place_of(names, "op") && place_of(names, "key");
}

std::unique_ptr<TraceReader> open_csv_trace(std::unique_ptr<TraceBytes> bytes) {
  const auto header = bytes->line();
  if (!header || !is_trace_header(*header)) {
    throw TraceError(bytes->file(), "line 1", header ? "no header of a trace" : "nothing",
                     "\"op\" and \"key\" among the names of its columns, as in time_ns,node,thread,op,key,size");
  }
  std::vector<std::string_view> names;
  split_fields(*header, names);
  Plan plan;
  for (std::size_t role = node; role < client; ++role) plan.column[role] = place_of(names, kNames[role]);
  plan.column[time] = place_of(names, "time_ns");
  return std::make_unique<CsvReader>(std::move(bytes), plan);
}

std::unique_ptr<TraceReader> open_columns(std::unique_ptr<TraceBytes> bytes, const std::string& columns) {
  Plan plan{.column = {}, .time_unit_ps = 1000, .from_first = true, .has_header = true, .format = TraceFormat::columns};
  const std::vector<Mapping> mappings = parsed_list(columns, plan);
  plan.has_header = !std::all_of(mappings.begin(), mappings.end(),
                                 [](const Mapping& mapping) { return whole_number(mapping.column).value_or(0) > 0; });
  std::vector<std::string_view> names;
  std::optional<std::string_view> header;
  if (plan.has_header) header = bytes->line();
  if (header) split_fields(*header, names);
  for (const Mapping& mapping : mappings) {
    auto column = plan.has_header ? place_of(names, mapping.column) : *whole_number(mapping.column) - 1;
    if (!column) {
      throw TraceError(bytes->file(), "line 1", fmt::format("no column \"{}\"", mapping.column),
                       "one of this name, or numbers from 1 for all columns of a file without a header");
    }
    plan.column[mapping.role] = column;
  }
  return std::make_unique<CsvReader>(std::move(bytes), plan);
}

}  // namespace racksim::models
