// How a worker writes the log of its node (GAM §5). It writes itself: it does nothing else until that is durable.
#pragma once

#include <optional>
#include <utility>

#include "models/host/core.hpp"
#include "protocols/gam/log/log.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::gam {

/// Whoever has logged something.
class LogHost {
 public:
  /// All of it is durable.
  virtual void logged() = 0;

 protected:
  ~LogHost() = default;
};

class LogWriter {
 public:
  LogWriter(Shared& shared, NodeId node, models::Core& core, LogHost& host);

  /// Null without logging.
  Log* log() { return log_ ? &*log_ : nullptr; }
  bool is_on() const { return log_.has_value(); }
  bool is_written() const { return !log_ || log_->is_written(); }
  /// Whether what has been done has to wait for what is being written.
  bool holds_back() const { return !is_written() && options().dlog_first; }

  /// DLOG: the whole line, as it is to be.
  template <class Data>
  void log_line(sim::Key line, const Data& data, std::uint32_t counter) {
    if (log_ && options().dlog) write(line, LogEntry::dlog(data, counter));
  }
  /// OLOG, by the home.
  void log_owner(sim::Key line, NodeId owner, std::uint32_t counter) {
    if (log_ && options().olog) write(line, LogEntry::olog(owner, counter));
  }

  void crash();

 private:
  void write(sim::Key line, LogEntry entry);
  void written();
  sim::Task<void> await_lease();
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  NodeId node_;
  models::Core& core_;
  LogHost& host_;
  std::optional<Log> log_;
  sim::EventId written_event_;
  sim::Time durable_{};  // when all that is being written is
  sim::Scope tasks_;
};

}  // namespace racksim::gam
