// The verdict of a run. See serializability_oracle.hpp.
#include "models/applications/transactions/serializability_oracle.hpp"

#include <fmt/core.h>

#include <unordered_set>

#include "models/applications/application_oracle.hpp"
#include "models/applications/transactions/serializability.hpp"
#include "models/service/oracle_entry.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app {

void SerializabilityOracle::finish(sim::Time end) {
  if (at_rest_->is_half_done()) return;
  const Serializability judged(log_, tables_);
  count_judged(judged.committed());
  for (const std::string& wrong : judged.wrong()) violated(end, wrong);
  judge_memory(end, judged);
}

void SerializabilityOracle::judge_memory(sim::Time end, const Serializability& judged) {
  std::unordered_set<std::uint64_t> right;
  const auto name = [this](Row row) { return fmt::format("{} {:#x}", tables_[row.table].name, row.key); };
  rows_.each_written([&](Row row, Versions versions, bool there, std::span<const std::byte> bytes) {
    const auto [first, last] = judged.last().equal_range(row.packed());
    const std::uint64_t contents = contents_of(bytes, there);
    for (auto one = first; one != last; ++one) {
      if (one->second.version != versions.version) continue;
      right.insert(row.packed());
      if (one->second.contents == contents) return;
      violated(end, fmt::format("memory has other bytes of {} than {} has written", name(row),
                                log_.name(TransactionLog::writer(versions.version))));
      return;
    }
    violated(end, fmt::format("memory has {} as {} has written it, expected {}", name(row),
                              log_.name(TransactionLog::writer(versions.version)),
                              first == last ? "what was there at first"
                                            : log_.name(TransactionLog::writer(first->second.version))));
    right.insert(row.packed());
  });
  for (TransactionLog::Attempt attempt = 1; attempt <= log_.attempts(); ++attempt) {
    if (log_.entry(attempt).outcome != TransactionLog::Outcome::committed) continue;
    for (const TransactionLog::Access& access : log_.accesses(attempt)) {
      if (!access.wrote || !right.insert(access.row.packed()).second) continue;
      violated(end, fmt::format("memory has {} as it was at first, and {} has written it", name(access.row),
                                log_.name(attempt)));
    }
  }
}

namespace {

const sim::Registration<models::OracleEntry> serializability({
    .name = "serializability",
    .doc = "transactions have a serial order that keeps real time, and memory ends with their last versions",
    .attach = models::OracleEntry::AttachWhen::if_promised,
    .make = [](models::OracleContext& context) -> std::shared_ptr<sim::Oracle> {
      const auto application = std::dynamic_pointer_cast<ApplicationOracle>(context.of_workload());
      auto made = application ? application->application().oracle("serializability") : nullptr;
      if (!made) throw sim::OptionError("serializability", "a workload without transactions", "one that has some");
      return made;
    },
});

}  // namespace

}  // namespace racksim::app
