// What a cache does about nodes that fail, and what recovery does to its lines (GAM §5). See cache.hpp, recovery.hpp.
#include "protocols/gam/cache/cache.hpp"
#include "protocols/gam/node/node.hpp"

namespace racksim::gam {

// Nothing more comes from the dead home, so what it has sent and waits here is dropped too.
void Cache::cut_off(NodeId lost) {
  std::vector<sim::Key> lines;
  frames_.for_each([&](const Frame& frame) {
    if (shared_.home_of(frame.line) == lost) lines.push_back(frame.line);
  });
  for (const sim::Key line : lines) {
    Frame& frame = *frames_.find(line);
    if (frame.work != nullptr) frame.work->pending.drop_messages_of(lost);
    raise(CacheEvent::home_lost, line, &frame);
    settle(frame);
  }
}

bool Cache::awaits(const Message& asked) const {
  const std::uint64_t* line = lines_.find(asked.request);
  return line != nullptr && *line == asked.line;
}

void Cache::restore(sim::Key line, const LogEntry& entry, std::uint32_t number) {
  Frame* frame = frames_.take(line);
  LineData data = copy_of(entry.data);
  touch(*frame);
  raise(CacheEvent::restore, line, frame, nullptr, nullptr, &data, entry.counter);
  frame->request = number;
}

void Cache::ask_again(NodeId home) {
  std::vector<sim::Key> lines;
  frames_.for_each([&](const Frame& frame) {
    if (shared_.home_of(frame.line) == home && !is_stable(frame.state)) lines.push_back(frame.line);
  });
  for (const sim::Key line : lines) raise(CacheEvent::home_back, line, frames_.find(line));
}

}  // namespace racksim::gam
