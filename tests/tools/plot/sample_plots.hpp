// Plots for tests, of made-up values.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tools/plot/plot.hpp"
#include "tools/plot/plot_ticks.hpp"

namespace racksim::tools::testing {

/// So many series at these x; the value of series s at the i-th x is 10 (s + 1) + i.
inline Plot sample_plot(const std::vector<double>& places, const std::vector<std::string>& series,
                        const std::vector<std::string>& metrics = {"throughput (Mops)"}) {
  Plot plot;
  plot.title = "sample: a title";
  plot.x_label = "load";
  plot.series = series;
  for (const double x : places) plot.places.push_back({x, tick_label(x)});
  for (const std::string& metric : metrics) {
    PlotPanel panel;
    panel.y_label = metric;
    for (std::size_t s = 0; s < series.size(); ++s) {
      PlotCurve& curve = panel.curves.emplace_back();
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double y = 10 * static_cast<double>(s + 1) + static_cast<double>(i);
        curve.points.push_back({places[i], y, y, y});
      }
    }
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

/// Names as long as any, in words and in one.
inline std::vector<std::string> long_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("GAM-TSO with write locks and forwarding of_kind_" + std::to_string(i) +
                    (i % 3 == 0 ? ", lines of 4 KiB and twice the cache" : ""));
  }
  return names;
}

inline std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace racksim::tools::testing
