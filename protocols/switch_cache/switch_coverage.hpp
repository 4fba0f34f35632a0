// Marks what passes of a cache's pipeline exercise: the states of a key in which messages meet the switch, seen from
// outside, by the packet before and after its pass and the registers that the pass meets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/switch/switch_chassis.hpp"
#include "protocols/switch_cache/cache_manager.hpp"

namespace racksim::switch_cache {

/// A kind of message about a key, as coverage tells them apart.
struct MessageKind {
  store::Op op;
  const char* name;
  bool recirculated = false;  ///< it has come by a recirculation port
};
inline constexpr std::size_t kNoMessage = ~std::size_t{0};
/// The number of a message among these; kNoMessage for one that is about no key.
std::size_t coverage_message(std::span<const MessageKind> kinds, store::Op op, bool recirculated = false);
/// What a scheme declares when it registers. The first state is that of a key which is not cached.
sim::CoverageMap coverage_map(std::vector<std::string> states, std::span<const MessageKind> kinds,
                              const sim::RacePoints& races);

class SwitchCoverage : public models::PassObserver {
 public:
  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) final;
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata, const p4::Verdict& verdict) final;
  bool sees_idle_passes() const override { return false; }

 protected:
  SwitchCoverage(store::Shared& shared, const CacheManager& manager, std::span<const MessageKind> kinds)
      : shared_(shared), manager_(manager), kinds_(kinds) {}

  /// The message whose pass is under way.
  struct Met {
    store::Op op{};
    bool recirculated = false;
    std::uint64_t version = 0;  ///< in the packet
    std::uint64_t state = 0;    ///< the key's STATE before the pass, if the controller has the key
  };
  virtual bool recirculated(store::Op, unsigned /*port*/) const { return false; }
  /// The number of the key's state before the pass, if the lookup table turns out to have the key.
  virtual std::size_t state_of(const Met& met, const std::optional<RowAt>& row) = 0;
  virtual void note_races(const Met& met, bool cached, const p4::Verdict& verdict) const = 0;

  const CacheProgram& program() const { return manager_.program(); }
  void race(sim::RacePoint point) const { shared_.coverage.race(point); }
  models::SwitchChassis& chassis() const { return manager_.location().chassis(); }
  std::uint64_t read(RowAt row, const p4::RegisterArray* array) const {
    return manager_.location().pipeline(row.pipe).registers().read(array->id, row.index);
  }

 private:
  std::uint64_t lookup_hits(unsigned port) const;

  store::Shared& shared_;
  const CacheManager& manager_;
  std::span<const MessageKind> kinds_;
  std::size_t message_ = kNoMessage;  // whose pass is under way
  Met met_;
  std::uint64_t hits_ = 0;  // of the lookup table, before the pass
  std::size_t state_ = 0;
};

}  // namespace racksim::switch_cache
