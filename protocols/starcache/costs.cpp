// What requests to StarCache cost: as those of the store (store/costs.cpp), but that packets which circulate answer
// (StarCache §3.3, §3.7, §3.9).
#include <algorithm>

#include "protocols/starcache/options.hpp"

namespace racksim::starcache {

models::CostTable StarCacheOptions::costs(const models::RackOptions& rack) const {
  models::CostTable table = StoreProtocolOptions::costs(rack);
  // A cache packet knows not for whom it was fetched, so its answers are in the sums alone.
  std::erase_if(table.rows, [](const models::CostRow& row) { return row.cost == "received R-REP"; });
  table.rows.push_back({.what = "what the switch answers comes to no server",
                        .section = "§3.3",
                        .cost = "received R-REQ + received CRN-REQ + received W-REQ",
                        .per = "store.answers_by_server + store.answers_by_overflow + received W-REF + sent CRN-REQ",
                        .least = 0,  // what waits for an item that is fetched counts as the server's
                        .of_each = false});
  table.rows.push_back({.what = "each read is answered",
                        .section = "§3.3",
                        .cost = "received R-REP",
                        .per = "sent R-REQ + sent CRN-REQ",
                        .most = models::CostRow::kAny,
                        .of_each = false});
  table.rows.push_back(
      {.what = "and once more if a write or fetch began meanwhile: the front of the queue gets all parts again",
       .section = "§3.9",
       .cost = "received R-REP",
       .per = "sent R-REQ + sent CRN-REQ + received W-REQ + received F-REQ",
       .least = 0,
       .of_each = false});
  return table;
}

}  // namespace racksim::starcache
