// See trace_keys.hpp.
#include "models/workloads/trace/trace_keys.hpp"

#include "sim/random/random.hpp"

namespace racksim::models {

std::uint64_t key_hash(const TraceRecord& record) {
  constexpr std::uint64_t kNumbers = 0x6b'6579, kTexts = 0x74'6578'74;  // draws of their own
  if (record.key) return sim::keyed_draw(kNumbers, *record.key, 0);
  return sim::keyed_draw(kTexts, sim::name_hash(record.key_text), record.key_text.size());
}

std::optional<std::uint64_t> TraceKeys::number_of(const TraceRecord& record) {
  if (keying_ == TraceKeying::given) return record.key;
  const std::uint64_t hash = key_hash(record);
  if (keying_ == TraceKeying::hashed) return hash % room_;
  std::uint64_t& number = numbers_[hash];
  if (number == 0) number = numbers_.size();
  if (number > room_) return std::nullopt;
  return number - 1;
}

}  // namespace racksim::models
