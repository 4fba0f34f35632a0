// Reading and writing of run folders.
#include "tools/report/run_folder.hpp"

#include <filesystem>

#include "tools/files/write_file.hpp"
#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace {

constexpr const char *kConfiguration = "config.json", *kCheckpoints = "checkpoints.json", *kReport = "report.json";

void check_report(const JsonValue& report, const JsonLocation& place) {
  require_object(report, place);
  const auto* hash = report.find("run_hash");
  if (!hash || !hash->string()) place.member("run_hash").refuse("no run hash", "a report as racksim run writes it");
  const auto* metrics = report.find("metrics");
  if (!metrics || !metrics->is_object()) {
    place.member("metrics").refuse("no metrics", "a report as racksim run writes it");
  }
}

}  // namespace

std::string StoredRun::hash() const {
  return *report.find("run_hash")->string();
}

StoredRun stored_run(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                     const RunOrigin* origin) {
  return {configuration(scenario), report_json(scenario, result, metrics, origin), result.checkpoints};
}

void check_run_folder(const std::string& folder, const Scenario& scenario, const std::string& command,
                      const std::string& option) {
  const std::filesystem::path path(folder);
  make_folder(path, command, option);
  std::error_code error;
  Observation observe = scenario.observe;
  for (const char* name : {kConfiguration, kCheckpoints, kReport}) {
    check_output(path / name, command, option);
    for (const auto& [member, file] : observe.files()) {
      if (file->empty() || std::filesystem::weakly_canonical(path / *file, error) !=
                               std::filesystem::weakly_canonical(path / name, error)) {
        continue;
      }
      throw InputError(scenario.file, "/observe/" + member, quote(*file), "a file that the run does not write besides");
    }
  }
}

void write_run_folder(const std::string& folder, const StoredRun& run, const std::string& command,
                      const std::string& option) {
  const std::filesystem::path path(folder);
  write_file(path / kConfiguration, to_json(run.configuration), command, option);
  write_file(path / kCheckpoints, to_json(checkpoints_json(run.checkpoints)), command, option);
  write_file(path / kReport, to_json(run.report), command, option);
}

StoredRun read_run_folder(const std::string& folder) {
  const std::filesystem::path path(folder);
  const std::string checkpoints = (path / kCheckpoints).string(), report = (path / kReport).string();
  StoredRun run;
  run.configuration = read_json_file((path / kConfiguration).string());
  run.checkpoints = read_checkpoints(read_json_file(checkpoints), {checkpoints, ""});
  run.report = read_json_file(report);
  check_report(run.report, {report, ""});
  return run;
}

JsonValue run_json(const StoredRun& run) {
  return JsonValue::object(
      {{"config", run.configuration}, {"checkpoints", checkpoints_json(run.checkpoints)}, {"report", run.report}});
}

StoredRun read_run_json(const JsonValue& value, const std::string& name) {
  const JsonLocation root{name, ""};
  require_object(value, root);
  StoredRun run;
  run.configuration = *value.find("config");
  run.checkpoints = read_checkpoints(*value.find("checkpoints"), root.member("checkpoints"));
  run.report = *value.find("report");
  check_report(run.report, root.member("report"));
  return run;
}

}  // namespace racksim::tools
