// Where the labels of an axis stand.
#pragma once

#include <string>
#include <vector>

#include "tools/plot/plot.hpp"

namespace racksim::tools {

struct PlotTick {
  double at = 0;
  std::string label;
};

/// A range of values and its labels. `low` is less than `high`.
struct PlotRange {
  double low = 0, high = 1;
  std::vector<PlotTick> ticks;
};

/// A number as a tick's label: six digits, from 100,000 on with k, M, G or T.
std::string tick_label(double value);

/// Round numbers from one value to another, at most about seven.
std::vector<double> round_numbers(double low, double high);

/// Round numbers for a logarithmic axis between two above 0: powers of ten, where there are few of them 2 and 5 times such
/// too, and where there is next to nothing those of a linear axis.
std::vector<double> round_ratios(double low, double high);

/// The y axis that shows all of a panel: linear ones begin at 0 unless something lies below, logarithmic ones at a
/// power of ten, as do their labels. Of shares with a logarithmic tail it has what is left of the whole, from a power of
/// ten to 1. Of a panel without values: from 0 to 1, or 1 to 10, or 0.1 to 1.
PlotRange y_range(const PlotPanel& panel);

/// The x axis: room around the outermost places; of levels from end to end. Labels are those of the places, or round
/// numbers of the unit; some are left out, so that on `width` points none lies on another. Labels of categories are all
/// there.
PlotRange x_range(const Plot& plot, const PlotPanel& panel, double width);

/// Where the x of a plot lies on its axis: a category at its number, from 0 on.
double x_on_axis(const Plot& plot, double x);

}  // namespace racksim::tools
