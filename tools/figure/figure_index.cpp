// See figure_index.hpp.
#include "tools/figure/figure_index.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/figure/figure_report.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/svg.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kStyle =
    "body{font-family:sans-serif;max-width:70em;margin:1em auto;padding:0 1em;color:#222;background:#fff}"
    "section{display:flex;flex-wrap:wrap;gap:1em;border-top:1px solid #ccc;padding:1em 0}"
    "section>div{flex:1;min-width:22em}h2{font-size:1.1em;margin:0}img{width:318px}"
    "table{border-collapse:collapse;font-size:.85em}td,th{text-align:left;vertical-align:top;padding:.2em .6em .2em 0}"
    ".met{color:#00664b}.off{color:#a33}.unclear{color:#666}";

std::string cell(const std::string& text) {
  return "<td>" + svg_escaped(text) + "</td>";
}

std::string claims_table(const IndexedFigure& figure) {
  if (figure.claims.empty()) return "<p>no claims</p>\n";
  std::string html = "<table>\n<tr><th>verdict</th><th>claim</th><th>paper</th><th>simulated</th></tr>\n";
  for (const auto& claim : figure.claims) {
    const char* kind = claim.met ? "met" : claim.unclear ? "unclear" : "off";
    html +=
        fmt::format("<tr><td class=\"{}\">{}</td><td title=\"{}\">{}</td>{}{}</tr>\n", kind, svg_escaped(claim.verdict),
                    svg_escaped(claim.id), svg_escaped(claim.text.empty() ? claim.id : claim.text), cell(claim.paper),
                    cell(claim.simulated));
  }
  return html + "</table>\n";
}

std::string section(const IndexedFigure& figure) {
  const std::string folder = svg_escaped(figure.folder), name = svg_escaped(figure.name);
  std::string html = fmt::format("<section id=\"{0}\">\n<div><h2>{0}</h2><p>{1}</p>\n<p>{2}</p>\n", name,
                                 svg_escaped(figure.title), svg_escaped(figure.paper));
  html += fmt::format("<p>{}; ", in_one_line(figure));
  if (figure.drawn)
    html += fmt::format("<a href=\"{0}/figure.pdf\">PDF</a>, <a href=\"{0}/figure.gp\">script</a>, ", folder);
  html += fmt::format("<a href=\"{}/points.csv\">points</a></p>\n{}</div>\n", folder, claims_table(figure));
  if (figure.drawn)
    html += fmt::format("<a href=\"{0}/figure.svg\"><img src=\"{0}/figure.svg\" alt=\"{1}\"></a>\n", folder, name);
  return html + "</section>\n";
}

}  // namespace

IndexedFigure indexed(const Figure& figure, const std::vector<PointResult>& results, const std::string& folder,
                      bool drawn) {
  IndexedFigure entry{figure.name, figure.title, figure.paper, folder, drawn, {}, results.size(), 0};
  for (const JudgedClaim& judged : judge_claims(figure, results)) {
    const Claim& claim = *judged.claim;
    entry.claims.push_back({claim.id, claim.text, claim.paper.text, judged.verdict.simulated, judged.text,
                            judged.verdict.met, !judged.verdict.unclear.empty()});
  }
  entry.failed = static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [](const PointResult& r) { return !r.ended() || !r.pass; }));
  return entry;
}

std::string in_one_line(const IndexedFigure& figure) {
  const auto count = [&](auto holds) {
    return static_cast<std::size_t>(std::count_if(figure.claims.begin(), figure.claims.end(), holds));
  };
  const std::size_t met = count([](const auto& claim) { return claim.met; });
  const std::size_t unclear = count([](const auto& claim) { return claim.unclear && !claim.met; });
  const std::size_t off = figure.claims.size() - met - unclear;
  std::string text = fmt::format("{} of {} claims met", met, figure.claims.size());
  if (off > 0) text += fmt::format(", {} off", off);
  if (unclear > 0) text += fmt::format(", {} unclear", unclear);
  if (figure.failed > 0) text += fmt::format("; {} of {} points failed", figure.failed, figure.points);
  return text;
}

std::string index_page(const std::string& title, const std::vector<IndexedFigure>& figures) {
  IndexedFigure all;
  std::string contents;
  for (const IndexedFigure& figure : figures) {
    all.claims.insert(all.claims.end(), figure.claims.begin(), figure.claims.end());
    all.points += figure.points;
    all.failed += figure.failed;
    const std::string name = svg_escaped(figure.name);
    contents += fmt::format("<li><a href=\"#{0}\">{0}</a>: {1} ({2})</li>\n", name, svg_escaped(figure.title),
                            in_one_line(figure));
  }
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{2}, {3}</p>\n<ol>\n{4}</ol>\n",
      svg_escaped(title), kStyle, counted(figures.size(), "figure"), in_one_line(all), contents);
  for (const IndexedFigure& figure : figures) html += section(figure);
  return html + "</body>\n</html>\n";
}

}  // namespace racksim::tools
