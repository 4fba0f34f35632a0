// The page of many figures, of made-up ones.
#include "tools/figure/figure_index.hpp"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <sstream>

namespace figure_index_test {

using namespace racksim::tools;
using Catch::Contains;

namespace {

IndexedFigure figure(const std::string& name, bool drawn) {
  IndexedFigure one{name, "Title <of> " + name, "Paper & more", name, drawn, {}, 4, 0};
  one.claims.push_back({"a", "A is \"fast\".", "133", "131 .. 134", "met", true, false});
  one.claims.push_back({"b", "", "at least 2", "1.5", "off by 25 %", false, false});
  one.claims.push_back({"c", "C.", "1 .. 2", "1.9 (1.8 .. 2.1)", "unclear: met with 2 of 3 seeds", false, true});
  return one;
}

}  // namespace

TEST_CASE("a figure in one line: claims met, off and unclear, and points that failed") {
  IndexedFigure one = figure("x/fig1", true);
  CHECK(in_one_line(one) == "1 of 3 claims met, 1 off, 1 unclear");
  one.claims.resize(1);
  CHECK(in_one_line(one) == "1 of 1 claims met");
  one.failed = 2;
  CHECK(in_one_line(one) == "1 of 1 claims met; 2 of 4 points failed");
}

TEST_CASE("the page links each picture and lists each claim with its verdict, whatever signs they have") {
  const std::string page = index_page("Figures, quick", {figure("x/fig1", true), figure("x/fig2", false)});
  CHECK_THAT(page, Contains("<p>2 figures, 2 of 6 claims met, 2 off, 2 unclear</p>"));
  CHECK_THAT(page, Contains("<img src=\"x/fig1/figure.svg\"") && !Contains("x/fig2/figure.svg"));
  CHECK_THAT(page, Contains("href=\"x/fig2/points.csv\"") && Contains("href=\"#x/fig1\""));
  CHECK_THAT(page,
             Contains("Title &lt;of&gt; x/fig1") && Contains("A is &quot;fast&quot;.") && Contains("Paper &amp; more"));
  CHECK_THAT(page, Contains("off by 25 %") && Contains("unclear: met with 2 of 3 seeds") && Contains(">131 .. 134<"));
  // Nothing but the pictures is needed, and what is opened is closed.
  CHECK_THAT(page, !Contains("http") && !Contains("<script"));
  std::string closed = page.substr(page.find("<html"));
  for (const std::string name : {"<meta charset=\"utf-8\"", "alt=\"x/fig1\""}) {
    closed.insert(closed.find(name) + name.size(), "/");
  }
  std::istringstream in(closed);
  boost::property_tree::ptree tree;
  CHECK_NOTHROW(boost::property_tree::read_xml(in, tree));
}

}  // namespace figure_index_test
