// See trace_source.hpp.
#include "models/workloads/trace/trace_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_opening.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

using Sessions = TraceOptions::Sessions;

TraceSource::TraceSource(const TraceOptions& options)
    : options_(options), reader_(open_trace(options.file, options.format, options.columns)) {
  const TraceContents contents = reader_->contents();
  const std::string what = "a trace in the form " + to_string(reader_->format());
  if (options.loop == TraceOptions::Loop::open && !contents.times) {
    throw sim::OptionError("loop", what + ", without times", "\"closed\"");
  }
  if (options.sessions == Sessions::columns && !contents.sessions) {
    throw sim::OptionError("sessions", what + ", without columns \"node\" and \"thread\"",
                           contents.clients ? "\"client\" or \"turn\"" : "\"turn\"");
  }
  if (options.sessions == Sessions::client && !contents.clients) {
    throw sim::OptionError("sessions", what + ", without clients",
                           contents.sessions ? "\"columns\" or \"turn\"" : "\"turn\"");
  }
  const std::string once = fmt::format("{}, which is no regular file and can be read once", options.file);
  if (options.at_end == TraceOptions::AtEnd::repeat && !can_rewind()) {
    throw sim::OptionError("at_end", once, "\"stop\"");
  }
  if (options.sizes != TraceOptions::Sizes::fixed) {
    if (!can_rewind()) {
      throw sim::OptionError("sizes", once,
                             "\"fixed\": the store is told all sizes before the run, which takes a pass");
    }
    sizes_ = std::make_shared<ValueSizes>();
  }
}

void TraceSource::attach(const TraceTarget& target) {
  target_ = &target;
  nodes_ = target.session_nodes();
  keys_.emplace(options_.keys, target.room());
  begin_pass();
}

void TraceSource::begin_pass() {
  last_at_.assign(nodes_ * options_.threads, 0);
  last_at_of_all_ = 0;
  turn_ = 0;
}

void TraceSource::rewind() {
  reader_->rewind();
  begin_pass();
}

bool TraceSource::next(TraceStep& step) {
  while (reader_->next(record_)) {
    const auto kind = kind_of(record_.operation);
    const std::uint64_t position = reader_->position();
    if (!kind || !target_->offers().has(*kind)) {
      if (options_.unsupported == TraceOptions::Unsupported::refuse) {
        refuse(position, fmt::format("a {}", to_string(record_.operation)),
               fmt::format("what the protocol offers: {}; or the option \"unsupported\": \"skip\"",
                           target_->offers().names()));
      }
      ++skipped_;
      ++turn_;
      continue;
    }
    step = {.at_ps = record_.at_ps,
            .key = 0,
            .position = position,
            .session = session_of(record_),
            .size = record_.size,
            .kind = *kind};
    check_order(step);
    const bool has_key = *kind != sim::OperationKind::fence && *kind != sim::OperationKind::allocate &&
                         *kind != sim::OperationKind::free;
    if (has_key) step.key = key_of(record_);
    if (const auto refusal = target_->refusal(step)) refuse(position, refusal->found, refusal->expected);
    return true;
  }
  return false;
}

std::uint32_t TraceSource::session_of(const TraceRecord& record) {
  const std::uint64_t sessions = last_at_.size();
  if (options_.sessions == Sessions::turn) return static_cast<std::uint32_t>(turn_++ % sessions);
  if (options_.sessions == Sessions::client) {
    return static_cast<std::uint32_t>(sim::name_hash(record.client) % sessions);
  }
  const std::uint64_t position = reader_->position();
  if (record.node >= nodes_) {
    refuse(position, fmt::format("node {}", record.node), fmt::format("one of the {} nodes that take clients", nodes_));
  }
  if (record.thread >= options_.threads) {
    refuse(position, fmt::format("thread {}", record.thread),
           fmt::format("one below the option \"threads\", {}", options_.threads));
  }
  return record.node * static_cast<std::uint32_t>(options_.threads) + record.thread;
}

void TraceSource::check_order(const TraceStep& step) {
  std::uint64_t& last = last_at_[step.session];
  const bool open = options_.loop == TraceOptions::Loop::open;
  const std::uint64_t least = open ? last_at_of_all_ : last;
  if (step.at_ps < least) {
    refuse(step.position,
           fmt::format("a time {} ps before {}", least - step.at_ps,
                       open ? "that of the record before" : "that of its session's record before"),
           open ? "records in the order of their times, since the loop is open" : "a session's records in that order");
  }
  last = step.at_ps;
  last_at_of_all_ = step.at_ps;
}

std::uint64_t TraceSource::key_of(const TraceRecord& record) {
  const auto number = keys_->number_of(record);
  if (number) return *number;
  if (keys_->keying() == TraceKeying::given) {
    refuse(reader_->position(), fmt::format("the key \"{}\"", record.key_text),
           "a number below 2^64, or the option \"keys\": \"hashed\" or \"numbered\"");
  }
  refuse(reader_->position(), fmt::format("a key more than the {} that there is room for", keys_->room()),
         "more room, or the option \"keys\": \"hashed\"");
}

void TraceSource::refuse(std::uint64_t position, const std::string& found, const std::string& expected) const {
  throw TraceError(reader_->file(), reader_->place_of(position), found, expected);
}

void TraceSource::check_all() {
  TraceStep step;
  std::uint64_t steps = 0;
  for (; next(step); ++steps) note_size(step);
  if (steps == 0) throw TraceError(reader_->file(), "", "no record that could be replayed", "at least one");
  skipped_ = 0;
  rewind();
}

void TraceSource::note_size(const TraceStep& step) {
  if (!sizes_ || step.size == 0) return;
  std::uint32_t& size = (*sizes_)[step.key];
  if (size == 0 || options_.sizes == TraceOptions::Sizes::largest) size = std::max(size, step.size);
  largest_ = std::max(largest_, size);
}

}  // namespace racksim::models
