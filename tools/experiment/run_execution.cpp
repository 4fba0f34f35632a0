// Running here or elsewhere. See run_execution.hpp.
#include "tools/experiment/run_execution.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "tools/processes/interruption.hpp"

namespace racksim::tools {
namespace {

/// Starts a program and waits for its end; it goes with this process. Throws std::runtime_error if it cannot be started
/// or does not exit.
int exit_status_of(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  InterruptionsHeld held;
  const pid_t process = fork();
  if (process == 0) {
    held.default_in_child();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent went before the line above
    execvp(arguments.front(), arguments.data());
    const int error = errno;  // still here: the parent is told why
    _exit(write(ends[1], &error, sizeof error) == sizeof error ? 0 : 1);
  }
  close(ends[1]);
  int error = process < 0 ? errno : 0;
  if (process > 0) {
    while (read(ends[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  int status = 0;
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (error != 0)
    throw std::runtime_error(fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)));
  if (!WIFEXITED(status)) throw std::runtime_error(fmt::format("{} was ended by a signal", command.front()));
  return WEXITSTATUS(status);
}

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

void check_program(const std::string& program, const Place& place) {
  if (!program.empty() && !is_program(program)) place.refuse(quote(program), "a racksim program that can be executed");
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "racksim-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error(fmt::format("no temporary folder: {}", std::strerror(errno)));
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
  scenario.observe.trace = trace ? trace->file : "";
  if (trace) {
    scenario.observe.trace_from = trace->from - sim::Time{};
    scenario.observe.trace_until = trace->until - sim::Time{};
  }
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  return stored_run(scenario, result, metrics);
}

}  // namespace racksim::tools
