// A program to learn from: a cache that the control plane fills (scenarios/switch/cache.json).
//
// A question that the table `cache` knows the answer to goes back at once by the port it came by; others go to the
// server behind port 3. Its answers are forwarded, and told to the control CPU in a digest: software may add them.
#include "p4model/examples/example.hpp"

namespace racksim::p4 {
namespace {

/// A question for a key, or the answer to one.
struct Question {
  std::uint64_t answers = 0, key = 0, value = 0;
  static constexpr HeaderLayout kLayout{"question", {{"answers", 8}, {"key", 32}, {"value", 32}}};
};

void build_cache(Program& p) {
  const auto& in = p.intrinsics();
  p.parser_state<Ethernet>(Gress::ingress, "ethernet").then("question");
  p.parser_state<Question>(Gress::ingress, "question");
  const auto src = p.header_field(&Ethernet::src), dst = p.header_field(&Ethernet::dst);
  const auto answers = p.header_field(&Question::answers), key = p.header_field(&Question::key),
             value = p.header_field(&Question::value);
  p.digest(1, "answered", {key, value});

  auto& answer = p.action("answer");
  answer.set(value, answer.data("value", 32)).set(answers, 1);
  answer.set(src, dst).set(dst, src).set(in.ucast_egress_port, in.ingress_port);
  auto& ask = p.action("ask").set(in.ucast_egress_port, 3);
  auto& cache = p.table("cache").key(key).action(answer).default_action(ask).size(1024).idle_timeout();

  auto& to_client = p.action("to_client");
  to_client.set(in.ucast_egress_port, to_client.data("port", 9)).set(p.digest_type(), 1);
  auto& nobody = p.action("nobody").set(in.drop, 1);
  auto& clients = p.table("clients").key(dst).action(to_client).default_action(nobody).size(64);

  p.ingress().if_(answers == 0).then([&](Block& b) { b.apply(cache); }).else_([&](Block& b) { b.apply(clients); });
}

const Example cache("example-cache", "answers what the control plane has put into its cache, and asks a server else",
                    build_cache);

}  // namespace
}  // namespace racksim::p4
