// Each rule of migration (migration_options.hpp), switched off under loss, duplication and reordering, and what
// notices.
#include <catch2/catch.hpp>
#include <string>

#include "p4model/fit/placement.hpp"
#include "tests/protocols/flowcc/control/migration_run.hpp"

namespace migration_rules_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

struct Rule {
  const char* name;
  bool MigrationRules::*flag;
};
constexpr Rule kRules[] = {{"mark", &MigrationRules::mark},
                           {"stamp", &MigrationRules::stamp},
                           {"unlock_by_holder", &MigrationRules::unlock_by_holder},
                           {"keep_found", &MigrationRules::keep_found},
                           {"two_pass_add", &MigrationRules::two_pass_add},
                           {"home_serials", &MigrationRules::home_serials},
                           {"two_phase_remove", &MigrationRules::two_phase_remove}};

bool breaks_within(std::uint64_t seeds, bool MigrationRules::*rule) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Setup setup = harshly_migrating(seed);
    setup.flowcc.migration.rules.*rule = false;
    MigratingRun run(setup);
    run.finish();
    if (!run.violations().empty()) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("without any one of the rules of migration an oracle fails within 200 seeds") {
  for (const Rule& rule : kRules) {
    INFO(rule.name);
    CHECK(breaks_within(200, rule.flag));
  }
}

// M5 takes two passes, and counts on the chip for this (no source says that it does so).
TEST_CASE(
    "where resubmitted packets of a port lose their order migration breaks within 20 seeds, and holds where not") {
  bool broken = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Setup setup = harshly_migrating(seed);
    MigratingRun ordered(setup);
    ordered.finish();
    CHECK(ordered.violations() == "");
    setup.add_fault("shuffled-resubmits", R"({"most": "40us"})");
    MigratingRun shuffled(setup);
    shuffled.finish();
    broken = broken || !shuffled.violations().empty();
  }
  CHECK(broken);
}

TEST_CASE("migration as printed breaks on perfect wires within 20 seeds") {
  bool broken = false;
  for (std::uint64_t seed = 1; seed <= 20 && !broken; ++seed) {
    Setup setup = migrating(seed);
    setup.flowcc.migration.which = MigrationOptions::Rules::printed;
    MigratingRun run(setup);
    run.finish();
    broken = !run.violations().empty();
  }
  CHECK(broken);
}

TEST_CASE("the program fits twelve stages and nine ways without any one of the rules, too") {
  for (const Rule& rule : kRules) {
    FlowCcOptions options;
    options.ownership = FlowCcOptions::Ownership::migrating;
    options.migration.rules.*rule.flag = false;
    const LcfProgram lcf = make_lcf_program(options, {.migrates = true});
    INFO(rule.name);
    CHECK(p4::Placement(*lcf.program, p4::SwitchResources{}).stages_used() == 12);
  }
}

}  // namespace migration_rules_test
