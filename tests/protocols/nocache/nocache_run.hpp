// Runs of NoCache: the store on a switch that forwards.
#pragma once

#include "protocols/nocache/nocache.hpp"
#include "tests/protocols/store/store_run.hpp"

namespace racksim::nocache::testing {

using namespace store::testing;

inline NoCacheOptions small() {
  return small_store<NoCacheOptions>();
}

struct NoCacheRun : StoreRun {
  explicit NoCacheRun(const Setup& s = {}, const NoCacheOptions& options = small()) : StoreRun(s, "nocache", options) {}
};

}  // namespace racksim::nocache::testing
