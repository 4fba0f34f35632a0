// What NetCache's program takes of the switch (StarCache §5.1), and what does not fit.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "p4model/fit/placement.hpp"
#include "protocols/netcache/net_program.hpp"

namespace net_placement_test {

using namespace racksim;
using namespace racksim::netcache;
using Catch::Contains;

namespace {

NetShape full(bool versions, std::uint64_t entries = 10'240) {
  NetShape shape;
  shape.cache_entries = entries;
  shape.versions = versions;
  shape.detect = true;
  return shape;
}

p4::Placement place(const NetProgram& net) {
  return p4::Placement(*net.program, p4::SwitchResources{});
}

std::string refusal(const NetShape& shape) {
  try {
    make_net_program(shape);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("values of 64 bytes lie across 8 stages, in two arrays of 32 bits a stage") {
  const NetProgram net = make_net_program(full(GENERATE(false, true)));
  const p4::Placement placement = place(net);
  CAPTURE(placement.report());
  std::map<int, unsigned> bits;
  for (unsigned i = 0; i < kValueArrays; ++i) {
    CHECK(net.values[i]->width.total() == 32);
    CHECK(net.values[i]->size == 10'240);
    CHECK(placement.stage_of(*net.values[i]) == static_cast<int>(kFirstValueStage + i / 2));
    bits[placement.stage_of(*net.values[i])] += net.values[i]->width.total();
  }
  CHECK(bits.size() == 8);
  for (const auto& [stage, sum] : bits) CHECK(sum == 64);
  CHECK(placement.stage_of(*net.lookup) < placement.stage_of(*net.state));
  CHECK(placement.stage_of(*net.state) < static_cast<int>(kFirstValueStage));
}

TEST_CASE("NetCache takes ten stages, with the detection of hot keys beside the values") {
  NetShape shape = full(GENERATE(false, true));
  shape.detect = GENERATE(false, true);
  shape.invalidate = GENERATE(false, true);
  shape.ordered_updates = GENERATE(false, true);
  const NetProgram net = make_net_program(shape);
  const p4::Placement placement = place(net);
  CAPTURE(placement.report());
  CHECK(placement.stages_used() == 10);
  if (!shape.detect) return;
  // NetCache §6: four rows of 64 K counters of 16 bits, three arrays of 256 K bits.
  for (const auto* row : net.sketch) CHECK((row->size == 65'536 && row->width.total() == 16));
  for (const auto* array : net.bloom) CHECK((array->size == 262'144 && array->width.total() == 1));
}

TEST_CASE("the lookup table holds 39,936 keys of 16 bytes, and more are refused") {
  for (const bool detect : {false, true}) {
    NetShape shape = full(true, kMostEntries);
    shape.detect = detect;
    const NetProgram net = make_net_program(shape);
    CHECK(place(net).stages_used() <= 12);
  }
  CHECK_THAT(refusal(full(true, kMostEntries + 1)), Contains("39937 keys") && Contains("1 to 39936"));
  CHECK_THAT(refusal(full(true, 0)), Contains("a cache of 0 keys"));
}

TEST_CASE("a sketch that no hash reaches and a threshold that no counter reaches are refused") {
  NetShape shape = full(true);
  shape.sketch_width = 1000;
  CHECK_THAT(refusal(shape), Contains("1000 counters") && Contains("power of two"));
  shape = full(true);
  shape.threshold = 65'536;
  CHECK_THAT(refusal(shape), Contains("65536 requests"));
}

TEST_CASE("NetCache's program fits whatever mechanisms are on") {
  for (unsigned mechanisms = 0; mechanisms < 1 << 4; ++mechanisms) {
    const auto on = [mechanisms](unsigned bit) { return (mechanisms >> bit & 1) != 0; };
    NetShape shape;
    shape.versions = on(0);
    shape.detect = on(1);
    shape.invalidate = on(2);
    shape.ordered_updates = on(3);
    CAPTURE(mechanisms);
    CHECK_NOTHROW(p4::Placement(*make_net_program(shape).program, p4::SwitchResources{}));
  }
}

}  // namespace net_placement_test
