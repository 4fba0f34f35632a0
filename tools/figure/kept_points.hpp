// What a figure's points have given, kept on disk as they end, so that a figure that was interrupted goes on where it
// was.
//
// One line of JSON a point: the program that ran it (a hash of its file), the point (a hash of its whole configuration
// and of the metrics that the figure asks for), its answer, and a hash of all that, by which a damaged line is known. A
// point is never taken from a line of another program or another configuration, so editing the figure file, its base or
// its testbed, or rebuilding, runs what that touches again.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/figure/figure.hpp"

namespace racksim::tools {

class KeptPoints {
 public:
  /// The file's name in a figure's folder.
  static constexpr const char* kFile = "points.jsonl";

  /// Reads what `file` holds of this program, whose hash is `program`; the rest is removed from it. `command` and
  /// `option` are named by the InputError if the file cannot be written.
  KeptPoints(std::filesystem::path file, std::string program, const std::string& command, const std::string& option);

  /// The answer of a point, if it is there.
  std::optional<std::string> find(const std::string& point) const;

  /// Adds an answer, on disk when it returns. Throws OutputError.
  void add(const std::string& point, const std::string& answer);

  const std::filesystem::path& file() const { return file_; }

 private:
  std::string line_of(const std::string& point, const std::string& answer) const;

  std::filesystem::path file_;
  std::string program_;
  std::map<std::string, std::string> answers_;
  std::ofstream out_;
};

/// A hash of the running program's file.
std::string program_identity();

/// A hash of what a point's answer depends on beside the program.
std::string point_identity(const Figure& figure, const FigurePoint& point);

}  // namespace racksim::tools
