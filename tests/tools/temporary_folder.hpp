// A folder of test files that vanishes with its object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace racksim::tools::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "racksim-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, making folders on the way, and returns its path.
  std::string write(const std::string& name, std::string_view text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

/// A testbed for FakeRack, and the smallest scenario that uses it.
inline constexpr std::string_view kFakeTestbed = R"({
  "version": 1, "name": "fake-4", "doc": "Four servers.",
  "nodes": 4,
  "link": {"delay": {"value": "300ns", "source": "a paper, section 7", "calibrated": "fig9", "note": "measured"}}
})";
inline constexpr std::string_view kSmallest =
    R"({"version": 1, "rack": "fake-4", "protocol": {"name": "alpha"}, "workload": {"kind": "micro"}})";

}  // namespace racksim::tools::testing
