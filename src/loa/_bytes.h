// Words of eight bytes whose first byte is the lowest, on every machine.

#pragma once

#include <bit>
#include <cstdint>

namespace loa {

inline std::uint64_t ordered(std::uint64_t value) {
    if constexpr (std::endian::native == std::endian::little) return value;
    std::uint64_t turned = 0;
    for (int index = 0; index < 8; ++index) turned = turned << 8 | (value >> 8 * index & 0xff);
    return turned;
}

}  // namespace loa
