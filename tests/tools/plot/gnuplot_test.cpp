// What gnuplot makes of scripts: pictures of equal bytes, with every point, and no text cut off or on another.
#include "tools/plot/gnuplot.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/tools/plot/drawn_texts.hpp"
#include "tests/tools/plot/sample_plots.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/files/write_file.hpp"
#include "tools/processes/child_process.hpp"

namespace gnuplot_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

std::string draw(const Plot& plot, const fs::path& folder) {
  return draw_plot(plot, folder, "figure", "racksim plot", "--out");
}

std::string svg_of(const Plot& plot) {
  const TemporaryFolder folder;
  CHECK(draw(plot, folder.path()).empty());
  return content(folder.path() / "figure.svg");
}

Plot plot_over_time() {
  Plot plot;
  plot.title = "time: Throughput before, during and after a failure of one of the switches";
  plot.x_label = "time (s)";
  plot.series = {"CONCORDIA", "GAM"};
  PlotPanel panel;
  panel.y_label = "throughput (Mops)";
  panel.x_range = {{0, 48}};
  panel.curves.resize(2);
  panel.curves[0].levels = {{0, 20, 17.5, true}, {20, 22, 0, false}, {22, 48, 17.2, true}};
  panel.curves[1].levels = {{0, 20, 3, true}, {20, 22, 3, false}, {22, 48, 3, true}};
  plot.panels = {panel, panel};
  plot.panels[1].title = "a part of it";
  plot.panels[1].x_range = {{19.95, 22.05}};
  return plot;
}

/// A cumulative distribution of two series over four decades, as steps up to a hundred thousandth from the end.
Plot cumulative() {
  Plot plot;
  plot.title = "runs: latency.read, cumulative";
  plot.x_label = "latency.read (us)";
  plot.x_scale = PlotScale::log;
  plot.x_per_unit = 1000;
  plot.series = {"switch", "home"};
  PlotPanel panel;
  panel.y_label = "share of records up to x";
  panel.y_scale = PlotScale::tail;
  panel.x_range = {{800, 2e6}};
  panel.curves.resize(2);
  panel.curves[0].levels = {{1000, 2000, 0, false}, {2000, 1e5, 0.5, false}, {1e5, 1e5, 1, false}};
  panel.curves[1].levels = {
      {2000, 2e4, 0, false}, {2e4, 1e6, 0.9, false}, {1e6, 1.5e6, 0.99999, false}, {1.5e6, 1.5e6, 1, false}};
  plot.panels = {panel};
  return plot;
}

/// One of each kind, with names as long as any.
std::vector<Plot> plots() {
  std::vector<Plot> all{sample_plot({0, 0.2, 0.4, 0.6, 0.8, 1}, {"CONCORDIA", "CONCORDIA-base", "GAM"}),
                        sample_plot({500000, 1e6, 1.5e6, 2e6, 2.5e6, 3e6, 3.5e6, 4e6}, long_names(12),
                                    {"GAM's evictions of clean lines that were read before (operations)", "p99 (ns)"}),
                        sample_plot({1, 2, 4, 8, 16, 32, 64, 128, 256}, {"one"}),
                        sample_plot({0, 0.9, 0.95, 0.99}, long_names(3), {"balance"}),
                        sample_plot({1, 2, 3, 4}, {"a", "b"}),
                        sample_plot({7}, long_names(9)),
                        plot_over_time(),
                        cumulative(),
                        sample_plot({1, 2, 3, 4, 5, 6, 7, 8, 9}, {"a"}, {"rate", "share"})};
  all[2].x_scale = PlotScale::log;
  all[2].panels[0].y_scale = PlotScale::log;
  all[3].x_scale = all[4].x_scale = all[5].x_scale = PlotScale::categories;
  const char* names[] = {"none", "forwarding", "forwarding and batches", "with all boundaries"};
  for (std::size_t i = 0; i < 4; ++i) all[4].places[i].label = names[i];
  all[4].joined = all[5].joined = false;
  // Words wider than their slots stand upright.
  all[8].x_scale = PlotScale::categories;
  for (PlotPlace& place : all[8].places) place.label = "with boundaries";
  all[0].title =
      "A title <of> three lines, \"quoted\" & full of signs: it tells what the figure shows, in which paper, "
      "and under which conditions";
  all[1].panels[0].title = "at the knee, artifact: at most 2 % lost";
  all[1].panels[1].marks = {{0, 500000, 12}};
  for (PlotCurve& curve : all[1].panels[1].curves) {
    for (PlotPoint& point : curve.points) point = {point.x, point.y * 1e7, point.y * 9e6, point.y * 1.2e7};
  }
  return all;
}

}  // namespace

TEST_CASE("no text of a picture leaves it or lies on another, and each is there whole") {
  for (const Plot& plot : plots()) {
    const std::string svg = svg_of(plot);
    CAPTURE(plot.title, plot.series.size());
    CHECK(misplaced(svg) == "");
    std::string all;
    for (const DrawnText& drawn : drawn_texts(svg)) all += drawn.text + " ";
    const auto shows = [&](const std::string& text) {
      std::istringstream words(text);
      for (std::string word; words >> word;) CHECK_THAT(all, Contains(word));
    };
    shows(plot.title);
    shows(plot.x_label);
    for (const std::string& name : plot.series) shows(name);
    for (const PlotPanel& panel : plot.panels) shows(panel.title + " " + panel.y_label);
  }
}

TEST_CASE("words of the PDF, measured by another program, do not lie on each other, and its fonts are embedded") {
  const TemporaryFolder folder;
  std::size_t drawn = 0;
  for (const Plot& plot : plots()) {
    CAPTURE(plot.title);
    draw(plot, folder.path());
    const std::string pdf = (folder.path() / "figure.pdf").string();
    // Where it is not installed (set "plots" of tools/packages.txt), SVG alone is judged.
    const ProgramEnd boxes = run_program({"pdftotext", "-bbox", pdf, "-"});
    if (!boxes.started) return;
    std::vector<DrawnText> words;
    for (std::size_t at = 0; (at = boxes.output.find("<word ", at)) != std::string::npos; ++at) {
      const std::string word = boxes.output.substr(at, boxes.output.find("</word>", at) - at);
      // Boxes have the font's whole line: letters fill it but for a tenth above and below.
      DrawnText one{word.substr(word.find('>') + 1), number_after(word, "xMin=\""), number_after(word, "yMin=\""),
                    number_after(word, "xMax=\""), number_after(word, "yMax=\"")};
      const bool upright = one.bottom - one.top > one.right - one.left && one.text.size() > 2;
      (upright ? one.left : one.top) += 0.9;
      (upright ? one.right : one.bottom) -= 0.9;
      words.push_back(one);
    }
    CHECK(words.size() > 10);
    CHECK(misplaced(words, number_after(boxes.output, "<page width=\""), number_after(boxes.output, "\" height=\"")) ==
          "");
    CHECK(number_after(boxes.output, "<page width=\"") == Approx(84 / 25.4 * 72).margin(0.6));
    const ProgramEnd fonts = run_program({"pdffonts", pdf});
    CHECK_THAT(fonts.output, Contains("DejaVuSans") && Contains("yes yes yes"));
    ++drawn;
  }
  CHECK(drawn == plots().size());
}

TEST_CASE("equal plots give equal bytes, in SVG and PNG") {
  const TemporaryFolder folder;
  const Plot plot = plots()[1];
  draw(plot, folder.path() / "a");
  draw(plot, folder.path() / "b");
  for (const char* file : {"figure.svg", "figure.png", "figure.gp"}) {
    CHECK(content(folder.path() / "a" / file).size() > 100);
    CHECK(content(folder.path() / "a" / file) == content(folder.path() / "b" / file));
  }
  CHECK(content(folder.path() / "a/figure.pdf").starts_with("%PDF-"));
}

TEST_CASE("every point is a mark in the picture where its value belongs") {
  const Plot plot = sample_plot({0, 1, 2}, {"one"});
  const std::string svg = svg_of(plot);
  std::vector<double> x, y;
  for (std::size_t at = 0; (at = svg.find("<use xlink:href='#gpPt6' transform='translate(", at)) != std::string::npos;
       ++at) {
    const std::string mark = svg.substr(at, 100);
    x.push_back(number_after(mark, "translate("));
    y.push_back(number_after(mark, mark.substr(mark.find("translate("), mark.find(',') + 1 - mark.find("translate("))));
  }
  REQUIRE(x.size() == 4);  // that of the legend comes first
  CHECK(x[2] - x[1] == Approx(x[3] - x[2]).margin(0.02));
  CHECK(y[1] - y[2] == Approx(y[2] - y[3]).margin(0.02));  // 10, 11, 12
  CHECK(x[2] > x[1]);
  CHECK(y[2] < y[1]);
}

TEST_CASE("an error bar goes from the least to the most, however short it is") {
  Plot plot = sample_plot({0, 1, 2}, {"one"});
  plot.panels[0].curves[0].points = {{0, 10, 10, 10}, {1, 10, 9.9, 10.1}, {2, 20, 10, 20}};
  const std::string svg = svg_of(plot);
  std::vector<double> y;  // of the marks, that of the legend first
  for (std::size_t at = 0; (at = svg.find("<use xlink:href='#gpPt6' transform='translate(", at)) != std::string::npos;
       ++at) {
    y.push_back(number_after(svg.substr(at, 100), ","));
  }
  REQUIRE(y.size() == 4);
  CHECK(times(svg, "color='#FFFFFF'/>") == 0);  // nothing is blanked out
  // A unit is a tenth of what lies between the marks at 10 and 20; bars are lines straight up.
  const double unit = (y[1] - y[3]) / 10;
  std::vector<double> lengths;
  for (std::size_t at = svg.find("#gpPt6'"); (at = svg.find("M", at)) != std::string::npos; ++at) {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    const bool line = std::sscanf(svg.c_str() + at, "M%lf,%lf L%lf,%lf", &x0, &y0, &x1, &y1) == 4;
    if (line && x0 == x1 && y0 != y1) lengths.push_back(std::abs(y0 - y1) / unit);
  }
  const auto has = [&](double length) {
    return std::any_of(lengths.begin(), lengths.end(), [&](double one) { return std::abs(one - length) < 0.05; });
  };
  CHECK(has(10));
  CHECK(has(0.2));
}

TEST_CASE("the script alone draws all three, wherever it is taken, whatever names it has") {
  const TemporaryFolder folder;
  Plot plot = sample_plot({1, 2}, {"`touch run`", "it's @x"});
  plot.title = "`touch run` @x";
  draw(plot, folder.path() / "a");
  folder.write("b/figure.gp", content(folder.path() / "a/figure.gp"));
  const std::string go = "cd " + (folder.path() / "b").string() + " && gnuplot figure.gp 2>errors";
  CHECK(std::system(go.c_str()) == 0);
  CHECK(content(folder.path() / "b/errors").empty());
  CHECK(content(folder.path() / "b/figure.svg") == content(folder.path() / "a/figure.svg"));
  CHECK(content(folder.path() / "b/figure.png") == content(folder.path() / "a/figure.png"));
  CHECK(fs::exists(folder.path() / "b/figure.pdf"));
  CHECK_FALSE(fs::exists(folder.path() / "b/run"));
  CHECK_FALSE(fs::exists("run"));
}

TEST_CASE(
    "a step of a distribution with a logarithmic tail stands where its share belongs, the last at the upper edge") {
  const std::string svg = svg_of(cumulative());
  // The second series' levels lie at what is left: 1, 0.1, 0.00001 and nothing, of which the axis shows 0.00001.
  std::vector<double> y;
  const std::size_t at = svg.rfind("stroke-dasharray");
  REQUIRE(at != std::string::npos);
  const std::size_t path = svg.find("d='M", at), end = svg.find("'/>", path);
  REQUIRE(end != std::string::npos);
  for (std::size_t i = svg.find(',', path); i < end; i = svg.find(',', i + 1))
    y.push_back(std::strtod(svg.c_str() + i + 1, nullptr));
  REQUIRE(y.size() >= 6);
  const double lowest = *std::max_element(y.begin(), y.end()), highest = *std::min_element(y.begin(), y.end());
  const auto has = [&](double share) {  // so much of the height from the bottom
    return std::any_of(y.begin(), y.end(),
                       [&](double one) { return std::abs((lowest - one) / (lowest - highest) - share) < 0.01; });
  };
  CHECK((has(0) && has(0.2) && has(1)));
  CHECK_FALSE(has(0.9));
}

TEST_CASE("where nothing has a value the picture says so") {
  Plot plot = sample_plot({1, 2}, {"one"});
  for (PlotPoint& point : plot.panels[0].curves[0].points) point.y = std::nan("");
  CHECK_THAT(svg_of(plot), Contains("no point has a value"));
  CHECK(misplaced(svg_of(plot)) == "");
}

TEST_CASE("a folder that cannot be written is told with its path") {
  const TemporaryFolder folder;
  folder.write("file", "");
  CHECK_THAT(refusal([&] { draw(sample_plot({1}, {"one"}), folder.path() / "file/x"); }),
             Contains("file/x/figure.gp") && Contains("a file that can be written"));
}

}  // namespace gnuplot_test
