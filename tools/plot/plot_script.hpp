// A plot as a script for gnuplot with its data inside: one file to change and to run.
#pragma once

#include <string>

#include "tools/plot/plot.hpp"

namespace racksim::tools {

/// The formats that a script draws, in its order; each is also the ending of its file.
inline constexpr const char* kPlotFormats[] = {"svg", "pdf", "png"};

/// The script. Run by itself it writes NAME.svg, NAME.pdf and NAME.png into the folder that it is run in; with the
/// variable `only` set to one of them (gnuplot -e "only='svg'") it writes that one to standard output. Equal plots give
/// equal scripts. `name` is a word, or words (tools/text/printable.hpp). Whatever the names in a plot hold, gnuplot
/// takes them as text. A plot in which nothing has a value says so in the place of panels.
std::string plot_script(const Plot& plot, const std::string& name);

}  // namespace racksim::tools
