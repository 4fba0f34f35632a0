// See plot_script.hpp.
#include "tools/plot/plot_script.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/plot/plot_layout.hpp"
#include "tools/plot/text_width.hpp"

namespace racksim::tools {
namespace {

// Series differ in all three, and in print without colours in the other two. Eight colours that the colour-blind tell
// apart (Okabe and Ito, with grey for their yellow), ten marks, five dashes: seventy series until all three meet again.
constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555"};
constexpr std::array kMarks{7, 4, 9, 12, 5, 8, 13, 6, 11, 10};
constexpr std::array kDashes{"1", "(6,3)", "(2,2)", "(9,3,2,3)", "(4,2)"};
constexpr int kPaperStyle = 100, kPaperMark = 3;

/// Text as gnuplot takes it: in single quotes, in which nothing is a command, a variable or an escape.
std::string quoted(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += text.empty() ? "'" : ".\"\\n\".'";
    for (const char c : line) text += c == '\'' ? "''" : std::string(1, c);
    text += '\'';
  }
  return text.empty() ? "''" : text;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text.find('\n', at);
    lines.push_back(text.substr(at, end == std::string::npos ? end : end - at));
  }
  return lines;
}

/// Text in a comment: without what gnuplot would run there, or take for the end of the line.
std::string commented(std::string text) {
  for (char& c : text) {
    if (c == '`' || c == '@' || c == '\n' || c == '\\') c = '\'';
  }
  return "# " + text;
}

/// With all digits, so that the data are those of the table that they came from.
std::string exact(double value) {
  return fmt::format("{}", value);
}

class Script {
 public:
  Script(const Plot& plot, const std::string& name) : plot_(plot), name_(name), layout_(layout_of(plot)) {}

  std::string text() {
    say(commented(plot_.title));
    say(fmt::format("# gnuplot {0}.gp draws {0}.svg, {0}.pdf and {0}.png.", name_));
    say("");
    for (const PanelLayout& panel : layout_.panels) data_of(panel);
    styles();
    say("do for [format in \"svg pdf png\"] {");
    say("  if (exists(\"only\") && only ne format) { continue }");
    terminals();
    say(fmt::format("  if (!exists(\"only\")) {{ set output '{}.'.format }}", name_));
    say("  set multiplot");
    legend();
    for (const PanelLayout& panel : layout_.panels) draw(panel);
    if (layout_.panels.empty()) nothing();
    say("  unset multiplot");
    say("  unset output");
    say("}");
    return text_;
  }

 private:
  void say(const std::string& line) { text_ += line + '\n'; }

  /// Places on the paper, from points from the left and the top.
  std::string across(double x) const { return fmt::format("{:.5f}", x / kPlotWidth); }
  std::string up(double y) const { return fmt::format("{:.5f}", 1 - y / layout_.height); }
  std::string at(double x, double y) const { return "screen " + across(x) + "," + up(y); }

  std::string block(const PanelLayout& panel, const std::string& what) const {
    return fmt::format("$panel{}_{}", panel.panel + 1, what);
  }
  static std::string of_series(std::size_t series) { return fmt::format("series{}", series + 1); }

  /// Series of one group have one.
  const char* colour_of(std::size_t series) const {
    const bool grouped = series < plot_.colours.size();
    return kColours[(grouped ? plot_.colours[series] : series) % kColours.size()];
  }

  /// How far a series stands beside its place where a place has all of them side by side.
  double shift_of(std::size_t series) const {
    if (plot_.joined || plot_.series.size() < 2) return 0;
    const auto all = static_cast<double>(plot_.series.size());
    return (static_cast<double>(series) - (all - 1) / 2) * std::min(0.12, 0.8 / all);
  }

  void data_of(const PanelLayout& panel) {
    const PlotPanel& of = plot_.panels[panel.panel];
    for (std::size_t s = 0; s < of.curves.size(); ++s) {
      if (!of.curves[s].points.empty()) points_of(panel, s);
      if (!of.curves[s].levels.empty()) levels_of(panel, s);
    }
    if (!has_marks_in(of)) return;
    say(block(panel, "paper") + " << EOD");
    say("# x y, as the paper states them, and the colour of their series as a number");
    for (const PlotMark& mark : of.marks) {
      if (!is_drawable(mark.y, of.y_scale)) continue;
      const std::string colour = std::string(colour_of(mark.series)).substr(1);
      say(fmt::format("{} {} {}", place(mark.series, mark.x), exact(mark.y), std::stoul(colour, nullptr, 16)));
    }
    say("EOD\n");
  }

  static bool has_marks_in(const PlotPanel& panel) {
    return std::any_of(panel.marks.begin(), panel.marks.end(),
                       [&panel](const PlotMark& mark) { return is_drawable(mark.y, panel.y_scale); });
  }

  std::string place(std::size_t series, double x) const {
    return exact(std::round((x_on_axis(plot_, x) + shift_of(series)) * 1e9) / 1e9);
  }

  void points_of(const PanelLayout& panel, std::size_t series) {
    const PlotPanel& of = plot_.panels[panel.panel];
    say(block(panel, of_series(series)) + " << EOD");
    say(commented(plot_.series[series] + ": " + of.y_label));
    say("# x y least most");
    for (const PlotPoint& point : of.curves[series].points) {
      const auto label = std::find_if(plot_.places.begin(), plot_.places.end(),
                                      [&point](const PlotPlace& one) { return one.x == point.x; });
      const std::string named = label == plot_.places.end() ? exact(point.x) : label->label;
      if (is_drawable(point.y, of.y_scale)) {
        say(fmt::format("{} {} {} {}", place(series, point.x), exact(point.y), exact(point.low), exact(point.high)));
      } else {
        say(commented("nothing to draw at " + named) + "\n");  // and a gap
      }
    }
    say("EOD\n");
  }

  /// Two blocks: what was simulated, with the steps between levels, and what is assumed.
  void levels_of(const PanelLayout& panel, std::size_t series) {
    const PlotPanel& of = plot_.panels[panel.panel];
    for (const bool assumed : {false, true}) {
      say(block(panel, of_series(series) + (assumed ? "_assumed" : "")) + " << EOD");
      say(commented(plot_.series[series] + ": " + of.y_label + (assumed ? ", not simulated" : "")));
      double before = std::nan("");
      for (const PlotLevel& level : of.curves[series].levels) {
        const double from = std::max(level.from, panel.x.low), to = std::min(level.to, panel.x.high);
        if (from > to || (from == to && level.from < level.to)) continue;
        const bool known = is_drawable(level.y, of.y_scale);
        if (known && level.assumed == assumed) {
          if (!assumed && std::isfinite(before)) say(exact(from) + " " + exact(before));
          say(exact(from) + " " + exact(level.y) + "\n" + exact(to) + " " + exact(level.y));
        } else {
          if (known && !assumed && std::isfinite(before))
            say(exact(from) + " " + exact(before) + "\n" + exact(from) + " " + exact(level.y));
          say("");
        }
        before = known ? level.y : std::nan("");
      }
      say("EOD\n");
    }
  }

  void styles() {
    say("# One style for each series: colour, dashes and mark; the first are the widest, seen where the last lie on "
        "them.");
    std::size_t above = 0;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) above += has_values(plot_, s) ? 1 : 0;
    const double all = std::max(static_cast<double>(above) - 1, 1.0);
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      if (!has_values(plot_, s)) continue;
      const double below = static_cast<double>(--above) / all;
      const double wider = plot_.joined ? below : 0;  // side by side none lies on another
      // Of one colour, dashes tell which of its series.
      const bool grouped = s < plot_.colours.size();
      const auto before = plot_.colours.begin() + static_cast<std::ptrdiff_t>(grouped ? s : 0);
      const auto dashes =
          grouped ? static_cast<std::size_t>(std::count(plot_.colours.begin(), before, plot_.colours[s])) : s;
      say(fmt::format("set style line {} lc rgb '{}' dt {} lw {:.3g} pt {} ps {:.3g}", s + 1, colour_of(s),
                      kDashes[dashes % kDashes.size()], 1.2 + 0.6 * wider, kMarks[s % kMarks.size()],
                      0.5 + 0.2 * wider));
    }
    say(fmt::format("set style line {} lc rgb '#000000' pt {} ps 0.9 lw 3\n", kPaperStyle, kPaperMark));
    say("set encoding utf8");
    say("set border 3 lw 0.8");
    say("set tics nomirror out scale 0.5");
    say("set grid ytics lt 1 lc rgb '#dddddd' lw 0.6");
    say("unset key\n");
  }

  void terminals() {
    const double pixels = 4.0 / 3;  // of SVG, to a point
    say(
        fmt::format("  if (format eq 'svg') {{ set terminal svg size {:.0f},{:.0f} font 'DejaVu Sans,{:.2f}' "
                    "linewidth 1 noenhanced background rgb 'white' }}",
                    kPlotWidth * pixels, layout_.height * pixels, kTextSize * pixels));
    // gnuplot takes 96 of cairo's points to an inch for its fonts: hence three quarters.
    say(
        fmt::format("  if (format eq 'pdf') {{ set terminal pdfcairo size {:.4f}in,{:.4f}in font 'DejaVu Sans,{:g}' "
                    "fontscale 0.75 linewidth 1 noenhanced background rgb 'white' }}",
                    kPlotWidth / 72, layout_.height / 72, kTextSize));
    say(
        fmt::format("  if (format eq 'png') {{ set terminal pngcairo size {:.0f},{:.0f} font 'DejaVu Sans,{:g}' "
                    "fontscale 3 linewidth 3 pointscale 3 noenhanced background rgb 'white' }}",
                    kPlotWidth * 4, layout_.height * 4, kTextSize));
  }

  /// A label for each line: terminals differ in how far apart they set the lines of one.
  void label(const std::vector<std::string>& lines, double x, double y, const char* how) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double below = kLineHeight * static_cast<double>(i);
      say(fmt::format("  set label {} at {} {}", quoted({lines[i]}), at(x, y + below), how));
    }
  }
  void upright_label(const std::vector<std::string>& lines, double x, double y) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double right = kLineHeight * static_cast<double>(i);
      say(fmt::format("  set label {} at {} center rotate by 90", quoted({lines[i]}), at(x + right, y)));
    }
  }

  /// Title and legend. Labels and arrows belong to the first panel drawn, and are unset after it.
  void legend() {
    label(layout_.title, kPlotMargin, layout_.title_y, "left");
    for (const LegendEntry& entry : layout_.legend) {
      const int style = static_cast<int>(entry.series) + 1;
      const double middle = (entry.sample_from + entry.sample_to) / 2;
      if (entry.kind == LegendEntry::Kind::mark) {
        say(fmt::format("  set label '' at {} point ls {}", at(middle, entry.y), kPaperStyle));
      } else if (entry.kind == LegendEntry::Kind::assumed) {
        say(fmt::format("  set arrow from {} to {} nohead lc rgb '#000000' lw 0.5", at(entry.sample_from, entry.y),
                        at(entry.sample_to, entry.y)));
      } else {
        if (plot_.joined)
          say(fmt::format("  set arrow from {} to {} nohead ls {}", at(entry.sample_from, entry.y),
                          at(entry.sample_to, entry.y), style));
        if (!plot_.places.empty()) say(fmt::format("  set label '' at {} point ls {}", at(middle, entry.y), style));
      }
      label(entry.lines, entry.text, entry.y, "left");
    }
  }

  void nothing() {
    say("  unset border\n  unset tics\n  set xrange [0:1]\n  set yrange [0:1]");
    label({"no point has a value"}, kPlotMargin, layout_.height - kLineHeight / 2, "left");
    say("  plot NaN");
  }

  static std::string ticks_text(const std::vector<PlotTick>& ticks) {
    std::string text;
    for (const PlotTick& tick : ticks) {
      text += fmt::format("{}{} {:.12g}", text.empty() ? "" : ", ", quoted(lines_in(tick.label)), tick.at);
    }
    return "(" + text + ")";
  }

  void draw(const PanelLayout& panel) {
    const PlotPanel& of = plot_.panels[panel.panel];
    label(panel.title, kPlotMargin, panel.title_y, "left");
    upright_label(panel.y_label, panel.y_label_x, (panel.top + panel.bottom) / 2);
    label(panel.x_label, (panel.left + panel.right) / 2, panel.x_label_y, "center");
    say(fmt::format("  set lmargin at screen {}\n  set rmargin at screen {}", across(panel.left), across(panel.right)));
    say(fmt::format("  set tmargin at screen {}\n  set bmargin at screen {}", up(panel.top), up(panel.bottom)));
    const bool tail = of.y_scale == PlotScale::tail;
    say(std::string("  unset logscale") + (plot_.x_scale == PlotScale::log ? "\n  set logscale x" : "") +
        (of.y_scale == PlotScale::log || tail ? "\n  set logscale y" : ""));
    say(fmt::format("  set xrange [{:.12g}:{:.12g}]\n  set yrange [{:.12g}:{:.12g}]", panel.x.low, panel.x.high,
                    tail ? panel.y.high : panel.y.low, tail ? panel.y.low : panel.y.high));
    say(fmt::format("  set xtics {} {}", panel.upright ? "rotate by 90 right offset 0,0" : "norotate offset 0,0.4",
                    ticks_text(panel.x.ticks)));
    say("  set ytics " + ticks_text(panel.y.ticks));
    std::vector<std::string> drawn;
    for (std::size_t s = 0; s < of.curves.size(); ++s) elements_of(panel, s, drawn);
    // In the colour of its series, with a black rim.
    if (has_marks_in(of)) {
      drawn.push_back(fmt::format("{} using 1:2 with points ls {}", block(panel, "paper"), kPaperStyle));
      drawn.push_back(
          fmt::format("{} using 1:2:3 with points ls {} lw 1.5 lc rgb variable", block(panel, "paper"), kPaperStyle));
    }
    std::string line;
    for (const std::string& element : drawn) line += (line.empty() ? "  plot " : ", \\\n       ") + element;
    say(line);
    say("  unset label\n  unset arrow");
  }

  void elements_of(const PanelLayout& panel, std::size_t series, std::vector<std::string>& drawn) const {
    const PlotPanel& of = plot_.panels[panel.panel];
    const PlotCurve& curve = of.curves[series];
    const std::string data = block(panel, of_series(series));
    const auto drawable = [&of](const auto& value) { return is_drawable(value.y, of.y_scale); };
    if (std::any_of(curve.points.begin(), curve.points.end(), drawable)) {
      const bool spread = std::any_of(curve.points.begin(), curve.points.end(),
                                      [](const PlotPoint& point) { return point.low < point.high; });
      // Arrows with flat heads: gnuplot's own error bars are blanked out around the marks, short ones as a whole.
      if (spread) {
        // What a logarithmic axis has no place for begins at its end.
        const std::string least =
            of.y_scale == PlotScale::log ? fmt::format("($3>{0:.12g}?$3:{0:.12g})", panel.y.low) : "$3";
        drawn.push_back(
            fmt::format("{} using 1:({}):(0):($4-{}) with vectors heads size screen 0.008,90 fixed ls {} dt 1 lw 0.8",
                        data, least, least, series + 1));
      }
      drawn.push_back(
          fmt::format("{} using 1:2 with {} ls {}", data, plot_.joined ? "linespoints" : "points", series + 1));
    }
    const auto level_of = [&](bool assumed) {
      return std::any_of(curve.levels.begin(), curve.levels.end(), [&](const PlotLevel& level) {
        return level.assumed == assumed && drawable(level) && level.from < panel.x.high && level.to > panel.x.low;
      });
    };
    // Of shares what is left of the whole is drawn; of the whole nothing is, which has no logarithm.
    const std::string rest =
        of.y_scale == PlotScale::tail ? fmt::format(" using 1:(1-$2>{0:.12g}?1-$2:{0:.12g})", panel.y.low) : "";
    if (level_of(true)) drawn.push_back(fmt::format("{}_assumed{} with lines ls {} lw 0.5", data, rest, series + 1));
    if (level_of(false)) drawn.push_back(fmt::format("{}{} with lines ls {}", data, rest, series + 1));
  }

  const Plot& plot_;
  const std::string& name_;
  PlotLayout layout_;
  std::string text_;
};

}  // namespace

std::string plot_script(const Plot& plot, const std::string& name) {
  return Script(plot, name).text();
}

}  // namespace racksim::tools
