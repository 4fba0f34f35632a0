// What StarCache adds to a storage server: the order of writes (cached_store/write_order.hpp) and the reports of
// popular keys that the switch does not cache (StarCache §3.8).
//
// "Storage servers use TCP to report top-k items" (§3.9): a report is sent again, at TCP's retransmission timeout,
// until the controller has acknowledged it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "protocols/cached_store/write_order.hpp"
#include "protocols/nocache/partition.hpp"
#include "protocols/starcache/counters.hpp"
#include "protocols/starcache/options.hpp"
#include "protocols/starcache/sketch.hpp"

namespace racksim::starcache {

class StarServer final : public nocache::PartitionExtension {
 public:
  StarServer(nocache::Shared& shared, const StarCacheOptions& options, Counters& counters,
             nocache::Partition& partition);

  /// Begins to count and to report, in rounds. Before the run.
  void start_reporting();
  /// What a report says, for the controller that has received its number: the payload of the TCP segment.
  const std::vector<Popularity>* report(std::uint32_t number) const;
  /// Whether a report has been sent and not acknowledged.
  bool reporting() const { return !unacknowledged_.empty(); }
  void crash();

  void requested(const nocache::Message& request) override;
  bool admits_write(const nocache::Message& request) override;
  void written(const nocache::Message& request) override;
  void fetched(const nocache::Message& request) override;
  void other(const nocache::Message& message, nocache::Address from) override;

 private:
  void end_round();
  void send_report(std::uint32_t number);

  nocache::Shared& shared_;
  const StarCacheOptions& options_;
  Counters& counters_;
  nocache::Partition& partition_;
  sim::Clock& clock_;
  cached_store::WriteOrder order_;
  std::unique_ptr<TopKeys> top_;  // if it reports
  std::uint32_t next_report_ = 1;
  struct Report {
    std::vector<Popularity> keys;
    sim::EventId timer;
    bool sent = false;
  };
  std::map<std::uint32_t, Report> unacknowledged_;
};

}  // namespace racksim::starcache
