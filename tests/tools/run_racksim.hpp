// The built program as a person runs it: what forks had better not be called inside a test process.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/places.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace racksim::tools::testing {

struct Outcome {
  int status;
  std::string out, err;
};

inline std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `racksim ARGUMENTS` in the folder, through a shell.
inline Outcome run_racksim(const TemporaryFolder& folder, const std::string& arguments,
                           const std::string& program = racksim::places::racksim_program()) {
  const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
  const int status = std::system(
      ("cd " + folder.path().string() + " && " + program + " " + arguments + " >" + out + " 2>" + err).c_str());
  return {WEXITSTATUS(status), content(out), content(err)};
}

}  // namespace racksim::tools::testing
