// What ccKVS and its baselines count, under "cckvs.".
#pragma once

#include <fmt/core.h>

#include <array>

#include "protocols/cckvs/messages.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::cckvs {

/// Packets of a class of messages that nodes have sent, and their bytes on the sender's wire.
struct ClassCounters {
  sim::Counter *packets = nullptr, *bytes = nullptr;
};

struct Counters {
  explicit Counters(sim::Metrics& m)
      : coalesced(m.counter("cckvs.remote_requests", "requests", "that cache threads sent to KVS threads")),
        doorbells(m.counter("cckvs.doorbells", "doorbells", "of all send queues")),
        out_of_credits(m.counter("cckvs.out_of_credits", "messages", "that waited for a credit before they were sent")),
        read_retries(
            m.counter("cckvs.read_retries", "reads", "done again because their object was written meanwhile (§6.2)")),
        store_writes(m.counter("cckvs.store_writes", "writes", "of objects of the back-end store")),
        stalled(m.counter("cckvs.stalled", "operations", "that waited for a cached key to be Valid")),
        stray_answers(m.counter("cckvs.stray_answers", "answers", "to requests that were over")) {
    for (std::size_t i = 0; i < kMessageClasses; ++i) {
      const char* name = name_of(static_cast<MessageClass>(i));
      sent[i] = {&m.counter(fmt::format("cckvs.{}.packets", name), "packets", "of this class that nodes sent"),
                 &m.counter(fmt::format("cckvs.{}.bytes", name), "bytes", "of these packets on the senders' wires")};
    }
  }

  void count(MessageClass message, std::uint64_t bytes) {
    const ClassCounters& of_class = sent[static_cast<std::size_t>(message)];
    ++of_class.packets->value;
    of_class.bytes->value += bytes;
  }

  sim::Counter &coalesced, &doorbells, &out_of_credits, &read_retries, &store_writes, &stalled, &stray_answers;
  std::array<ClassCounters, kMessageClasses> sent{};
};

}  // namespace racksim::cckvs
