// Words of claims that give no number: finding them, what they are held to, and that no claim goes without.
#include "tools/figure/claim_words.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/tools/refusal.hpp"
#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"

namespace claim_words_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

using Words = std::set<std::string>;

FigureAxes axes() {
  return {{{0, "0"}, {1, "1"}}, {"A", "B"}, {"speed"}};
}
std::string verdict(const std::string& paper, const std::string& reading, std::vector<double> a,
                    std::vector<double> b = {0, 0}) {
  const std::string text =
      R"({"id": "c", "paper": )" + paper + (reading.empty() ? "" : R"(, "read": )" + reading) + "}";
  const Claim claim = read_claim(parse_json(text, "t"), {"t", ""}, axes());
  FigureValues values;
  values.of = {{{a[0]}, {a[1]}}, {{b[0]}, {b[1]}}};
  return judge(claim, axes(), values).text(claim);
}
std::string refused(const std::string& paper) {
  const std::string text = R"({"id": "c", "read": "A", "paper": )" + paper + "}";
  return refusal([&] { read_claim(parse_json(text, "t"), {"t", ""}, axes()); });
}

/// The words that a figure's claim or its parts are read by.
std::map<std::string, Words> words_of_figures() {
  std::map<std::string, Words> words;
  for (const std::string& name : json_names_below(scenarios_folder() / "figures")) {
    for (const Claim& claim : load_figure(find_figure_file(name), built_in_catalogue(), false).claims) {
      for (const WordShare& one : claim.paper.words) words[claim.id.substr(0, claim.id.find('/'))].insert(one.word);
    }
  }
  return words;
}

}  // namespace

TEST_CASE("words are found whole, in capitals or not") {
  CHECK(claim_words_in("About 32, up to 5 %, slightly more") == Words{"about", "slightly", "up to"});
  CHECK(claim_words_in("almost 950; nearly used up") == Words{"almost", "nearly"});
  CHECK(claim_words_in("roundabout, set up tomorrow, slight").empty());
}

TEST_CASE(
    "about, almost and nearly give a value a rounding, unless the paper's is narrower, and a wider one is refused") {
  const auto about = [](const char* rounding) {
    return R"({"value": 20, "words": {"about": 0.1})" + std::string(rounding) + "}";
  };
  CHECK(verdict(about(""), "\"A\"", {18, 22}) == "met");
  CHECK(verdict(about(""), "\"A\"", {18, 23}) == "off by 5 %");
  CHECK(verdict(about(R"(, "rounding": 1)"), "\"A\"", {19, 21}) == "met");
  CHECK(verdict(about(R"(, "rounding": 1)"), "\"A\"", {18, 20}) == "off by 5 %");
  CHECK(refused(about(R"(, "rounding": 3)")) ==
        "t: /paper/rounding: found the number 3, expected at most 2, by the words");
  CHECK(verdict(R"({"value": 20, "words": {"almost": 0.05}})", "\"A\"", {19, 21}) == "met");
  CHECK(verdict(R"({"value": 20, "words": {"nearly": 0.05}})", "\"A\"", {18, 20}) == "off by 5 %");
  CHECK(refused(R"({"min": 0.9, "words": {"nearly": 0.05}})") ==
        "t: /paper/min: found the number 0.9, expected at least 0.95, by the words");
  CHECK(verdict(R"({"order": ["A", "~", "B"], "words": {"about": 0.1}})", "", {10, 10}, {9, 11}) == "met");
  CHECK(verdict(R"({"order": ["A", "~", "B"], "words": {"about": 0.1}})", "", {10, 10}, {9, 12}) == "not met");
}

TEST_CASE("what goes up to a value stays below it, and its largest reaches nine tenths of it") {
  for (const char* paper : {R"({"max": 2, "words": {"up to": 0.1}})", R"({"value": 2, "words": {"up to": 0.1}})"}) {
    CHECK(verdict(paper, "\"A\"", {0.5, 1.8}) == "met");
    CHECK(verdict(paper, "\"A\"", {1, 2.2}) == "off by 10 %");
    CHECK(verdict(paper, "\"A\"", {0.5, 0.9}) == "off by 50 %");
  }
  // The paper's rounding is narrower: 0.15 short of 1.95.
  CHECK(verdict(R"({"value": 2, "rounding": 0.05, "words": {"up to": 0.1}})", "\"A\"", {1.8, 2}) == "off by 8 %");
}

TEST_CASE("what is slightly more is a tenth more at most") {
  const std::string order = R"({"order": ["A", ">", "B"], "words": {"slightly": 0.1}})";
  CHECK(verdict(order, "", {10, 10}, {9, 9.9}) == "met");
  CHECK(verdict(order, "", {10, 10}, {9, 8}) == "not met");
  CHECK(verdict(order, "", {10, 10}, {9, 10}) == "not met");
  const std::string shape = R"({"shape": "monotone_decreasing", "words": {"slightly": 0.1}})";
  CHECK(verdict(shape, "\"A\"", {10, 9}) == "met");
  CHECK(verdict(shape, "\"A\"", {10, 8}) == "not met");
}

TEST_CASE("up to half of an axis is no word that needs a number") {
  CHECK(claim_words_in("Up to half remote accesses there are no misses").empty());
  CHECK(claim_words_in("Up to half of them it is up to 1.85 times as fast") == std::set<std::string>{"up to"});
}

TEST_CASE("a share above the table's and a word that it lacks are refused") {
  CHECK(refused(R"({"value": 1, "words": {"about": 0.2}})") ==
        "t: /paper/words/about: found the number 0.2, expected a share of at most 0.1, which all claims have");
  CHECK_THAT(refused(R"({"value": 1, "words": {"abut": 0.1}})"), Catch::Contains("did you mean \"about\"?"));
}

TEST_CASE("the number that a word is read as stands in the table of claims as chosen") {
  const auto text = [](const char* paper) {
    const std::string claim = R"({"id": "c", "read": "A", "paper": )" + std::string(paper) + "}";
    return read_claim(parse_json(claim, "t"), {"t", ""}, axes()).paper.text;
  };
  CHECK(text(R"({"value": 21.5, "rounding": 0.05, "words": {"about": 0.1}})") == "21.5 (about: 10 %, chosen)");
}

TEST_CASE("every claim with such a word has its number where it is judged") {
  const auto by_figures = words_of_figures();
  std::size_t with_words = 0;
  for (const PaperClaim& claim : load_paper_claims(scenarios_folder())) {
    if (claim.standing == Standing::not_modelled) continue;
    Words stated;
    for (const WordShare& one : claim.words) stated.insert(one.word);
    const auto figure = by_figures.find(claim.id);
    if (figure != by_figures.end()) stated.insert(figure->second.begin(), figure->second.end());
    for (const std::string& word : claim_words_in(claim.text + "; " + claim.expected)) {
      CAPTURE(claim.id, word);
      ++with_words;
      CHECK(stated.contains(word));
    }
  }
  CHECK(with_words > 20);
}

}  // namespace claim_words_test
