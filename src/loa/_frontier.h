// A row of a frontier, with the order that std::sort inlines.

#pragma once

#include <cstdint>

namespace loa {

struct Entry {
    std::uint64_t black;
    std::uint64_t white;
    std::uint64_t sequences;

    bool operator<(const Entry& other) const {
        return black != other.black ? black < other.black : white < other.white;
    }
};

}  // namespace loa
