// Columns of a table of results as a plot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/plot/result_plot.hpp"
#include "tools/plot/result_table.hpp"

namespace racksim::tools {

/// What is to be drawn. Columns are named as the table has them, or without a unit in brackets at the end.
struct TableRequest {
  std::string x, y;
  std::vector<std::string> by;  ///< each combination of their values is a series
  std::string scale;            ///< of x; empty for the one that suits
  bool log_y = false;
};

/// Results with equal x and series are one point, their mean, with an error bar from the least to the most, and a line of
/// the CSV: x, series, how many results, mean, least, most. Numbers,
/// sizes, lengths of time and rates are in their order, other texts in the table's. Notes tell of results without
/// a value, and of results put together although their settings differ. Throws InputError with the nearest
/// name for a column that the table does not have, and if nothing has a value.
ResultPlot table_plot(const ResultTable& table, const TableRequest& request);

}  // namespace racksim::tools
