// See label_places.hpp.
#include "tools/explain/label_places.hpp"

#include <algorithm>
#include <array>

namespace racksim::tools::explain {

bool meet(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Liang and Barsky's clipping: the part of the stroke that lies within the box, if it has one.
bool crosses(const Segment& segment, const Box& box) {
  const double dx = segment.b.x - segment.a.x, dy = segment.b.y - segment.a.y;
  double begin = 0, end = 1;
  const std::array<std::array<double, 2>, 4> sides{{{-dx, segment.a.x - box.left},
                                                    {dx, box.right - segment.a.x},
                                                    {-dy, segment.a.y - box.top},
                                                    {dy, box.bottom - segment.a.y}}};
  for (const auto& [direction, room] : sides) {
    if (direction == 0) {
      if (room <= 0) return false;
    } else if (direction < 0) {
      begin = std::max(begin, room / direction);
    } else {
      end = std::min(end, room / direction);
    }
  }
  return begin < end;
}

std::optional<Box> LabelPlaces::take(const std::vector<Box>& places) {
  const auto is_free = [&](const Box& place) {
    return place.left >= left_ &&
           std::none_of(boxes_.begin(), boxes_.end(), [&](const Box& box) { return meet(box, place); }) &&
           std::none_of(segments_.begin(), segments_.end(), [&](const Segment& s) { return crosses(s, place); });
  };
  const auto found = std::find_if(places.begin(), places.end(), is_free);
  if (found == places.end()) return std::nullopt;
  boxes_.push_back(*found);
  return *found;
}

}  // namespace racksim::tools::explain
