// The labels. See answer_labels.hpp.
#include "protocols/store/answer_labels.hpp"

#include "protocols/store/messages.hpp"

namespace racksim::store {

std::vector<models::AnswerLabel> answer_labels() {
  const auto place = [](Served by) { return static_cast<std::size_t>(by); };
  std::vector<models::AnswerLabel> labels(3);
  labels[place(Served::by_server)] = {.name = "server",
                                      .doc = "servers answered",
                                      .includes = {place(Served::overflow)},
                                      .latency = true,
                                      .rate = true};
  labels[place(Served::by_switch)] = {
      .name = "switch", .doc = "the switch answered", .latency = true, .rate = true, .share = true};
  // Among requests for cached keys: those of them that the switch does not answer are the overflow.
  labels[place(Served::overflow)] = {
      .name = "overflow",
      .doc = "a server answered, the switch, which caches the key, having no room for the request",
      .share = true,
      .share_of = {place(Served::by_switch), place(Served::overflow)}};
  return labels;
}

}  // namespace racksim::store
