// See observers.hpp.
#include "tools/experiment/observers.hpp"

#include <filesystem>

#include "sim/oracles/oracle.hpp"

namespace racksim::tools {

void check_observed_files(const Scenario& scenario) {
  Observation observe = scenario.observe;
  for (const auto& [member, file] : observe.files()) {
    if (!file->empty()) check_output(*file, scenario.file, "/observe/" + member);
  }
}

/// Counts the operations that end, by interval of simulated time.
class Observers::OperationSeries final : public sim::Observer {
 public:
  explicit OperationSeries(sim::TimeSeries& series) : series_(series) {}
  sim::ObservedKinds kinds() const override { return {sim::Observed::operation_ended}; }
  void observe(const sim::Observation& observation) override { series_.add(observation.at); }

 private:
  sim::TimeSeries& series_;
};

/// Writes a row at the end of each interval. The events are of the experiment's lane, which comes before all others at an
/// instant, as the window's ends are: a row and the window agree on what lies in them.
class Observers::SeriesWriter {
 public:
  SeriesWriter(Assembly& assembly, MetricSeries& series, sim::Duration interval, const std::filesystem::path& file,
               const JsonLocation& asked)
      : assembly_(assembly),
        series_(series),
        interval_(interval),
        file_(file, asked.file, asked.pointer),
        room_(file, "a longer observe.series.interval makes fewer rows") {
    file_.stream() << series.header();
  }

  void begin() {
    series_.begin();
    assembly_.calendar().after<&SeriesWriter::write>(interval_, assembly_.lane(), *this);
  }
  void keep() { file_.keep(); }

 private:
  void write() {
    assembly_.rack().settle();  // so that what is counted is the same however passes are executed
    file_.stream() << series_.next();
    room_.written(!file_.stream(), [&] { return sim::printed(assembly_.calendar().now()); });
    assembly_.calendar().after<&SeriesWriter::write>(interval_, assembly_.lane(), *this);
  }

  Assembly& assembly_;
  MetricSeries& series_;
  sim::Duration interval_;
  DraftFile file_;
  DiskRoom room_;
};

Observers::Observers(const Scenario& scenario, Assembly& assembly, const std::string* folder) {
  const Observation& observe = scenario.observe;
  const JsonLocation place{scenario.file, "/observe"};
  sim::EventLog& event_log = assembly.event_log();
  if (observe.series_interval > sim::Duration{}) {
    operation_series_ = std::make_unique<OperationSeries>(
        assembly.metrics().time_series("operations_over_time", "operations",
                                       "operations ended, by interval of simulated time", observe.series_interval));
    assembly.service().history().attach(*operation_series_);
  }
  if (!observe.series.file.empty()) {
    series_.emplace(assembly.metrics(), observe.series.metrics, observe.series.interval,
                    place.member("series").member("metrics"));
  }
  if (folder == nullptr) return;
  const auto path = [&](const std::string& file) { return std::filesystem::path(*folder) / file; };
  if (!observe.trace.empty()) {
    const auto file = path(observe.trace);
    const auto asked = place.member("trace");
    trace_file_.emplace(file, asked.file, asked.pointer);
    trace_.emplace(event_log, trace_file_->stream(), sim::Time{} + observe.trace_from,
                   sim::Time{} + observe.trace_until, DiskRoom(file, TraceWithRoom::kAdvice));
    event_log.attach(*trace_);
  }
  if (!observe.operations.empty()) {
    models::Service& service = assembly.service();
    operations_.emplace(path(observe.operations), place.member("operations"), service, assembly.metrics());
    service.history().attach(operations_->rows());
    service.attach(operations_->rows());
  }
  if (series_) {
    series_writer_ = std::make_unique<SeriesWriter>(assembly, *series_, observe.series.interval,
                                                    path(observe.series.file), place.member("series").member("file"));
  }
}

Observers::~Observers() = default;

void Observers::begin() {
  if (series_writer_) series_writer_->begin();
}

void Observers::keep_files() {
  if (trace_file_) trace_file_->keep();
  if (operations_) operations_->keep();
  if (series_writer_) series_writer_->keep();
}

}  // namespace racksim::tools
