// The controller's hands: it inserts keys into the switch and removes them (NetCache §4.3). What to insert and when is
// for controller.hpp to decide.
//
// Inserting a key makes a row of the lookup table and asks the key's server, by F-REQs over UDP with a timeout, to
// write the value into the switch (net_server.hpp). With versions (net_program.hpp) each insertion begins above every
// version given out before, and the end of one is told to the key's server (cached_store/write_order.hpp), so that
// writes without a version are admitted again.
//
// When the switch has lost its state everything is inserted anew; versions then begin with the switch's next
// incarnation in their top byte, since what the last ones were is lost too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "models/control_cpu.hpp"
#include "models/verbs.hpp"
#include "protocols/netcache/counters.hpp"
#include "protocols/netcache/net_program.hpp"
#include "protocols/netcache/options.hpp"
#include "protocols/nocache/network.hpp"
#include "sim/waiting.hpp"

namespace racksim::netcache {

class CacheManager final : public models::PacketHandler, models::BootObserver {
 public:
  /// Loads the multicast group of reports. Clients and servers must share pipe 0.
  CacheManager(nocache::Shared& shared, const NetCacheOptions& options, Counters& counters, const NetProgram& program);

  /// Whether the switch can hold the item (NetCache §5; StarCache §5.1): key and value are small enough.
  bool cacheable(std::uint64_t key) const;

  /// A key that `preload` has inserted, and the version that its value has.
  struct Preloaded {
    std::uint64_t key, version;
  };
  /// Inserts the cacheable ones of these keys, as far as there is room, with the values that unwritten items have:
  /// before the run, without simulating time. Their servers are to be told (net_server.hpp).
  std::vector<Preloaded> preload(std::span<const std::uint64_t> keys);

  /// Inserts a key and has its value brought. False if it is not cacheable, there is no room, it is cached already, or
  /// its server does not answer.
  sim::Task<bool> install(std::uint64_t key);
  /// Removes a key that is cached.
  sim::Task<void> evict(std::uint64_t key);
  /// Has the value of a cached key brought again. False if its server does not answer.
  sim::Task<bool> fetch(std::uint64_t key);

  /// Keys that are cached, in the order of their table indices.
  std::vector<std::uint64_t> cached() const;
  bool is_cached(std::uint64_t key) const { return rows_.contains(key); }
  std::size_t size() const { return rows_.size(); }
  std::size_t room() const { return free_indices_.size(); }
  /// The table index of a cached key.
  std::uint64_t index_of(std::uint64_t key) const { return rows_.at(key).index; }

  /// Insertions, removals and fetches under way.
  std::size_t busy() const { return scope_.running() + working_; }
  models::ControlCpu& cpu() { return cpu_; }

  /// Called with each key that the switch reports as hot.
  void on_hot_key(std::function<void(std::uint64_t key)> handler) { hot_key_ = std::move(handler); }

  void on_packet(p4::PacketRef packet) override;

 private:
  struct Row {
    std::uint64_t index = 0;
    bool usable = false;  ///< neither being inserted nor being removed
  };
  /// Counts tasks that run outside scope_, for `busy`.
  struct Work {
    explicit Work(CacheManager& m) : manager(m) { ++manager.working_; }
    ~Work() { --manager.working_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    CacheManager& manager;
  };

  void switch_booted() override;
  void set_report_group();
  sim::Task<void> start_over();
  sim::Task<void> tell_boot(unsigned server);
  sim::Task<void> install_in_background(std::uint64_t key);
  /// Sends a request to a server until it is answered; false when `attempts` were in vain.
  sim::Task<bool> ask(nocache::Message request, unsigned server, std::uint64_t attempts);
  std::uint64_t new_version() { return std::uint64_t{incarnation_ & 0xff} << 24 | (++newest_version_ & 0xff'ffff); }
  std::vector<p4::KeyMatch> match(std::uint64_t key) const;
  unsigned server_of(std::uint64_t key) const { return nocache::server_of(shared_.hash(key), shared_.servers()); }

  nocache::Shared& shared_;
  const NetCacheOptions& options_;
  Counters& counters_;
  NetProgram program_;
  models::ControlCpu& cpu_;
  sim::Clock clock_;
  sim::Scope scope_;
  std::map<std::uint64_t, Row> rows_;        // by key
  std::vector<std::uint64_t> free_indices_;  // from the back
  std::uint64_t newest_version_ = 0;         // without the incarnation
  std::uint32_t incarnation_ = 0;            // of the switch
  std::uint32_t next_seq_ = 1;
  std::map<std::uint32_t, sim::Signal*> asking_;
  std::size_t working_ = 0;
  std::function<void(std::uint64_t)> hot_key_;
};

}  // namespace racksim::netcache
