// The labels. See answer_labels.hpp.
#include "protocols/store/answer_labels.hpp"

#include "protocols/store/messages.hpp"

namespace racksim::store {

std::vector<models::AnswerLabel> answer_labels() {
  const auto label = [](Served by) { return static_cast<std::size_t>(by); };
  std::vector<models::AnswerLabel> labels(3);
  labels[label(Served::by_server)] = {.name = "server",
                                      .doc = "servers answered",
                                      .includes = {label(Served::overflow)},
                                      .latency = true,
                                      .rate = true};
  labels[label(Served::by_switch)] = {
      .name = "switch", .doc = "the switch answered", .latency = true, .rate = true, .share = true};
  // Among requests for cached keys: those of them that the switch does not answer are the overflow.
  labels[label(Served::overflow)] = {
      .name = "overflow",
      .doc = "a server answered, the switch, which caches the key, having no room for the request",
      .share = true,
      .share_of = {label(Served::by_switch), label(Served::overflow)}};
  return labels;
}

}  // namespace racksim::store
