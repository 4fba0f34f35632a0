// The declaration of the application's options. See options.hpp.
#include "protocols/store/options.hpp"

namespace racksim::store {

void StoreOptions::declare_store(sim::Parameters& p, Uses uses) {
  using sim::Duration;
  const Duration zero, us = Duration::from_ps(1'000'000), most = Duration::from_ps(1'000'000'000'000);
  p.integer("server_nodes", server_nodes, 1, models::kMostNodes - 1,
            "nodes that hold the store, the last of the rack; the others are clients")
      .published("StarCache §5.1: 3 of 8")
      .varied_from(1)
      .moderate({});
  p.integer("partitions", partitions, 1, 64, "threads of a server node, each of which emulates a server")
      .published("StarCache §5.1: 12")
      .varied_from(1)
      .moderate({});
  if (uses.hashed) {
    // Keys of one hash share a server, and four hashes are too few servers for the load.
    p.integer("hash_bits", hash_bits, 1, 128, "bits of the key hash: few make keys collide")
        .published("StarCache §3.2: 16 bytes")
        .varied({2, 5, 8, 64})
        .moderate({5, 8, 64});
  }
  p.integer("first_seq", first_seq, 0, 0xffff'ffff, "sequence number of each client's first request; it wraps")
      .estimate("any would do")
      .varied({0, 0xffff'fff0});
  auto once =
      p.flag("exactly_once", exactly_once,
             "requests carry 8 bytes that let servers recognise a write that is sent again; without, writes are not");
  if (uses.exactly_once) {
    once.guards("a write that is sent again is executed again, over a later one",
                "nocache/mechanisms.json/without-exactly-once");
  }
  if (uses.hashed) {
    auto check = p.flag(
        "collision_check", collision_check,
        "clients compare the key that a reply is about with the one they asked for, and correct (StarCache §3.6)");
    if (uses.foreign_answers) {
      check.guards("a client takes another key's value for its own",
                   "starcache/mechanisms.json/without-collision-check");
    }
  }
  p.length("timeout", timeout, us, most, "how long a client waits for the answer to one attempt")
      .estimate("chosen, far above a round trip")
      .varied({us * 50, us * 500, us * 2000})
      .timeout();
  p.integer("attempts", attempts, 1, 1000, "how often a client sends a request before it gives up")
      .estimate("our choice: the artifact sends no request again")
      .varied({2, 4, 8});
  p.length("costs.request", request_work, zero, most, "core time of a client to make a request, besides posting it")
      .estimate("as receiving a packet, 60 ns of the 100 ns that eRPC takes to receive and send one")
      .varied({zero, us / 10});
  p.length("costs.service", service_work, zero, most,
           "core time of a server thread for a request, which limits its rate")
      .published("artifact: 100,000 requests/s")
      .varied({zero, us / 2});
  p.length("costs.byte", byte_work, zero, us,
           "core time of a server thread for each byte of key and value that it receives or sends")
      .estimate("no published value: none")
      .neutral(zero);
  p.integer(
       "budget", budget, 0, 1'000'000'000'000,
       "requests that a server thread reads in each window, after which it reads no more until the next; 0: any number")
      .estimate(
          "our choice: costs.service limits the rate; artifact: 100,000 in each second, beside 1 us or so for each")
      .neutral(0);
  p.length("budget_window", budget_window, us, most, "length of a window of the budget")
      .published("artifact: 1 s")
      .neutral(most);
}

// A partition serves its queue in order; its packets, of which an item has up to four here, cost it alike.
// A read that waits for a cached item is overtaken by the writes that make it invalid again.
std::optional<sim::WaitingBounds> StoreProtocolOptions::waiting(const models::RackOptions& rack) const {
  sim::WaitingBounds bounds{.waits_from = rack.rtt * 3,
                            .headway = rack.rtt,
                            .overtakings = sim::WaitingBounds::kByLuck,
                            .lucky = true,
                            .step = rack.rtt * 32,
                            .work = (service_work + request_work) * 4 + byte_work * 4096};
  if (budget > 0) bounds.step = sim::Duration::max();  // whoever comes too late waits for the next window
  return bounds;
}

}  // namespace racksim::store
