// The catalogue of this program, from the registries of the layers below.
#include <fmt/format.h>

#include "models/faults/faults.hpp"
#include "models/service/protocol.hpp"
#include "models/workloads/workload.hpp"
#include "p4model/execute/registry.hpp"
#include "tools/processes/programs.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

namespace {

/// An entry whose options object is of a type with `declare`, as all the registries' are.
template <class Entry, class Make>
OptionsEntry options_entry(const Entry& entry, Make make) {
  return {entry.name, entry.doc, [make](sim::Parameters& parameters) -> std::shared_ptr<void> {
            auto options = make();
            options->declare(parameters);
            return options;
          }};
}

}  // namespace

Catalogue built_in_catalogue() {
  Catalogue catalogue;
  catalogue.rack = {"rack", "The hardware of the rack.", [](sim::Parameters& parameters) -> std::shared_ptr<void> {
                      auto options = std::make_shared<models::RackOptions>();
                      options->declare(parameters);
                      return options;
                    }};
  for (const auto& entry : models::protocols()) {
    catalogue.protocols.push_back(options_entry(entry, entry.make_options));
    catalogue.protocols.back().promises = [](const void* options) {
      return static_cast<const models::ProtocolOptions*>(options)->promises();
    };
    if (entry.tolerates.empty()) continue;
    catalogue.protocols.back().doc += fmt::format("; survives the faults {}", fmt::join(entry.tolerates, ", "));
  }
  for (const auto& entry : models::workloads()) {
    catalogue.workloads.push_back(options_entry(entry, entry.make_options));
    catalogue.workloads.back().promises = [](const void* options) {
      return static_cast<const models::WorkloadOptions*>(options)->oracles();
    };
    catalogue.workloads.back().check = [](const void* options) {
      static_cast<const models::WorkloadOptions*>(options)->check();
    };
  }
  for (const auto& entry : models::faults()) catalogue.faults.push_back(options_entry(entry, entry.make));
  constexpr auto if_promised = OracleEntry::Asked::if_promised;
  constexpr auto by_name = OracleEntry::Asked::by_name;
  const p4::ProgramRegistry programs = built_in_programs();
  for (const auto& name : programs.names()) catalogue.programs.push_back({name, programs.find(name)->doc});
  catalogue.oracles = {
      {{"single-writer", "while a node may write a block, no other node may read or write it"}},
      {{"data-value", "what clients read and write of each object is linearizable"}, if_promised},
      {{"sc", "what clients read and write of all objects is sequentially consistent"}, if_promised},
      {{"tso", "the same in total store order: writes may wait in a buffer of their session"}, if_promised},
      {{"pso", "the same in partial store order: a buffer for each object"}, if_promised},
      {{"mutual-exclusion", "whoever holds a lock exclusively holds it alone, and all locks are given back"},
       if_promised},
      {{"lock-fairness", "nobody who waits for a lock is overtaken more often than bounded"}, if_promised},
      {{"progress", "whatever a session begins ends"}},
      {{"served", "whoever asks is answered, at the first attempt unless a fault explains the timeout"}},
      {{"quiescence",
        "after the drain no lock is held, no request outstanding, no table entry without an owner, and directories "
        "know who caches what"}},
      {{"values-at-rest",
        "after the drain clean copies equal each other and the home, and what nobody holds dirty has the last write at "
        "its home; judged if the run has come to rest"}},
      {{"packet-conservation",
        "packets created and copied = delivered + absorbed + dropped + in flight, and buffer cells in use = those of "
        "packets"}},
      {{"returned-key", "a get returns the value of the key that it asked for"}},
      {{"torn", "a get returns an item whole: all of its packets, all of its key and of one write"}},
      {{"litmus", "a litmus test ends with no outcome that its scenario or its memory model forbids"}, if_promised},
      // Retransmissions and duplicates in the network are answered twice.
      {{"answered-once", "each request is answered once; for runs without loss and duplication"}, by_name},
      // data-value implies all of these.
      {{"linearizable", "each key's recorded history is linearizable, judged when the run is over"}, by_name},
      {{"sequential", "each key's recorded history is sequentially consistent"}, by_name},
      {{"sessions", "each key's recorded history keeps each of the four session guarantees"}, by_name},
      {{"stale-read", "no read that begins after a write was acknowledged returns an older value"}, by_name},
  };
  return catalogue;
}

}  // namespace racksim::tools
