// A page that shows many figures: their pictures, and what became of each claim.
#pragma once

#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// A figure as the page shows it.
struct IndexedFigure {
  struct JudgedReading {
    std::string id, text, paper, simulated, verdict;
    bool met = false, unclear = false;
  };
  std::string name, title, paper;
  std::string folder;  ///< of its files, from the page's
  bool drawn = false;  ///< whether figure.svg is there
  std::vector<JudgedReading> claims;
  std::size_t points = 0, failed = 0;
};

IndexedFigure indexed(const Figure& figure, const std::vector<PointResult>& results, const std::string& folder,
                      bool drawn);

/// "3 of 5 claims met, 1 off, 1 unclear", with how many points failed, if any did.
std::string in_one_line(const IndexedFigure& figure);

/// One file of HTML that needs nothing else but the pictures, which it links. `title` stands above, with how many claims
/// are met.
std::string index_page(const std::string& title, const std::vector<IndexedFigure>& figures);

}  // namespace racksim::tools
