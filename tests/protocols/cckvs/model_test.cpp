// The analytical model of ccKVS (§8.7, equations 1 to 7) at the constants that the paper prints for it, against what
// the paper says it gives. The bytes of its messages are those of the protocol: cluster_test.cpp, cckvs_test.cpp.
#include <catch2/catch.hpp>

namespace model_test {

namespace {

constexpr double kBandwidth = 21.5e3 / 8;              ///< of a server, in bytes/us: requests/us are 10^6 requests/s
constexpr double kRemote = 113, kSc = 83, kLin = 183;  ///< bytes: of a request and its reply, of messages for a hot put

/// Equations 3 and 5.
double cached(double servers, double writes, double bytes_of_put, double hits = 0.65) {
  const double misses = (1 - hits) * (1 - 1 / servers) * kRemote;
  return servers * kBandwidth / (misses + hits * writes * (servers - 1) * bytes_of_put);
}

/// Equation 7.
double uniform(double servers) {
  return servers * kBandwidth / ((1 - 1 / servers) * kRemote);
}

/// The share of writes at which both are equal: equations 3 or 5 and 7, solved for it.
double break_even(double servers, double bytes_of_put) {
  return kRemote / (servers * bytes_of_put);
}

}  // namespace

TEST_CASE("the paper's model at 9 servers is a few percent below what is printed of it",
          "[claim:cckvs-s87-eq-u][claim:cckvs-s87-eq-sc][claim:cckvs-s87-eq-lin]"
          "[off:cckvs-s87-sc-628][off:cckvs-s87-lin-554]") {
  CHECK(uniform(9) == Approx(240.8).margin(0.05));  // measured: 240
  CHECK(cached(9, 0.01, kSc) == Approx(612.8).margin(0.05));
  CHECK(cached(9, 0.01, kLin) == Approx(541.5).margin(0.05));
  CHECK(cached(9, 0, kSc) == Approx(688).margin(0.5));  // measured: 690
  // Only with one point more of hits it gives what is printed.
  CHECK(cached(9, 0.01, kSc, 0.66) == Approx(628).epsilon(0.005));
  CHECK(cached(9, 0.01, kLin, 0.66) == Approx(554).epsilon(0.005));
}

TEST_CASE("the paper's break-even write ratios are above those of its own formula",
          "[off:cckvs-fig15-sc-20-8pct][off:cckvs-fig15-sc-40-4pct][off:cckvs-fig15-lin-40-1.7pct]") {
  CHECK(break_even(20, kSc) == Approx(0.068).margin(0.0005));
  CHECK(break_even(40, kSc) == Approx(0.034).margin(0.0005));
  CHECK(break_even(40, kLin) == Approx(0.0154).margin(0.00005));
  for (const double servers : {5., 9., 20., 40.}) {
    for (const double bytes : {kSc, kLin}) {
      CHECK(cached(servers, break_even(servers, bytes), bytes) == Approx(uniform(servers)));
    }
  }
}

TEST_CASE("by the paper's model five groups of 20 servers serve more than one of 100", "[claim:cckvs-s9-split]") {
  for (const double bytes : {kSc, kLin}) CHECK(5 * cached(20, 0.01, bytes) > 1.5 * cached(100, 0.01, bytes));
}

}  // namespace model_test
