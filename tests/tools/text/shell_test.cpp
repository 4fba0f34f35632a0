#include "tools/text/shell.hpp"

#include <catch2/catch.hpp>

namespace shell_test {

using racksim::tools::racksim_command;

TEST_CASE("a printed command quotes what means something to a shell, and nothing else") {
  CHECK(racksim_command("run", "scenarios/a-1.json/case") == "racksim run scenarios/a-1.json/case");
  CHECK(racksim_command("run", "a.json", {"--seed", "7"}, {"run.measure=1ms"}) ==
        "racksim run a.json --seed 7 --set run.measure=1ms");
  CHECK(racksim_command("run", "it's a case.json") == R"(racksim run 'it'\''s a case.json')");
  CHECK(racksim_command("run", "~/$HOME;a") == "racksim run '~/$HOME;a'");
  CHECK(racksim_command("run", "a", {}, {"faults=[{\"kind\": \"drop\"}]"}) ==
        R"(racksim run a --set 'faults=[{"kind": "drop"}]')");
  CHECK(racksim_command("run", "") == "racksim run ''");
  CHECK(racksim_command("run", "-a.json") == "racksim run ./-a.json");
}

}  // namespace shell_test
