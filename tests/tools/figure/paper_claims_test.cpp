// The lists of the papers' claims: what is read, how a claim stands, what is refused and printed.
#include "tools/figure/paper_claims.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace paper_claims_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// A claim of paper p with these members, on top of what each has.
std::string claim(const std::string& id, const std::string& members) {
  return R"({"id": ")" + id + R"(", "section": "Fig. 1", "basis": "result", "text": "It is fast.", "expected": "3", )" +
         members + "}";
}

std::string list_of(const std::string& claims) {
  return R"({"version": 1, "title": "P.", "claims": [)" + claims + "]}";
}

std::string reading(const std::string& id, bool met) {
  return R"({"id": ")" + id + R"(", "paper": "3", "simulated": "2.9", "verdict": ")" + (met ? "met" : "off by 3 %") +
         R"(", "met": )" + (met ? "true" : "false") + "}";
}

std::string unclear_reading(const std::string& id) {
  return R"({"id": ")" + id +
         R"(", "paper": "3", "simulated": "3", "verdict": "unclear: met with 3 of 5 seeds", "met": false, )" +
         R"("unclear": true})";
}

/// A folder with the figure p/f1, whose record says: p-met is met, p-off is off, p-mixed has a part of each, p-parts
/// two that are met; p-across is unclear, p-half in a part beside one that is met, p-worse beside one that is off.
struct Scenarios : TemporaryFolder {
  Scenarios() {
    write("figures/p/f1.json", "{}");
    write("figures/p/f2.json", "{}");
    write("claims/recorded/p/f1.json",
          R"({"version": 1, "figure": "p/f1", "repeats": {"seeds": [1, 2, 3, 4, 5]}, "run_hashes": ["00"],
                                          "claims": [)" +
              reading("p-met", true) + "," + reading("p-off", false) + "," + reading("p-mixed/one", true) + "," +
              reading("p-mixed/two", false) + "," + reading("p-parts", true) + "," + reading("p-parts/more", true) +
              "," + unclear_reading("p-across") + "," + unclear_reading("p-half/one") + "," +
              reading("p-half/two", true) + "," + unclear_reading("p-worse/one") + "," + reading("p-worse/two", false) +
              "]}");
  }
  std::vector<PaperClaim> load(const std::string& claims) const {
    write("claims/p.json", list_of(claims));
    return load_paper_claims(path());
  }
  PaperClaim one(const std::string& id, const std::string& members) const { return load(claim(id, members)).at(0); }
  std::string refused(const std::string& claims) const {
    write("claims/p.json", list_of(claims));
    const std::string line = refusal([&] { load_paper_claims(path()); });
    const auto pointer = line.find(": ");
    return pointer == std::string::npos ? line : line.substr(pointer + 2);
  }
};

}  // namespace

TEST_CASE("a claim with a figure stands as the figure's record says, and all its parts must hold") {
  const Scenarios folder;
  const std::string figure = R"("figure": "p/f1")";
  CHECK(folder.one("p-met", figure).standing == Standing::met);
  CHECK(folder.one("p-off", figure).standing == Standing::off);
  CHECK(folder.one("p-mixed", figure).standing == Standing::off);
  const PaperClaim parts = folder.one("p-parts", figure);
  CHECK(parts.standing == Standing::met);
  CHECK(parts.readings.size() == 2);
  CHECK(parts.why == "");
}

TEST_CASE("a claim whose figure has no record of it is unclear, and the command that records is named") {
  const Scenarios folder;
  for (const auto& [id, figure] : {std::pair{"p-met", "p/f2"}, std::pair{"p-other", "p/f1"}}) {
    const PaperClaim other = folder.one(id, R"("figure": ")" + std::string(figure) + '"');
    CHECK(other.standing == Standing::unclear);
    CHECK(other.why == "not recorded: racksim figure " + std::string(figure) + " --record");
  }
}

TEST_CASE("a claim whose record is unclear is too, with the reason of the list or the record's, unless a part is off") {
  const Scenarios folder;
  const std::string figure = R"("figure": "p/f1")";
  const PaperClaim across = folder.one("p-across", figure);
  CHECK(across.standing == Standing::unclear);
  CHECK(across.why == "unclear: met with 3 of 5 seeds");
  CHECK(across.repeats == "5 seeds");
  CHECK(folder.one("p-across", figure + R"(, "reason": "two regimes")").why == "two regimes");
  CHECK(folder.one("p-half", figure).standing == Standing::unclear);
  CHECK(folder.one("p-worse", figure).standing == Standing::off);
}

TEST_CASE("what words are read as stands beside tests") {
  const Scenarios folder;
  CHECK(folder.one("p-t", R"("tests": ["a test"], "words": {"up to": 0})").words.at(0).share == 0);
  CHECK_THAT(folder.refused(claim("p-met", R"("figure": "p/f1", "words": {"up to": 0})")),
             Catch::StartsWith("/claims/0/words"));
  CHECK_THAT(folder.refused(claim("p-t", R"("tests": ["a test"], "words": {"up to": 0.2})")),
             Catch::StartsWith("/claims/0/words/up to"));
}

TEST_CASE("an ambiguous claim is unclear unless all its readings agree") {
  const Scenarios folder;
  const std::string figure = R"("figure": "p/f1", "ambiguous": "the paper does not say")";
  CHECK(folder.one("p-parts", figure).standing == Standing::met);
  CHECK(folder.one("p-off", figure).standing == Standing::off);
  const PaperClaim mixed = folder.one("p-mixed", figure);
  CHECK(mixed.standing == Standing::unclear);
  CHECK(mixed.why == "the paper does not say");
  CHECK(folder.one("p-t", R"("tests": ["a test"], "ambiguous": "it says both")").standing == Standing::unclear);
}

TEST_CASE("a claim that is tested in part is never met, and off if the part is") {
  const Scenarios folder;
  const PaperClaim part = folder.one("p-met", R"("figure": "p/f1", "partly": "no GAM")");
  CHECK(part.standing == Standing::unclear);
  CHECK(part.why == "no GAM");
  CHECK(folder.one("p-off", R"("figure": "p/f1", "partly": "no GAM")").standing == Standing::off);
  CHECK(folder.one("p-t", R"("tests": ["a test"], "partly": "no GAM")").standing == Standing::unclear);
}

TEST_CASE("a reason is told of a claim that is off, and of no other") {
  const Scenarios folder;
  const std::string members = R"("figure": "p/f1", "reason": "wires are longer")";
  CHECK(folder.one("p-off", members).why == "wires are longer");
  CHECK(folder.one("p-mixed", members).why == "wires are longer");
  CHECK(folder.one("p-met", members).why == "");
  CHECK(folder.one("p-mixed", members + R"(, "ambiguous": "open")").why == "open");
}

TEST_CASE("a claim with tests is met unless the list says that they show otherwise") {
  const Scenarios folder;
  CHECK(folder.one("p-t", R"("tests": ["a test"])").standing == Standing::met);
  const PaperClaim off = folder.one("p-t", R"("tests": ["a test"], "off": "it is 2")");
  CHECK(off.standing == Standing::off);
  CHECK(off.why == "it is 2");
  CHECK(folder.one("p-met", R"("figure": "p/f1", "tests": ["a test"], "off": "it is 2")").standing == Standing::off);
  CHECK(folder.one("p-off", R"("figure": "p/f1", "tests": ["a test"])").standing == Standing::off);
}

TEST_CASE("a claim that is not modelled says why, even if a figure shows a part of it") {
  const Scenarios folder;
  for (const char* members : {R"("not_modelled": "no GAM")", R"("not_modelled": "no GAM", "figure": "p/f1")"}) {
    const PaperClaim left_out = folder.one("p-met", members);
    CHECK(left_out.standing == Standing::not_modelled);
    CHECK(left_out.why == "no GAM");
  }
}

TEST_CASE("each paper's list is a file of its own") {
  const Scenarios folder;
  folder.write("claims/q.json", list_of(claim("q-1", R"("tests": ["a test"])")));
  const auto claims = folder.load(claim("p-met", R"("figure": "p/f1")"));
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].paper == "p");
  CHECK(claims[1].paper == "q");
  CHECK(load_paper_claims(folder.path() / "nowhere").empty());
}

TEST_CASE("a mistake in a list of claims is one line with its place and the nearest name") {
  const Scenarios folder;
  const auto refused = [&](const std::string& id, const std::string& members) {
    return folder.refused(claim(id, members));
  };
  const std::string tested = R"("tests": ["a test"])";
  CHECK_THAT(refused("q-1", tested), Catch::StartsWith("/claims/0/id") && Catch::Contains("\"p-\""));
  CHECK_THAT(refused("p-1", R"("test": ["a test"])"), Catch::Contains("did you mean \"tests\"?"));
  CHECK_THAT(refused("p-1", R"("tests": [])"), Catch::StartsWith("/claims/0/tests: found an empty array"));
  CHECK_THAT(refused("p-1", R"("figure": "p/f3")"),
             Catch::StartsWith("/claims/0/figure") && Catch::Contains("did you mean \"p/f1\"?"));
  CHECK_THAT(refused("p-1", R"("partly": "no GAM")"), Catch::Contains("found a claim that nothing tests"));
  CHECK_THAT(refused("p-1", R"("figure": "p/f1", "off": "it is 2")"), Catch::StartsWith("/claims/0/off"));
  CHECK_THAT(refused("p-1", tested + R"(, "reason": "it is 2")"), Catch::StartsWith("/claims/0/reason"));
  CHECK_THAT(refused("p-1", tested + R"(, "not_modelled": "x", "partly": "y")"),
             Catch::StartsWith("/claims/0/not_modelled"));
  CHECK_THAT(refused("p-1", tested + R"(, "partly": "")"), Catch::StartsWith("/claims/0/partly: found an empty"));
  CHECK_THAT(folder.refused(claim("p-1", tested) + "," + claim("p-1", tested)),
             Catch::StartsWith("/claims/1/id: found the id \"p-1\" again"));
  CHECK_THAT(folder.refused(R"({"id": "p-1", "section": "1", "basis": "results", "text": "t", "expected": "e", )" +
                            tested + "}"),
             Catch::StartsWith("/claims/0/basis") && Catch::Contains("did you mean \"result\"?"));
  CHECK_THAT(folder.refused(R"({"id": "p-1", "section": "1", "basis": "result", "text": "t", )" + tested + "}"),
             Catch::Contains("found no \"expected\""));
  folder.write("claims/p.json", R"({"title": "P.", "claims": []})");
  CHECK_THAT(refusal([&] { load_paper_claims(folder.path()); }), Catch::Contains("no \"version\""));
}

TEST_CASE("claims are printed a line each, with what was expected and simulated, and counted by paper") {
  const Scenarios folder;
  const auto claims = folder.load(claim("p-off", R"("figure": "p/f1")") + "," + claim("p-t", R"("tests": ["a test"])") +
                                  "," + claim("p-mixed", R"("figure": "p/f1", "ambiguous": "open")") + "," +
                                  claim("p-gam", R"("not_modelled": "no GAM")"));
  CHECK(paper_claims_text(claims) ==
        "p  p-off    Fig. 1  off           figure p/f1; paper 3, simulated 2.9, off by 3 %\n"
        "p  p-t      Fig. 1  met           test \"a test\"\n"
        "p  p-mixed  Fig. 1  unclear       figure p/f1; one: paper 3, simulated 2.9, met; "
        "two: paper 3, simulated 2.9, off by 3 %; open\n"
        "p  p-gam    Fig. 1  not modelled  no GAM\n"
        "p: 4 claims: 1 met, 1 off, 1 unclear, 1 not modelled\n");
  const JsonValue report = paper_claims_json(claims);
  const auto& list = *report.find("claims")->elements();
  REQUIRE(list.size() == 4);
  CHECK(*list[2].find("standing")->string() == "unclear");
  CHECK(*list[2].find("text")->string() == "It is fast.");
  CHECK(list[2].find("readings")->elements()->size() == 2);
  CHECK(*list[1].find("tests")->elements()->at(0).string() == "a test");
  CHECK(report.find("summary")->find("p")->find("not modelled")->natural() == 1);
}

}  // namespace paper_claims_test
