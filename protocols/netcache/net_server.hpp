// What NetCache adds to a storage server, its "server agent" (NetCache §4.3): it keeps the switch's copies of cached
// items up to date.
//
// A write to a cached key is answered as soon as the server has executed it. Then the server sends the new value to the
// switch, again and again until the switch acknowledges, and blocks later writes of that key until it does. So a server
// sends "two different packets for updating the value and replying to the client" (StarCache §3.7). A fetch of a key,
// with which the controller inserts it, does the same.
//
// The agent is "a shim layer" before the store (NetCache §6): here a thread on a core of its own, one for all
// partitions of a node, so that acknowledgements do not wait behind the requests that they block. Updates under way are
// lost in a crash; the key then stays invalid in the switch until its next write, or until the controller has it
// fetched (controller.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "protocols/netcache/counters.hpp"
#include "protocols/netcache/options.hpp"
#include "protocols/switch_cache/caching_server.hpp"

namespace racksim::netcache {

class NetServer final : public switch_cache::CachingServer, models::PacketHandler {
 public:
  NetServer(store::Shared& shared, const switch_cache::CacheLocation& location, const NetCacheOptions& options,
            Counters& counters, store::Partition& partition);

  /// A key has been put into the switch before the run, with this version (0 without versions) and the value it has.
  void preloaded(sim::Key key, store::Version version);
  /// Updates that the switch has not acknowledged.
  std::size_t updating() const { return updates_.size(); }
  /// Writes that wait for an update of their key.
  std::size_t holding() const;
  void crash();
  /// Adds the updates that wait for the switch, under the server's name.
  void add_waits(const std::string& server, std::vector<sim::Wait>& waits) const;

  bool holds_write(const store::Message& request, store::Address from, sim::OperationId operation) override;

 private:
  struct HeldWrite {
    store::Message request;
    store::Address from;
    sim::OperationId operation;
  };
  struct Update {
    std::uint32_t number = 0;  // of the attempts for the latest version
    std::uint64_t attempts = 0;
    std::uint64_t hkey_high = 0, hkey_low = 0;
    sim::EventId timer;
    std::deque<HeldWrite> held;
  };

  void executed_write(const store::Message& request) override;
  void fetched(const store::Message& request) override;
  void evicted(const store::Message& message) override;
  void refused(bool has_version) const override;
  void on_packet(p4::PacketRef packet) override;
  void update(const store::Message& cause);
  void send_update(sim::Key key);
  void acknowledged(sim::Key key);

  const NetCacheOptions& options_;
  Counters& counters_;
  models::Nic& nic_;
  sim::Clock& clock_;
  models::Qpn qpn_;
  std::unordered_set<sim::Key> cached_;      // keys, where messages have no version to tell
  std::map<std::uint64_t, Update> updates_;  // by key
  std::uint32_t next_number_ = 1;
};

}  // namespace racksim::netcache
