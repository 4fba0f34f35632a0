// What a figure's claims came to when all its points last ran at full size. `racksim figure NAME --record` writes it,
// `racksim list claims` reads it:
//
//   scenarios/figures/concordia/fig9.json            the figure
//   scenarios/claims/recorded/concordia/fig9.json    its record
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

struct FigureRecord {
  /// One claim of the figure as the table showed it.
  struct Reading {
    std::string id, paper, simulated, verdict;
    bool met = false;
    bool unclear = false;  ///< neither met nor off: `verdict` says why
    bool operator==(const Reading&) const = default;
  };

  std::string figure;  ///< as `racksim list figures` prints it
  Repeats repeats;     ///< the seeds and placements that each point was run with
  std::vector<Reading> claims;
  std::vector<std::string> run_hashes;  ///< of the points, in the figure's order: the same runs have the same claims

  bool operator==(const FigureRecord&) const = default;
};

FigureRecord record_of(const Figure& figure, const std::vector<PointResult>& results);

/// Where a figure's record lies: below `claims/recorded` beside the folder `figures` that holds the figure. Empty if
/// the file lies in no such folder.
std::filesystem::path record_file_of(const std::string& figure_file);

JsonValue readings_json(const std::vector<FigureRecord::Reading>& readings);
JsonValue record_json(const FigureRecord& record);
/// Throws InputError.
FigureRecord read_figure_record(const std::string& file);

/// The JSON Schema of a record.
JsonValue record_schema();

/// In one line how a fresh record differs from the kept one: claims that read otherwise, or only the runs; empty if
/// they are equal.
std::string record_difference(const FigureRecord& kept, const FigureRecord& fresh);

}  // namespace racksim::tools
