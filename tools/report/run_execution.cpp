// Running here or elsewhere. See run_execution.hpp.
#include "tools/report/run_execution.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "tools/json/input_error.hpp"
#include "tools/processes/child_process.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

StoredRun execute_elsewhere(const std::string& file, const std::vector<std::string>& overrides,
                            const std::string& program, const std::optional<TraceRequest>& trace) {
  const ScratchFolder scratch;
  std::vector<std::string> command{program, "run", file, "--quiet", "--out", scratch.path().string()};
  for (const auto& change : overrides) command.insert(command.end(), {"--set", change});
  if (trace) {
    for (const auto& change : {"observe.trace=" + trace->file, fmt::format("observe.trace_from={}ps", trace->from.ps()),
                               fmt::format("observe.trace_until={}ps", trace->until.ps())}) {
      command.insert(command.end(), {"--set", change});
    }
  }
  const int status = exit_status_of(command);
  if (status != 0 && status != 1) throw std::runtime_error(fmt::format("{} ended with status {}", program, status));
  return read_run_folder(scratch.path().string());
}

bool can_be_executed(const std::filesystem::path& file) {
  std::error_code error;
  return !file.empty() && std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

/// As a shell finds it: a path, or a name in one of the folders of PATH.
bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_be_executed(name);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (can_be_executed(std::filesystem::path(folder) / name)) return true;
  }
  return false;
}

}  // namespace

void check_program(const std::string& program, const JsonLocation& place) {
  if (!program.empty() && !is_program(program)) place.refuse(quote(program), "a racksim program that can be executed");
}

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error || first_unprintable(folder) != std::string::npos) {
    const char* given = std::getenv("TMPDIR");
    throw InputError("environment", "/TMPDIR", quote(given != nullptr ? given : "/tmp"), "a folder for scratch files");
  }
  std::string name = folder + "/racksim-XXXXXX";
  if (!mkdtemp(name.data())) throw SystemError(fmt::format("no temporary folder: {}", std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

StoredRun execute_run(const std::string& scenario_file, const std::vector<std::string>& overrides,
                      const std::string& program, const std::optional<TraceRequest>& trace,
                      const Catalogue& catalogue) {
  if (!program.empty()) return execute_elsewhere(scenario_file, overrides, program, trace);
  Scenario scenario = load_scenario(scenario_file, catalogue, overrides);
  scenario.observe.write_no_files();
  if (trace) {
    scenario.observe.trace = trace->file;
    scenario.observe.trace_from = trace->from - sim::Time{};
    scenario.observe.trace_until = trace->until - sim::Time{};
  }
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  return stored_run(scenario, result, metrics);
}

}  // namespace racksim::tools
