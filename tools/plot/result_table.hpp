// Results of runs as a table, of which a plot shows some columns: the points of a figure, or reports of runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

struct ResultTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< a cell for each column; empty where there is no value
  std::map<std::string, std::string> units;    ///< of those columns of which it is known
  std::vector<std::string> settings;           ///< columns that say how a run was made; its seeds are none of them
  std::string name;                            ///< a word for the whole
};

/// A table from comma-separated text, as `racksim figure` writes it: a line of names, then one for each point; lines
/// before it that begin with "#" are none of it. Of a name such as "throughput [Mops]" the column is "throughput". Throws
/// InputError with the line.
ResultTable read_csv_table(std::string_view text, const std::string& file);

/// The results at each path: a file of comma-separated points, the folder of a figure that holds one, the folder that
/// `racksim run --out` wrote, or one with such folders in it, at any depth. Of reports the columns are the options of
/// the configuration by their paths, and the metrics. Throws InputError if a path has none, or if both kinds are
/// mixed.
ResultTable read_results(const std::vector<std::string>& paths, const Catalogue& catalogue);

}  // namespace racksim::tools
