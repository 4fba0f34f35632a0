// The idle rings of the switch, behind the hooks of its pipes: which passes may be left out, and who may be about to
// see what they would have moved.
//
// A pass is idle when it changes no register and no header and sends its packet to the recirculation port that it came
// by; the ring of that pipe then keeps the packet (idle_ring.hpp). A ring is caught up before anybody uses what its
// passes move, and gives packets back as events before something changes that their passes look at. While somebody
// watches every pass or packet, or a loss of power is announced, none are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/idle_hook.hpp"
#include "models/switch/idle_ring.hpp"
#include "models/switch/switch_egress.hpp"
#include "models/switch/switch_parts.hpp"
#include "models/switch/switch_pipe.hpp"
#include "models/switch/traffic_manager.hpp"

namespace racksim::models {

class IdlePasses final : UnseenPackets {
 public:
  IdlePasses(const SwitchParts& parts, SwitchEgress& egress) : parts_(parts), egress_(egress) {}
  IdlePasses(const IdlePasses&) = delete;
  IdlePasses& operator=(const IdlePasses&) = delete;

  /// Adds the next pipe, in their order.
  void add_pipe(SwitchPipe& pipe);
  /// Takes up the pipelines after a boot: hangs hooks where their programs and the hardware have idle passes.
  void use();
  /// While a recirculation port is cut none are kept: what is on its way there must be events.
  void set_recirculation_up(bool up) {
    materialize();
    cuts_ += up ? -1 : 1;
  }
  /// Keeps no packet from now on: somebody looks at all that comes round.
  void look_at_all();
  /// Sends all packets that are kept on as events.
  void materialize() override;
  /// Makes the passes before the present event, and has pipelines count them and their lookups.
  void settle();

  /// Packets that are kept, and cells of the buffer that they have reserved.
  std::uint64_t packets() const;
  std::uint64_t cells() const;
  /// Calendar events that the passes so far would have been.
  std::uint64_t events() const;

 private:
  /// One pipe's ring. It sees what is written, so that a pass that writes is not idle, and one that looks at what is
  /// written is idle no more.
  class Keeper final : public IdleHook, p4::StateWriteObserver {
   public:
    Keeper(IdlePasses& owner, SwitchPipe& pipe);
    void use();
    void catch_up() override;
    p4::Verdict run_ingress(p4::Packet& packet, const p4::IngressMetadata& metadata, bool& idle) override;
    bool keep(p4::PacketRef& packet, sim::Time ready) override;
    void materialize();
    void settle();
    const IdleRing& ring() const { return ring_; }

   private:
    // Told after the write: passes that are caught up now come before it, but they look at no register. Those after it
    // are real.
    void register_written(const p4::StateWrite& write) override {
      ++writes_;
      register_set(write.array, write.index);
    }
    void register_set(std::uint32_t array, std::uint64_t index) override;
    void tables_changed() override { materialize(); }

    IdlePasses& owner_;
    SwitchPipe& pipe_;
    IdleRing ring_;
    p4::PassNotes notes_;       // of the pass that was run last
    std::uint64_t writes_ = 0;  // of registers by passes
  };

  bool may_keep() const;

  SwitchParts parts_;
  SwitchEgress& egress_;
  int cuts_ = 0;
  bool all_seen_ = false;
  std::vector<std::unique_ptr<Keeper>> keepers_;  // by pipe
};

}  // namespace racksim::models
