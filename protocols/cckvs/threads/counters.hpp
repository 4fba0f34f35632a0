// What ccKVS and its baselines count, each under its own name.
#pragma once

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "protocols/cckvs/threads/messages.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::cckvs {

/// Packets of a class of messages that nodes have sent, and their bytes on the sender's wire.
struct ClassCounters {
  sim::Counter *packets = nullptr, *bytes = nullptr;
};

struct Counters {
  /// `of` is what the names of the metrics begin with.
  Counters(sim::Metrics& m, std::string_view of)
      : coalesced(
            m.counter(fmt::format("{}.remote_requests", of), "requests", "that cache threads sent to KVS threads")),
        doorbells(m.counter(fmt::format("{}.doorbells", of), "doorbells", "of all send queues")),
        out_of_credits(m.counter(fmt::format("{}.out_of_credits", of), "messages",
                                 "that waited for a credit before they were sent")),
        read_retries(m.counter(fmt::format("{}.read_retries", of), "reads",
                               "done again because their object was written meanwhile (§6.2)")),
        store_writes(m.counter(fmt::format("{}.store_writes", of), "writes", "of objects of the back-end store")),
        sent_again(m.counter(fmt::format("{}.sent_again", of), "messages", "sent again because nobody had answered")),
        stalled(m.counter(fmt::format("{}.stalled", of), "operations", "that waited for a cached key to be Valid")),
        stray_answers(m.counter(fmt::format("{}.stray_answers", of), "answers", "to requests that were over")) {
    for (std::size_t i = 0; i < kMessageClasses; ++i) {
      const char* name = name_of(static_cast<MessageClass>(i));
      sent[i] = {&m.counter(fmt::format("{}.{}.packets", of, name), "packets", "of this class that nodes sent"),
                 &m.counter(fmt::format("{}.{}.bytes", of, name), "bytes", "of these packets on the senders' wires")};
    }
  }

  void count(MessageClass message, std::uint64_t bytes) {
    const ClassCounters& of_class = sent[static_cast<std::size_t>(message)];
    ++of_class.packets->value;
    of_class.bytes->value += bytes;
  }

  sim::Counter &coalesced, &doorbells, &out_of_credits, &read_retries, &store_writes, &sent_again, &stalled,
      &stray_answers;
  std::array<ClassCounters, kMessageClasses> sent{};
};

}  // namespace racksim::cckvs
