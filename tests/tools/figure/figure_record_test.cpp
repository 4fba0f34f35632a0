// Records of what figures' claims came to: kept, read back, compared.
#include "tools/figure/figure_record.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"

namespace figure_record_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

FigureRecord some_record() {
  return {"p/f1",
          {{1, 7}, {3, 4}},
          {{"a", "3", "2.9", "off by 3 %", false},
           {"b", "flat", "1 1", "met (fitted)", true},
           {"c", "at least 1", "1 (0.9 | 1.1)", "unclear: met with 1 of 2 seeds", false, true}},
          {"00", "01"}};
}

}  // namespace

TEST_CASE("a record reads back as it was kept") {
  const TemporaryFolder folder;
  CHECK(read_figure_record(folder.write("f1.json", to_json(record_json(some_record())))) == some_record());
}

TEST_CASE("a record of one run, as it was written before there were seeds, reads as one") {
  const TemporaryFolder folder;
  const FigureRecord record = read_figure_record(folder.write("f1.json", R"({"version": 1, "figure": "p/f1",
    "claims": [{"id": "a", "paper": "3", "simulated": "3", "verdict": "met", "met": true}], "run_hashes": ["00"]})"));
  CHECK(record.repeats == Repeats{});
  CHECK_FALSE(record.claims.at(0).unclear);
}

TEST_CASE("a record lies beside the folder of figures, under the figure's name") {
  CHECK(record_file_of("/s/figures/p/f1.json") == "/s/claims/recorded/p/f1.json");
  CHECK(record_file_of("/s/figures/x/../p/f1.json") == "/s/claims/recorded/p/f1.json");
  CHECK(record_file_of("/s/f1.json").empty());
}

TEST_CASE("records differ by the claims that read otherwise, come or go, or by their runs alone") {
  const FigureRecord kept = some_record();
  FigureRecord fresh = kept;
  CHECK(record_difference(kept, fresh) == "");
  fresh.run_hashes[1] = "02";
  CHECK(record_difference(kept, fresh) == "no claim, but runs");
  fresh.claims[0].simulated = "2.8";
  CHECK(record_difference(kept, fresh) == "a");
  fresh.claims[1].id = "d";
  CHECK(record_difference(kept, fresh) == "a, d, b");
}

TEST_CASE("a mistake in a record is one line with its place") {
  const TemporaryFolder folder;
  const auto refused = [&](const char* text) {
    return refusal([&] { read_figure_record(folder.write("f.json", text)); });
  };
  CHECK_THAT(refused(R"({"figure": "f", "claims": [], "run_hashes": []})"), Catch::Contains("no \"version\""));
  CHECK_THAT(refused(R"({"version": 1, "figure": "f", "run_hashes": []})"), Catch::Contains("/claims: found nothing"));
  CHECK_THAT(refused(R"({"version": 1, "claims": [{"met": 1}], "run_hashes": []})"), Catch::Contains("/claims/0/met"));
  CHECK_THAT(refused(R"({"version": 1, "claims": [], "run_hashes": [1]})"), Catch::Contains("/run_hashes/0"));
  const auto refused_repeats = [&](const std::string& repeats) {
    return refused((R"({"version": 1, "claims": [], "run_hashes": [], "repeats": )" + repeats + "}").c_str());
  };
  CHECK_THAT(refused_repeats("\"5 seeds\""), Catch::Contains("/repeats: found the string \"5 seeds\""));
  CHECK_THAT(refused_repeats("{}"), Catch::Contains("/repeats: found neither"));
  CHECK_THAT(refused_repeats(R"({"seeds": 5})"), Catch::Contains("/repeats/seeds: found the number 5"));
  CHECK_THAT(refused_repeats(R"({"placements": [1, 1]})"), Catch::Contains("/repeats/placements/1"));
  CHECK_THAT(refused_repeats(R"({"seed": [1]})"), Catch::Contains("/repeats/seed: found the unknown key"));
}

TEST_CASE("a figure records its claims when asked, and later says whether they are as recorded") {
  const TemporaryFolder folder;
  const auto write_figure = [&](double expected, const char* expect) {
    folder.write("figures/p/f1.json", R"({
      "version": 1, "base": "quickstart.json",
      "set": {"workload.working_set": "4MiB", "workload.shared_bytes": "1MiB", "protocol.flowcc.cache": "4MiB",
              "run.warmup": "10us", "run.measure": {"operations": 500}, "faults": [], "expect": )" +
                                          std::string(expect) + R"(},
      "sweep": {"path": "workload.sharing_ratio", "values": [0, 1]}, "series": [{"name": "switch"}],
      "metrics": {"throughput": "throughput_mops"},
      "claims": [{"id": "p-1", "paper": {"min": )" +
                                          std::to_string(expected) + R"(}, "read": {"series": "switch"}}]})");
  };
  write_figure(0, "{}");
  const std::string command = "figure figures/p/f1.json --jobs 1 --out points";
  const Outcome first = run_racksim(folder, command);
  CHECK(first.err == "");
  CHECK_THAT(first.out, Catch::EndsWith("not recorded yet; --record does\n"));
  CHECK(run_racksim(folder, command + " --record").status == 0);
  const auto file = folder.path() / "claims/recorded/p/f1.json";
  const FigureRecord record = read_figure_record(file.string());
  REQUIRE(record.claims.size() == 1);
  CHECK(record.claims[0].met);
  CHECK(record.claims[0].paper == "at least 0");
  CHECK(record.run_hashes.size() == 2);
  CHECK_THAT(run_racksim(folder, command).out, Catch::EndsWith("\nas recorded\n"));

  write_figure(1e9, "{}");
  CHECK_THAT(run_racksim(folder, command).out, Catch::EndsWith("other than recorded (--record renews it): p-1\n"));
  CHECK(read_figure_record(file.string()) == record);

  // Nothing is kept of shrunk runs, of runs that fail, or where a record has no place.
  CHECK(run_racksim(folder, command + " --record --quick").status == 2);
  write_figure(1e9, R"({"throughput_mops": {"min": 1e9}})");
  const Outcome failed = run_racksim(folder, command + " --record");
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("p/f1: not recorded, since points failed"));
  CHECK(read_figure_record(file.string()) == record);
  folder.write("f2.json", content(folder.path() / "figures/p/f1.json"));
  const Outcome nowhere = run_racksim(folder, "figure f2.json --record --out points");
  CHECK(nowhere.status == 2);
  CHECK_THAT(nowhere.err, Catch::Contains("a folder named"));
}

}  // namespace figure_record_test
