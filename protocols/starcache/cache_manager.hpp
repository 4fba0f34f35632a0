// The controller's hands: it inserts keys into the switch and removes them, and has their values fetched (StarCache
// §3.8). What to insert and when is for controller.hpp to decide.
//
// Inserting a key makes a row of the lookup table and asks the key's server for the value, by F-REQs over UDP with a
// timeout (§3.9); the reply becomes the cache packet as it passes the switch. With versions (star_program.hpp) each
// insertion begins above every version given out before, and the end of one is told to the key's server
// (cached_store/write_order.hpp), so that writes without a version are admitted again.
//
// When the switch has lost its state, everything is inserted anew (§3.9); versions then begin with the switch's next
// incarnation in their top byte, since what the last ones were is lost too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/control_cpu.hpp"
#include "models/verbs.hpp"
#include "protocols/nocache/network.hpp"
#include "protocols/starcache/counters.hpp"
#include "protocols/starcache/coverage.hpp"
#include "protocols/starcache/options.hpp"
#include "protocols/starcache/star_program.hpp"
#include "sim/waiting.hpp"

namespace racksim::starcache {

/// The pipe of the switch that clients, servers and cache packets share (§3.10).
inline constexpr unsigned kPipe = 0;

class CacheManager final : public models::PacketHandler, models::BootObserver {
 public:
  /// Installs clone table and groups. Clients and servers must share pipe 0 with the recirculation port that the
  /// program knows (§3.10).
  CacheManager(nocache::Shared& shared, const StarCacheOptions& options, Counters& counters,
               const StarProgram& program);

  /// Inserts keys before the run without simulating time; their values are fetched as it begins.
  void preload(const std::vector<std::uint64_t>& keys);

  /// Inserts a key and fetches its value. False if there is no room, it is cached already (or one with the same hash),
  /// or its server does not answer.
  sim::Task<bool> install(std::uint64_t key);
  /// Removes a key that is cached.
  sim::Task<void> evict(std::uint64_t key);
  /// Has the value of a cached key fetched. False if its server does not answer.
  sim::Task<bool> fetch(std::uint64_t key);

  /// Keys that are cached, in the order of their table indices.
  std::vector<std::uint64_t> cached() const;
  bool is_cached(std::uint64_t key) const;
  std::size_t size() const { return rows_.size(); }
  /// The table index of a cached key.
  std::uint64_t index_of(std::uint64_t key) const;
  /// The same by the key's hash, if it is cached.
  std::optional<std::uint64_t> index_of(nocache::KeyHash hash) const;

  /// Insertions, removals and fetches under way.
  std::size_t busy() const { return scope_.running() + working_; }
  sim::Scope& scope() { return scope_; }
  sim::Clock& clock() { return clock_; }
  models::ControlCpu& cpu() { return cpu_; }
  std::uint32_t incarnation() const { return incarnation_; }

  /// Called with each report that a server sends: the server and the report's number.
  void on_report(std::function<void(unsigned server, std::uint32_t number)> handler) { report_ = std::move(handler); }

  void on_packet(p4::PacketRef packet) override;

 private:
  using KeyHash = nocache::KeyHash;
  struct Row {
    std::uint64_t key = 0;
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
  /// What the controller has asked a server. A fetched item may come in several packets (§3.9).
  struct Question {
    explicit Question(sim::Calendar& calendar) : answered(calendar) {}
    sim::Signal answered;
    std::uint64_t version = 0;    ///< of the packets below
    std::uint64_t fragments = 0;  ///< a bit for each packet of the answer that has come
  };
  struct HashOrder {
    bool operator()(const KeyHash& a, const KeyHash& b) const {
      return a.high != b.high ? a.high < b.high : a.low < b.low;
    }
  };

  void switch_booted() override;
  void fill_clone_table();
  sim::Task<void> start_over();
  sim::Task<void> tell_boot(unsigned server);
  sim::Task<void> fetch_in_background(std::uint64_t key);
  sim::Task<void> install_in_background(std::uint64_t key);
  /// Sends a request to a server until it is answered; false when `attempts` were in vain.
  sim::Task<bool> ask(nocache::Message request, unsigned server, std::uint64_t attempts);
  void begin_fetches();
  /// Whether the switch has booted since it was this incarnation, which is then marked.
  bool booted_since(std::uint32_t incarnation, RacePoint point) const;
  std::uint64_t new_version() { return std::uint64_t{incarnation_ & 0xff} << 24 | (++newest_version_ & 0xff'ffff); }
  std::vector<p4::KeyMatch> match(KeyHash hash) const { return {hash.high, hash.low}; }

  nocache::Shared& shared_;
  const StarCacheOptions& options_;
  Counters& counters_;
  StarProgram program_;
  models::ControlCpu& cpu_;
  sim::Clock clock_;
  sim::Scope scope_;
  std::map<KeyHash, Row, HashOrder> rows_;
  std::vector<std::uint64_t> free_indices_;  // from the back
  std::uint64_t newest_version_ = 0;         // without the incarnation
  std::uint32_t incarnation_ = 0;            // of the switch
  std::uint32_t next_seq_ = 1;
  std::map<std::uint32_t, Question*> asking_;
  std::size_t working_ = 0;
  std::function<void(unsigned, std::uint32_t)> report_;
};

}  // namespace racksim::starcache
