// The records of a trace as steps of this rack: their sessions, their keys, what is left out, and what is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/workloads/trace/trace_options.hpp"
#include "models/workloads/trace/trace_target.hpp"

namespace racksim::models {

class TraceSource {
 public:
  /// Opens the file. Throws sim::OptionError if it has not what the options ask for.
  explicit TraceSource(const TraceOptions& options);

  /// What it is replayed on, before the first record.
  void attach(const TraceTarget& target);

  /// The next step; false at the end. Throws TraceError at a record that cannot be one.
  bool next(TraceStep& step);
  /// Begins again.
  void rewind();
  bool can_rewind() const { return reader_->can_rewind(); }
  /// Records that were skipped since the protocol offers nothing like them.
  std::uint64_t skipped() const { return skipped_; }

  /// Reads all of it, once before the run, and begins again. Throws TraceError as `next` does, and for a trace without
  /// a record.
  void check_all();
  /// The sizes of values, as `check_all` has found them by the option `sizes`; null if they are not asked for.
  std::shared_ptr<const ValueSizes> sizes() const { return sizes_; }
  /// The largest of them.
  std::uint32_t largest() const { return largest_; }

  [[noreturn]] void refuse(std::uint64_t position, const std::string& found, const std::string& expected) const;

 private:
  std::uint32_t session_of(const TraceRecord& record);
  void check_order(const TraceStep& step);
  std::uint64_t key_of(const TraceRecord& record);
  void note_size(const TraceStep& step);
  void begin_pass();

  TraceOptions options_;
  std::unique_ptr<TraceReader> reader_;
  const TraceTarget* target_ = nullptr;
  unsigned nodes_ = 0;
  TraceRecord record_;
  std::optional<TraceKeys> keys_;
  std::vector<std::uint64_t> last_at_;  // by session, in this pass
  std::uint64_t last_at_of_all_ = 0;
  std::uint64_t turn_ = 0;
  std::uint64_t skipped_ = 0;
  std::shared_ptr<ValueSizes> sizes_;
  std::uint32_t largest_ = 0;
};

}  // namespace racksim::models
