// A controller's hands: it inserts keys into the switch and removes them, and has their values fetched. What to insert
// and when is for the schemes' controllers to decide.
//
// Inserting a key makes a row of the lookup table and asks the key's server for the value, by F-REQs over UDP with a
// timeout (StarCache §3.9); what brings the value into the switch is the scheme's. With versions each insertion of a
// key begins after every version that was given out for it before, and the end of one is told to the key's server
// (write_order.hpp), so that writes without a version are admitted again.
//
// When the switch has lost its state, everything is inserted anew (StarCache §3.9). What the last versions were is lost
// too: they are taken to lie less than Versions::leap() after those that the controller saw last, in its
// rounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "models/nic/verbs.hpp"
#include "models/service/protocol.hpp"
#include "models/switch/control_session.hpp"
#include "protocols/store/network.hpp"
#include "protocols/switch_cache/cache_location.hpp"
#include "protocols/switch_cache/cache_program.hpp"
#include "protocols/switch_cache/counters.hpp"
#include "protocols/switch_cache/options.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::switch_cache {

/// The races that the controllers of all caches know, by the numbers that a scheme has given them.
struct ControllerRaces {
  sim::RacePoint fetch_given_up, late_reply, boot_while_installing, boot_while_evicting, revived_invalid;
  sim::RacePoint revived_with_requests = revived_invalid;  ///< requests wait in the switch
};

class CacheManager : public models::PacketHandler, models::BootObserver {
 public:
  CacheManager(const CacheManager&) = delete;
  CacheManager& operator=(const CacheManager&) = delete;

  /// Whether the switch can hold the item.
  virtual bool cacheable(sim::Key /*key*/) const { return true; }

  /// Inserts a key and fetches its value. False if it is not cacheable, there is no room, it is cached already (or one
  /// with the same hash), or its server does not answer.
  sim::Task<bool> install(sim::Key key);
  /// Removes a key that is cached.
  sim::Task<void> evict(sim::Key key);
  /// Has the value of a cached key fetched. False if its server does not answer.
  sim::Task<bool> fetch(sim::Key key);

  /// Keys that are cached, in the order of their table indices.
  std::vector<sim::Key> cached() const;
  bool is_cached(sim::Key key) const;
  std::size_t size() const { return rows_.size(); }
  /// Keys that the switch has room for besides, in all pipes.
  std::size_t room() const;
  /// The row of a cached key, and its table index alone.
  RowAt row_of(sim::Key key) const;
  std::uint64_t index_of(sim::Key key) const { return row_of(key).index; }
  /// The same by the key's hash, if it is cached.
  std::optional<RowAt> row_of(store::KeyHash hash) const;

  /// Notes the version of a cached key, as its STATE in this row told.
  void note_version(sim::Key key, RowAt row, store::Version version);

  /// Insertions, removals and fetches under way.
  std::size_t busy() const { return scope_.running() + working_; }
  /// The switch's control CPU, at a pipe of the cache.
  models::ControlSession cpu(unsigned pipe) const { return {location_.control_cpu(), pipe}; }
  const CacheLocation& location() const { return location_; }
  const CacheProgram& program() const { return program_; }
  /// The controller has met a dead key: its value is invalid, or valid and not served.
  void met_dead_key(bool invalid) const {
    shared_.coverage.race(invalid ? races_.revived_invalid : races_.revived_with_requests);
  }
  /// Rows of the switch's tables that nobody accounts for. While anything is under way none are named.
  std::vector<models::Leak> leaks() const;
  /// Cached keys of which the switch could not serve the value, though nothing is under way. Only of a run in which no
  /// fault, and nobody who gave up, has kept a value from it: what a fault has left is mended in the next rounds.
  std::vector<models::Leak> dead_keys() const;

  void on_packet(p4::PacketRef packet) final;

 protected:
  /// `tells_servers`: whether servers are told when a key is not cached any more.
  CacheManager(store::Shared& shared, const CacheLocation& location, const CacheOptions& options, Counters& counters,
               const CacheProgram& program, const ControllerRaces& races, bool tells_servers);

  /// Loads what the switch needs besides the rows: for the constructor to do, and done again after each boot.
  virtual void configure_switch() = 0;
  /// Makes what else belongs to a row ready for a new key, between its STATE and its POPULARITY.
  virtual sim::Task<void> prepare_row(RowAt /*row*/) { co_return; }
  /// The switch has just ceased to know a key: sees to what the row still holds, before it is another key's.
  virtual sim::Task<void> clear_row(sim::Key /*key*/, RowAt /*row*/) { co_return; }
  /// The lookup table leads, or is about to lead, to a row for a key, whose STATE is the given one; or does so no more.
  virtual void row_inserted(store::KeyHash /*hash*/, RowAt /*row*/, std::uint64_t /*state*/) {}
  virtual void row_removed(store::KeyHash /*hash*/, RowAt /*row*/) {}
  /// Of these rows, whose STATE is valid, those that the switch could serve.
  virtual std::set<RowAt> served(std::set<RowAt> valid) const { return valid; }
  /// How long to wait for the answer to an attempt, counted from 0.
  virtual sim::Duration patience(std::uint64_t /*attempt*/) const { return options_.fetch_timeout; }
  /// A message to the controller that answers no request of it.
  virtual void other(const store::Message& message, store::Address from) = 0;

  store::Shared& shared() const { return shared_; }
  sim::Clock& clock() { return clock_; }
  sim::Scope& scope() { return scope_; }
  /// Another one after each boot of the switch.
  std::uint32_t incarnation() const { return incarnation_; }
  /// Makes a row for a key before the run, without simulating time; the caller sees to its registers. Nothing if there
  /// is no room or it is cached already. `usable`: its value need not be fetched.
  std::optional<RowAt> insert_now(sim::Key key, bool usable);
  /// Has the value of a new row fetched, which is then usable; removes it if its server does not answer.
  sim::Task<bool> bring_value(sim::Key key, sim::RacePoint if_booted);
  /// The version that an insertion of the key begins with.
  store::Version first_version(sim::Key key);

 private:
  using KeyHash = store::KeyHash;
  struct Row {
    sim::Key key = 0;
    RowAt at{};
    bool usable = false;     ///< neither being inserted nor removed
    bool versioned = false;  ///< its STATE has been written, so that it may have given out versions
  };
  struct HashOrder {
    bool operator()(const KeyHash& a, const KeyHash& b) const {
      return a.high != b.high ? a.high < b.high : a.low < b.low;
    }
  };
  /// Counts tasks that run outside scope_, for `busy`.
  struct Work {
    explicit Work(CacheManager& m) : manager(m) { ++manager.working_; }
    ~Work() { --manager.working_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    CacheManager& manager;
  };
  /// What the controller has asked a server. A fetched item may come in several packets (StarCache §3.9).
  struct PendingRequest {
    explicit PendingRequest(sim::Calendar& calendar) : answered(calendar) {}
    sim::Signal answered;
    store::Version version = 0;   ///< of the packets below
    std::uint64_t fragments = 0;  ///< a bit for each packet of the answer that has come
  };

  void switch_booted() final;
  /// Tells a key's server that the switch has lost it, and inserts it again.
  sim::Task<void> reinstall(sim::Key key);
  /// Sends a request to a server until it is answered; false when `attempts` were in vain.
  sim::Task<bool> ask(store::Message request, unsigned server, std::uint64_t attempts);
  void answered(const store::Message& reply);
  /// Takes a free row of the key's pipe; there must be one.
  RowAt make_row(sim::Key key, bool usable);
  bool has_room_for(KeyHash hash) const { return !free_indices_[location_.pipe_of(hash)].empty(); }
  void free_all_rows();
  /// Whether the switch has booted since it was this incarnation, which is then marked.
  bool booted_since(std::uint32_t incarnation, sim::RacePoint race) const;
  std::vector<p4::KeyMatch> match(KeyHash hash) const { return {hash.high, hash.low}; }

  store::Shared& shared_;
  const CacheOptions& options_;
  Counters& counters_;
  CacheProgram program_;
  const CacheLocation& location_;
  ControllerRaces races_;
  bool tells_servers_;
  sim::Clock clock_;
  sim::Scope scope_;
  std::map<KeyHash, Row, HashOrder> rows_;
  std::vector<std::vector<std::uint64_t>> free_indices_;  // by pipe, taken from the back; none of one without servers
  // The last versions that are known to have been given out, of keys that were ever cached.
  std::map<KeyHash, store::Version, HashOrder> versions_;
  std::set<sim::Key> lost_;        // keys that were cached at a boot, whose servers have not been told yet
  std::uint32_t incarnation_ = 0;  // of the switch
  std::uint32_t next_seq_ = 1;
  std::map<std::uint32_t, PendingRequest*> pending_;
  std::size_t working_ = 0;
};

}  // namespace racksim::switch_cache
