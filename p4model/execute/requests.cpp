// What a pass does beside its verdict: mirror copies, digests, random draws (docs/hardware.md 6.6). See pipeline.hpp.
#include <algorithm>

#include "p4model/execute/pipeline.hpp"
#include "sim/random/random.hpp"

namespace racksim::p4 {

// Hardware's order: the digest; then a resubmission and nothing else, or the mirror copy, whatever becomes of the
// packet.
void Pipeline::note_requests(const Pass& pass) {
  if (const auto type = program_.digest_type_field()) {
    const auto& digests = program_.digests();
    const auto sent = std::find_if(digests.begin(), digests.end(), [&](const Program::DigestUse& digest) {
      return digest.type == pass.phv_[type->id];
    });
    if (sent != digests.end()) {
      has_digest_ = true;
      digest_ = {.what = &*sent};
      for (const auto field : sent->fields) digest_.values.push_back(pass.phv_[field.id]);
    }
  }
  if (pass.phv_[program_.intrinsics().resubmit.id] != 1) copy_for_mirror(pass, MirrorKind::ingress);
}

void Pipeline::copy_for_mirror(const Pass& pass, MirrorKind kind) {
  const auto& fields = program_.mirror_fields();
  if (!fields) return;
  const auto session = pass.phv_[fields->session.id];
  if (session == kUnset || session == 0) return;
  has_mirror_copy_ = true;
  mirror_copy_ = {.packet = pass.packet_->clone(), .session = static_cast<std::uint16_t>(session)};
  mirror_copy_.packet->mirror_kind = kind;
  for (std::size_t i = 0; i < kMirrorWords; ++i) {
    mirror_copy_.packet->mirror_values[i] = pass.phv_[fields->values[i].id];
  }
}

std::uint64_t Pipeline::draw(const Pass& pass, std::uint32_t number) const {
  const auto of_pass = sim::keyed_draw(seed_, pass.packet_->serial, static_cast<std::uint64_t>(pass.begin_.ps()));
  return sim::keyed_draw(of_pass, std::uint64_t{pass.place_} << 1 | static_cast<std::uint64_t>(pass.gress_), number);
}

}  // namespace racksim::p4
