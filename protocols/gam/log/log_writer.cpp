// When entries are durable. See log_writer.hpp.
#include "protocols/gam/log/log_writer.hpp"

#include "models/membership/membership.hpp"

namespace racksim::gam {

LogWriter::LogWriter(Shared& shared, NodeId node, models::Core& core, LogHost& host)
    : shared_(shared), node_(node), core_(core), host_(host), tasks_(shared.rack.calendar()) {
  if (options().logging) log_.emplace(options().nvram, options().line_bytes);
}

void LogWriter::write(sim::Key line, LogEntry entry) {
  ++(entry.type == LogEntry::Type::dlog ? shared_.counters.dlogs : shared_.counters.ologs).value;
  sim::Calendar& calendar = shared_.rack.calendar();
  const std::uint64_t stalls = log_->stalls();
  durable_ = log_->append(calendar.now(), line, std::move(entry));
  shared_.counters.log_stalls.value += log_->stalls() - stalls;
  if (const sim::Time busy = core_.free_at(); durable_ > busy) core_.charge(durable_ - busy);
  calendar.cancel(written_event_);
  written_event_ = calendar.at<&LogWriter::written>(durable_, core_.lane(), *this);
}

void LogWriter::written() {
  if (shared_.rack.calendar().now() < durable_) return;  // more has come while there was no lease
  if (!shared_.membership->holds_lease(node_)) return tasks_.spawn(await_lease());
  log_->commit();
  host_.logged();
}

sim::Task<void> LogWriter::await_lease() {
  co_await shared_.membership->lease(node_);
  written();
}

void LogWriter::crash() {
  tasks_.cancel_all();
  shared_.rack.calendar().cancel(written_event_);
  if (log_) log_->crash(shared_.rack.calendar().now());
}

}  // namespace racksim::gam
