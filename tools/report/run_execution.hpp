// One run of a scenario file for `racksim diff`, by this program or by another build of it, so that two versions of the
// source can be compared observation by observation.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/run_folder.hpp"

namespace racksim::tools {

/// A folder below the system's temporary one that goes with its object.
class ScratchFolder {
 public:
  /// Throws SystemError if none can be made, and InputError if TMPDIR names none.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Refuses `place`, with InputError, unless `program` is empty or a file that can be executed, found as a shell finds
/// it.
void check_program(const std::string& program, const JsonLocation& place);

/// A trace of a window of simulated time, both ends included.
struct TraceRequest {
  std::string file;
  sim::Time from, until;
};

/// Runs a scenario with some values ("path=value") changed; call it in a child process. `program` is the racksim that
/// does it, empty for this one. Throws InputError on a bad scenario, std::runtime_error if the program gives no report.
StoredRun execute_run(const std::string& scenario_file, const std::vector<std::string>& overrides,
                      const std::string& program, const std::optional<TraceRequest>& trace, const Catalogue& catalogue);

}  // namespace racksim::tools
