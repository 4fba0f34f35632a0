// What ccKVS and its baselines count, each under its own name.
#pragma once

#include <fmt/core.h>

#include <array>
#include <string>

#include "protocols/cckvs/threads/messages.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::cckvs {

/// Packets of a class of messages that nodes have sent, and their bytes on the sender's wire.
struct ClassCounters {
  sim::Counter *packets = nullptr, *bytes = nullptr;
};

struct Counters {
  sim::Metrics& m;
  std::string of;  ///< what the names of the metrics begin with
  sim::Counter& coalesced = m.counter(of + ".remote_requests", "requests", "that cache threads sent to KVS threads");
  sim::Counter& doorbells = m.counter(of + ".doorbells", "doorbells", "of all send queues");
  sim::Counter& out_of_credits =
      m.counter(of + ".out_of_credits", "messages", "that waited for a credit before they were sent");
  sim::Counter& read_retries =
      m.counter(of + ".read_retries", "reads", "done again because their object was written meanwhile (§6.2)");
  sim::Counter& store_reads = m.counter(of + ".store_reads", "reads", "of objects of the back-end store");
  sim::Counter& store_writes = m.counter(of + ".store_writes", "writes", "of objects of the back-end store");
  sim::Counter& sent_again = m.counter(of + ".sent_again", "messages", "sent again because nobody had answered");
  sim::Counter& stalled = m.counter(of + ".stalled", "operations", "that waited for a cached key to be Valid");
  sim::Counter& stray_answers = m.counter(of + ".stray_answers", "answers", "to requests that were over");
  std::array<ClassCounters, kMessageClasses> sent = classes();

  void count(MessageClass message, std::uint64_t bytes) {
    const ClassCounters& of_class = sent[static_cast<std::size_t>(message)];
    ++of_class.packets->value;
    of_class.bytes->value += bytes;
  }

 private:
  std::array<ClassCounters, kMessageClasses> classes() const {
    std::array<ClassCounters, kMessageClasses> all;
    for (std::size_t i = 0; i < kMessageClasses; ++i) {
      const std::string name = fmt::format("{}.{}.", of, name_of(static_cast<MessageClass>(i)));
      all[i] = {&m.counter(name + "packets", "packets", "of this class that nodes sent"),
                &m.counter(name + "bytes", "bytes", "of these packets on the senders' wires")};
    }
    return all;
  }
};

}  // namespace racksim::cckvs
