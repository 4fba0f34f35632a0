// See ordered_work.hpp.
#include "tools/seeds/ordered_work.hpp"

#include <map>
#include <utility>

#include "tools/processes/interruption.hpp"

namespace racksim::tools {
namespace {

/// How often the progress is told while nothing ends.
constexpr std::chrono::milliseconds kNewsOfWork{200};

}  // namespace

std::vector<ChildResult> run_in_order(const OrderedWork& ordered, unsigned jobs) {
  std::vector<ChildResult> first;
  std::map<std::size_t, ChildResult> early;  // those before which one is missing
  ChildProcesses children(jobs);
  std::size_t next = 0;
  while (first.size() < ordered.most && !interrupted()) {
    while (next < ordered.most && children.has_room()) {
      if (children.start(next, [&ordered, next] { return ordered.work(next); })) ++next;
    }
    if (ordered.progress) ordered.progress(first.size() + early.size());
    auto ended = children.wait(kNewsOfWork);
    if (!ended) continue;
    early.emplace(ended->id, std::move(*ended));
    while (!early.empty() && early.begin()->first == first.size()) {
      first.push_back(std::move(early.begin()->second));
      early.erase(early.begin());
      const bool asks = first.size() >= ordered.least && first.size() < ordered.most;
      if (asks && ordered.enough(first)) return first;
    }
  }
  return first;
}

}  // namespace racksim::tools
