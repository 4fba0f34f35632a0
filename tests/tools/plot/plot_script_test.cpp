// The script of a plot: its data, its styles, and that names are taken as text.
#include "tools/plot/plot_script.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "tests/tools/plot/sample_plots.hpp"

namespace plot_script_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

const double kNone = std::nan("");

/// The lines of a block of data that are no comment; empty lines stay.
std::vector<std::string> block(const std::string& script, const std::string& name) {
  const std::size_t begin = script.find("$" + name + " << EOD\n");
  REQUIRE(begin != std::string::npos);
  std::istringstream in(script.substr(begin, script.find("\nEOD\n", begin) + 1 - begin));
  std::vector<std::string> lines;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    if (!line.starts_with("#")) lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("every point is in the script with all its digits and its spread") {
  Plot plot = sample_plot({0, 0.5, 1}, {"one", "two"}, {"speed (Mops)", "delay (ns)"});
  plot.panels[1].curves[0].points[1] = {0.5, 1.0 / 3, 0.25, 0.5};
  const std::string script = plot_script(plot, "figure");
  CHECK(block(script, "panel1_series2") == Lines{"0 20 20 20", "0.5 21 21 21", "1 22 22 22"});
  CHECK(block(script, "panel2_series1") == Lines{"0 10 10 10", "0.5 0.3333333333333333 0.25 0.5", "1 12 12 12"});
  CHECK_THAT(script, Contains("$panel2_series1 using 1:($3):(0):($4-$3) with vectors"));
  CHECK_THAT(script, !Contains("$panel2_series2 using 1:($3):(0):($4-$3) with vectors"));
  CHECK_THAT(script, !Contains("$panel1_series1 using 1:($3):(0):($4-$3) with vectors"));
  CHECK(script == plot_script(plot, "figure"));
}

TEST_CASE("a point without a value is a gap that the script tells of, never a NaN") {
  Plot plot = sample_plot({1, 2, 3}, {"one"});
  plot.panels[0].curves[0].points[1] = {2, kNone, kNone, kNone};
  const std::string script = plot_script(plot, "figure");
  CHECK(block(script, "panel1_series1") == Lines{"1 10 10 10", "", "3 12 12 12"});
  CHECK_THAT(script, Contains("# nothing to draw at 2\n"));
  CHECK(times(script, "nan") == 0);
  // On a logarithmic axis neither 0 nor less has a place.
  plot.panels[0].y_scale = PlotScale::log;
  plot.panels[0].curves[0].points[2] = {3, 0, 0, 0};
  CHECK(block(plot_script(plot, "figure"), "panel1_series1") == Lines{"1 10 10 10", "", ""});
}

TEST_CASE("series and panels without a value are left out, of data, styles and legend") {
  Plot plot = sample_plot({1, 2}, {"one", "empty", "three"}, {"speed", "nothing"});
  for (PlotPoint& point : plot.panels[0].curves[1].points) point.y = kNone;
  for (PlotCurve& curve : plot.panels[1].curves) {
    for (PlotPoint& point : curve.points) point.y = kNone;
  }
  const std::string script = plot_script(plot, "figure");
  CHECK_THAT(script, Contains("'one'") && Contains("'three'") && !Contains("'empty'") && !Contains("'nothing'"));
  CHECK_THAT(script, !Contains("$panel2") && !Contains("set style line 2 ") && !Contains("'paper'"));
  for (PlotCurve& curve : plot.panels[0].curves) {
    for (PlotPoint& point : curve.points) point.y = kNone;
  }
  CHECK_THAT(plot_script(plot, "figure"), Contains("'no point has a value'"));
}

TEST_CASE("no two of fifty series share a style, and neighbours differ in colour, dashes and mark") {
  const std::string script = plot_script(sample_plot({1, 2}, long_names(50)), "figure");
  const std::regex style("set style line \\d+ lc rgb '(#[0-9A-F]+)' dt (\\S+) lw [0-9.]+ pt (\\d+) ");
  std::set<std::string> seen;
  std::vector<std::string> before(3);
  for (std::sregex_iterator at(script.begin(), script.end(), style), end; at != end; ++at) {
    CHECK(seen.insert((*at)[1].str() + (*at)[2].str() + (*at)[3].str()).second);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK((*at)[i + 1].str() != before[i]);
      before[i] = (*at)[i + 1].str();
    }
  }
  CHECK(seen.size() == 50);
}

TEST_CASE("series of one colour differ in dashes, the same ones in each colour") {
  Plot plot = sample_plot({1, 2}, {"a, x", "a, y", "b, x", "b, y"});
  plot.colours = {0, 0, 1, 1};
  const std::string script = plot_script(plot, "figure");
  CHECK_THAT(script, Contains("line 1 lc rgb '#0072B2' dt 1 ") && Contains("line 2 lc rgb '#0072B2' dt (6,3) "));
  CHECK_THAT(script, Contains("line 3 lc rgb '#D55E00' dt 1 ") && Contains("line 4 lc rgb '#D55E00' dt (6,3) "));
}

TEST_CASE("the paper's numbers are marks of their own, with an entry in the legend") {
  Plot plot = sample_plot({1, 2}, {"one", "two"});
  plot.panels[0].marks = {{1, 2, 20.5}, {0, 1, kNone}};
  const std::string script = plot_script(plot, "figure");
  CHECK(block(script, "panel1_paper") == Lines{"2 20.5 13983232"});  // 0xD55E00, the colour of "two"
  CHECK_THAT(script, Contains("$panel1_paper using 1:2 with points ls 100") && Contains("set label 'paper'"));
  CHECK_THAT(script, Contains("$panel1_paper using 1:2:3 with points ls 100 lw 1.5 lc rgb variable"));
}

TEST_CASE("categories stand at whole numbers, and names side by side") {
  Plot plot = sample_plot({0, 0.9, 0.99}, {"one", "two"});
  plot.x_scale = PlotScale::categories;
  CHECK(block(plot_script(plot, "figure"), "panel1_series2") == Lines{"0 20 20 20", "1 21 21 21", "2 22 22 22"});
  CHECK_THAT(plot_script(plot, "figure"), Contains("set xtics norotate offset 0,0.4 ('0' 0, '0.9' 1, '0.99' 2)"));
  plot.joined = false;
  plot.panels[0].marks = {{1, 0.9, 25}};
  const std::string script = plot_script(plot, "figure");
  CHECK(block(script, "panel1_series1") == Lines{"-0.06 10 10 10", "0.94 11 11 11", "1.94 12 12 12"});
  CHECK(block(script, "panel1_paper") == Lines{"1.06 25 13983232"});
  CHECK_THAT(script, !Contains("linespoints") && Contains("with points ls 2"));
}

TEST_CASE("names go on in the next line below their places, and stand upright where a word has no room") {
  Plot plot = sample_plot({0, 1}, {"one"});
  plot.x_scale = PlotScale::categories;
  for (PlotPlace& place : plot.places) place.label = "forwarding with boundaries";
  CHECK_THAT(plot_script(plot, "figure"), Contains("norotate") && Contains("'forwarding with'.\"\\n\".'boundaries' 0"));
  Plot many = sample_plot({0, 1, 2, 3, 4, 5, 6, 7, 8}, {"one"});
  many.x_scale = PlotScale::categories;
  for (PlotPlace& place : many.places) place.label = "with boundaries";
  CHECK_THAT(plot_script(many, "figure"), Contains("rotate by 90 right") && Contains("'with boundaries' 0"));
}

TEST_CASE("levels are joined by steps, and what was not simulated is drawn apart") {
  Plot plot;
  plot.title = "over time";
  plot.series = {"one"};
  PlotPanel panel;
  panel.x_range = {{0, 10}};
  panel.curves.resize(1);
  panel.curves[0].levels = {
      {0, 4, 5, true}, {4, 6, 7, false}, {6, 8, kNone, false}, {8, 9, 2, false}, {9, 12, 3, true}};
  plot.panels.push_back(panel);
  const std::string script = plot_script(plot, "figure");
  CHECK(block(script, "panel1_series1") == Lines{"", "4 5", "4 7", "6 7", "", "8 2", "9 2", "9 2", "9 3", ""});
  CHECK(block(script, "panel1_series1_assumed") == Lines{"0 5", "4 5", "", "", "", "9 3", "10 3"});
  CHECK_THAT(script, Contains("_assumed with lines ls 1 lw 0.5") && Contains("'thin: not simulated"));
}

TEST_CASE("a level without length ends a step, and one beyond the range is nothing") {
  Plot plot;
  plot.title = "steps";
  plot.series = {"one"};
  PlotPanel panel;
  panel.x_range = {{0, 10}};
  panel.curves.resize(1);
  panel.curves[0].levels = {{-5, 0, 9, false}, {0, 4, 1, false}, {4, 4, 2, false}, {10, 12, 3, false}};
  plot.panels.push_back(panel);
  CHECK(block(plot_script(plot, "figure"), "panel1_series1") == Lines{"0 1", "4 1", "4 1", "4 2", "4 2"});
}

TEST_CASE("an error bar that goes down to nought begins at the end of a logarithmic axis") {
  Plot plot = sample_plot({1, 2}, {"one"});
  plot.panels[0].y_scale = PlotScale::log;
  plot.panels[0].curves[0].points[0] = {1, 5, 0, 70};
  const std::string script = plot_script(plot, "figure");
  CHECK_THAT(script, Contains("set yrange [1:100]"));
  CHECK_THAT(script, Contains("using 1:(($3>1?$3:1)):(0):($4-($3>1?$3:1)) with vectors"));
}

TEST_CASE("the first of several series is the widest, so that it is seen below the last") {
  const std::string script = plot_script(sample_plot({1, 2}, {"one", "two", "three"}), "figure");
  CHECK_THAT(script, Contains("line 1 lc rgb '#0072B2' dt 1 lw 1.8 pt 7 ps 0.7") && Contains("lw 1.5 pt 4 ps 0.6") &&
                         Contains("lw 1.2 pt 9 ps 0.5"));
  CHECK_THAT(plot_script(sample_plot({1, 2}, {"one"}), "figure"), Contains("lw 1.2 pt 7 ps 0.5"));
  Plot beside = sample_plot({1, 2}, {"one", "two"});
  beside.joined = false;
  CHECK(times(plot_script(beside, "figure"), "lw 1.2 pt") == 2);
}

TEST_CASE("whatever stands in names is text to gnuplot") {
  Plot plot = sample_plot({1, 2}, {"`touch run`", "it's \\n @all \"x\" %d $(touch run)"}, {"`touch run` (Mops)"});
  plot.title = "`touch run`\\";
  const std::string script = plot_script(plot, "figure");
  CHECK_THAT(script, Contains("'it''s \\n @all \"x\" %d $(touch run)'"));
  // A backquote stands in single quotes alone, where it runs nothing.
  std::istringstream in(script);
  for (std::string line; std::getline(in, line);) {
    bool inside = false;
    for (const char c : line) {
      if (c == '\'' && !line.starts_with("#")) inside = !inside;
      if (c == '`') CHECK(inside);
    }
  }
}

}  // namespace plot_script_test
