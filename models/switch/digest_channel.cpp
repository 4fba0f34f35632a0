// Digests crossing PCIe. See digest_channel.hpp.
#include "models/switch/digest_channel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace racksim::models {

void DigestChannel::listen(DigestListener& listener) {
  if (listener_) throw std::logic_error("somebody listens to the switch's digests already");
  listener_ = &listener;
  lane_ = context_.calendar.add_lane("switch/digests");
}

void DigestChannel::send(unsigned pipe, p4::Digest&& digest, sim::Time when) {
  if (!listener_) return;
  std::int64_t bits = 0;
  for (const auto bytes : digest.what->field_bytes) bits += std::int64_t{8} * bytes;
  free_at_ = std::max(when, free_at_) +
             sim::transmission_time(bits, static_cast<std::int64_t>(options_.control_block_bits_per_second));
  under_way_.push({pipe, std::move(digest)});
  context_.calendar.at<&DigestChannel::arrive>(free_at_ + options_.control_latency, *lane_, *this);
}

void DigestChannel::arrive() {
  const Sent sent = under_way_.pop();
  listener_->digest_arrived(sent.pipe, sent.digest);
}

}  // namespace racksim::models
