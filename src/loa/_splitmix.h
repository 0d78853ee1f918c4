// splitmix64, the generator of Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (OOPSLA 2014): its state grows by GOLDEN, and mix makes random bits of the state.

#pragma once

#include <cstdint>

namespace loa {

constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15;

inline std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

}  // namespace loa
