// An oracle: no session reads a value of a block that is older than one it has read before ("monotonic reads", Terry et
// al., "Session Guarantees for Weakly Consistent Replicated Data", PDIS 1994).
#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "models/service/memory_service.hpp"
#include "models/service/oracle_entry.hpp"

namespace racksim::never_back {

namespace {

class NeverBack final : public sim::Oracle {
 public:
  explicit NeverBack(const sim::EventLog& event_log) : Oracle("never-back", "read"), event_log_(event_log) {}

  void observe(const sim::Observation& seen) override {
    if (seen.what == sim::Observed::performed) {
      const auto write = sim::PerformedView::of(seen);
      age_[{write.key, write.value}] = ++writes_;
    }
    if (seen.what != sim::Observed::operation_ended) return;
    const auto ended = sim::OperationView::of(seen);
    if (ended.kind != sim::OperationKind::read) return;
    count_judged();
    const auto written = age_.find({ended.key, ended.value});
    const std::uint64_t age = written == age_.end() ? 0 : written->second;  // 0: before the run
    auto& [newest, reader] = read_[{seen.source.index, ended.key}];
    if (age < newest) {
      violated(
          seen.at,
          fmt::format("{} read {} of block {} in operation {}, after a newer value in operation {}",
                      event_log_.name(seen.source), ended.value, sim::printed_key(ended.key), seen.operation, reader),
          {ended.key, {reader, seen.operation}});
    } else {
      newest = age;
      reader = seen.operation;
    }
  }

 private:
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  const sim::EventLog& event_log_;
  std::uint64_t writes_ = 0;
  std::map<Pair, std::uint64_t> age_;                                // by block and value: which write it was
  std::map<Pair, std::pair<std::uint64_t, sim::OperationId>> read_;  // by session and block: the newest, and by whom
};

const sim::Registration<models::OracleEntry> registration({
    .name = "never-back",
    .doc = "no session reads an older value of a block than it has read before",
    .attach = models::OracleEntry::AttachWhen::by_name,  // data-value implies it
    .make =
        [](models::OracleContext& context) {
          if (dynamic_cast<models::MemoryService*>(&context.protocol().service()) == nullptr) {
            throw sim::OptionError("never-back", "a protocol without blocks", "one with a memory service");
          }
          return std::make_shared<NeverBack>(context.event_log());
        },
});

}  // namespace

}  // namespace racksim::never_back
