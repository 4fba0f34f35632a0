// What StarCache adds to a storage server, beside what every cache does (switch_cache/caching_server.hpp): the reports
// of popular keys that the switch does not cache (StarCache §3.8).
//
// "Storage servers use TCP to report top-k items" (§3.9): a report is sent again, at TCP's retransmission timeout,
// until the controller has acknowledged it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "protocols/starcache/counters.hpp"
#include "protocols/starcache/options.hpp"
#include "protocols/starcache/sketch.hpp"
#include "protocols/switch_cache/caching_server.hpp"

namespace racksim::starcache {

class StarServer final : public switch_cache::CachingServer {
 public:
  StarServer(store::Shared& shared, const switch_cache::CacheLocation& location, const StarCacheOptions& options,
             Counters& counters, store::Partition& partition);

  /// Begins to count and to report, in rounds. Before the run.
  void start_reporting();
  /// What a report says, for the controller that has received its number: the payload of the TCP segment.
  const std::vector<Popularity>* report(std::uint32_t number) const;
  /// Whether a report has been sent and not acknowledged.
  bool reporting() const { return !unacknowledged_.empty(); }
  void crash();

  void requested(const store::Message& request) override;

 private:
  void own_message(const store::Message& message, store::Address from) override;
  void refused(bool has_version) const override;
  void end_round();
  void send_report(std::uint32_t number);

  const StarCacheOptions& options_;
  Counters& counters_;
  sim::Clock& clock_;
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
