// The table of the classical litmus tests. See litmus.hpp.
#include "tests/sim/checkers/litmus.hpp"

namespace racksim::sim::checkers {

const std::vector<Litmus>& litmus_tests() {
  static const std::vector<Litmus> kTests{
      {"SB", {{write(kX, 1), read(kY, 0)}, {write(kY, 1), read(kX, 0)}}, {}, false, true, true},
      {"SB with fences (amd5)",
       {{write(kX, 1), kFence, read(kY, 0)}, {write(kY, 1), kFence, read(kX, 0)}},
       {},
       false,
       false,
       false},
      {"SB with one fence", {{write(kX, 1), kFence, read(kY, 0)}, {write(kY, 1), read(kX, 0)}}, {}, false, true, true},
      {"MP", {{write(kX, 1), write(kY, 1)}, {read(kY, 1), read(kX, 0)}}, {}, false, false, true},
      {"MP with a fence", {{write(kX, 1), kFence, write(kY, 1)}, {read(kY, 1), read(kX, 0)}}, {}, false, false, false},
      {"LB", {{read(kX, 1), write(kY, 1)}, {read(kY, 1), write(kX, 1)}}, {}, false, false, false},
      {"IRIW",
       {{write(kX, 1)}, {write(kY, 1)}, {read(kX, 1), read(kY, 0)}, {read(kY, 1), read(kX, 0)}},
       {},
       false,
       false,
       false},
      {"WRC", {{write(kX, 1)}, {read(kX, 1), write(kY, 1)}, {read(kY, 1), read(kX, 0)}}, {}, false, false, false},
      {"2+2W", {{write(kX, 1), write(kY, 2)}, {write(kY, 1), write(kX, 2)}}, {{kX, 1}, {kY, 1}}, false, false, true},
      {"CoRR", {{write(kX, 1)}, {read(kX, 1), read(kX, 0)}}, {}, false, false, false},
      {"CoWW", {{write(kX, 1), write(kX, 2)}}, {{kX, 1}}, false, false, false},
      {"CoRW (n4b)", {{read(kX, 2), write(kX, 1)}, {read(kX, 1), write(kX, 2)}}, {}, false, false, false},
      {"CoWR (n5)", {{write(kX, 1), read(kX, 2)}, {write(kX, 2), read(kX, 1)}}, {}, false, false, false},
      {"R", {{write(kX, 1), write(kY, 1)}, {write(kY, 2), read(kX, 0)}}, {{kY, 2}}, false, true, true},
      {"S", {{write(kX, 2), write(kY, 1)}, {read(kY, 1), write(kX, 1)}}, {{kX, 2}}, false, false, true},
      {"n6", {{write(kX, 1), read(kX, 1), read(kY, 0)}, {write(kY, 2), write(kX, 2)}}, {{kX, 1}}, false, true, true},
      {"n7",
       {{write(kX, 1), read(kX, 1), read(kY, 0)}, {write(kY, 1)}, {read(kY, 1), read(kX, 0)}},
       {},
       false,
       true,
       true},
      {"intra-processor forwarding (iwp2.4)",
       {{write(kX, 1), read(kX, 1), read(kY, 0)}, {write(kY, 1), read(kY, 1), read(kX, 0)}},
       {},
       false,
       true,
       true},
      {"MP in order", {{write(kX, 1), write(kY, 1)}, {read(kY, 0), read(kX, 1)}}, {}, true, true, true}};
  return kTests;
}

}  // namespace racksim::sim::checkers
