// A position as arrays for learning programs: legal moves as bitboards, bits and bytes, and
// observation planes. Plain arrays in, plain arrays out.
//
// Legal moves have two forms that give the same numbers: AVX-512 on x86-64 processors that have
// it, and plain C++.

#pragma once

#include <cstdint>
#include <cstring>

#include "_bytes.h"
#include "_forms.h"

namespace loa::batch {

// Lines are put into lanes: 8 ranks, 8 files, 15 diagonals by file - rank, an empty lane,
// 15 anti-diagonals by file + rank, an empty lane.
constexpr int LANES = 48;
constexpr int LINES = 46;

// The lines of one board size as if it had all those of the 8x8 board: which line stands for each,
// one without squares where there is none, and for each lane, of which a word holds four, 2 to the
// power of the rank its lowest square is on (1 for ranks, whose digits are files).
struct LinePlaces {
    std::uint8_t lines[LINES];
    std::uint64_t factors[LANES / 4];
};

// What one colour may do on a line, by the line's state: bit i says that the piece on digit i may
// move up the line, bit 8 + i that it may move down.
typedef std::uint16_t LineDirections;

// Bit i of the byte becomes byte i.
struct Spread {
    std::uint8_t bytes[256][8];
};

constexpr Spread make_spread() {
    Spread spread{};
    for (int byte = 0; byte < 256; ++byte) {
        for (int bit = 0; bit < 8; ++bit) spread.bytes[byte][bit] = byte >> bit & 1;
    }
    return spread;
}

inline constexpr Spread SPREAD = make_spread();

// Four lanes. Putting them together in a register is faster than to write them one by one and to
// read them all at once, for which a processor has to wait until they are in its cache.
inline std::uint64_t load_lanes(const std::uint16_t* states, const LineDirections* directions,
                                int lane) {
    const std::uint16_t* first = states + lane - (lane >= 32);
    std::uint64_t lanes = directions[first[0]]
        | static_cast<std::uint64_t>(directions[first[1]]) << 16
        | static_cast<std::uint64_t>(directions[first[2]]) << 32;
    // Lanes 31 and 47 are empty.
    if (lane != 28 && lane != 44) {
        lanes |= static_cast<std::uint64_t>(directions[first[3]]) << 48;
    }
    return lanes;
}

// ---- the plain form -----------------------------------------------------------------------------

namespace plain {

// Two words on which the same is done: one register where the compiler has a vector extension.
#if defined(__GNUC__) || defined(__clang__)
typedef std::uint64_t Pair __attribute__((vector_size(16)));
#else
struct Pair {
    std::uint64_t words[2];
    std::uint64_t operator[](int index) const { return words[index]; }
    Pair operator&(std::uint64_t mask) const { return {{words[0] & mask, words[1] & mask}}; }
    Pair operator|(Pair other) const { return {{words[0] | other[0], words[1] | other[1]}}; }
    Pair operator^(Pair other) const { return {{words[0] ^ other[0], words[1] ^ other[1]}}; }
    Pair operator<<(std::uint64_t count) const { return {{words[0] << count, words[1] << count}}; }
    Pair operator>>(std::uint64_t count) const { return {{words[0] >> count, words[1] >> count}}; }
};
#endif

// Multiplies lanes of 16 bits.
inline Pair multiply(Pair lanes, Pair factors) {
#if defined(__GNUC__) || defined(__clang__)
    typedef std::uint16_t Lanes __attribute__((vector_size(16)));
    return reinterpret_cast<Pair>(
        reinterpret_cast<Lanes>(lanes) * reinterpret_cast<Lanes>(factors));
#else
    Pair products{};
    for (int index = 0; index < 8; ++index) {
        const int word = index / 4, shift = 16 * (index % 4);
        const std::uint64_t product = (lanes[word] >> shift & 0xffff) * (factors[word] >> shift & 0xffff);
        products.words[word] |= product << shift;
    }
    return products;
#endif
}

inline Pair pair(std::uint64_t first, std::uint64_t second) {
#if defined(__GNUC__) || defined(__clang__)
    return Pair{first, second};
#else
    return {{first, second}};
#endif
}

inline void store(Pair values, std::uint8_t* bytes) {
    const Pair turned = pair(ordered(values[0]), ordered(values[1]));
    std::memcpy(bytes, &turned, sizeof turned);
}

// Bit i of byte j becomes bit j of byte i.
inline Pair transpose(Pair bits) {
    Pair swapped = (bits ^ bits >> 7) & 0x00aa00aa00aa00aa;
    bits = bits ^ swapped ^ swapped << 7;
    swapped = (bits ^ bits >> 14) & 0x0000cccc0000cccc;
    bits = bits ^ swapped ^ swapped << 14;
    swapped = (bits ^ bits >> 28) & 0x00000000f0f0f0f0;
    return bits ^ swapped ^ swapped << 28;
}

// Diagonal j holds the square (file f, rank r) with j = f - r + 7 in its bit r. Transposed, the
// byte of rank r holds diagonals by j and is moved by 7 - r, to where j is f.
inline Pair from_diagonals(Pair low, Pair high) {
    low = transpose(low);
    low = (low & 0xffffffff00000000) | (low >> 4 & 0x000000000f0f0f0f);
    low = (low & 0xffff0000ffff0000) | (low >> 2 & 0x00003f3f00003f3f);
    low = (low & 0xff00ff00ff00ff00) | (low >> 1 & 0x007f007f007f007f);
    high = transpose(high) << 1 & 0xfefefefefefefefe;
    high = (high & 0x00000000ffffffff) | (high << 4 & 0xf0f0f0f000000000);
    high = (high & 0x0000ffff0000ffff) | (high << 2 & 0xfcfc0000fcfc0000);
    high = (high & 0x00ff00ff00ff00ff) | (high << 1 & 0xfe00fe00fe00fe00);
    return low | high;
}

// The same with j = f + r, so the byte of rank r is moved by r.
inline Pair from_anti_diagonals(Pair low, Pair high) {
    low = transpose(low);
    low = (low & 0x00000000ffffffff) | (low >> 4 & 0x0f0f0f0f00000000);
    low = (low & 0x0000ffff0000ffff) | (low >> 2 & 0x3f3f00003f3f0000);
    low = (low & 0x00ff00ff00ff00ff) | (low >> 1 & 0x7f007f007f007f00);
    high = transpose(high) << 1 & 0xfefefefefefefefe;
    high = (high & 0xffffffff00000000) | (high << 4 & 0x00000000f0f0f0f0);
    high = (high & 0xffff0000ffff0000) | (high << 2 & 0x0000fcfc0000fcfc);
    high = (high & 0xff00ff00ff00ff00) | (high << 1 & 0x00fe00fe00fe00fe);
    return low | high;
}

// Part of an exchange of bytes and words: swaps the high parts of one pair and the low of another.
inline void swap_parts(Pair& low, Pair& high, std::uint64_t shift, std::uint64_t kept) {
    const Pair swapped = (low >> shift ^ high) & kept;
    high = high ^ swapped;
    low = low ^ swapped << shift;
}

// Moves up and moves down, a byte for each of eight lanes, and the same of the next eight.
struct Bytes {
    Pair first;
    Pair second;
};

inline Pair load_four_and_four(const std::uint16_t* states, const LineDirections* directions,
                               const std::uint64_t* factors, int lane) {
    Pair lanes = multiply(
        pair(load_lanes(states, directions, lane), load_lanes(states, directions, lane + 8)),
        pair(factors[lane / 4], factors[lane / 4 + 2]));
    // Bytes of moves up go to the lower half of each word, those of moves down to the upper half.
    Pair swapped = (lanes ^ lanes >> 8) & 0x0000ff000000ff00;
    lanes = lanes ^ swapped ^ swapped << 8;
    swapped = (lanes ^ lanes >> 16) & 0x00000000ffff0000;
    return lanes ^ swapped ^ swapped << 16;
}

inline Bytes load_bytes(const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, int lane) {
    Pair up = load_four_and_four(states, directions, factors, lane);
    Pair down = load_four_and_four(states, directions, factors, lane + 4);
    swap_parts(up, down, 32, 0x00000000ffffffff);
    return {pair(up[0], down[0]), pair(up[1], down[1])};
}

// The planes N and S, NE and SW, E and W, SE and NW.
inline void load_planes(const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, Pair* planes) {
    const Bytes straight = load_bytes(states, directions, factors, 0);
    const Bytes diagonals = load_bytes(states, directions, factors, 16);
    const Bytes anti_diagonals = load_bytes(states, directions, factors, 32);
    planes[0] = transpose(straight.second);
    planes[1] = from_diagonals(diagonals.first, diagonals.second);
    planes[2] = straight.first;
    planes[3] = from_anti_diagonals(anti_diagonals.first, anti_diagonals.second);
    planes[3] = pair(planes[3][1], planes[3][0]);
}

inline void legal_planes(const std::uint16_t* states, const LineDirections* directions,
                         const std::uint64_t* factors, std::uint64_t* planes) {
    Pair pairs[4];
    load_planes(states, directions, factors, pairs);
    for (int direction = 0; direction < 4; ++direction) {
        planes[direction] = pairs[direction][0];
        planes[direction + 4] = pairs[direction][1];
    }
}

// Byte d of row r is rank r of plane d; there are two rows in a pair.
inline void load_rows(const std::uint16_t* states, const LineDirections* directions,
                      const std::uint64_t* factors, Pair* rows) {
    Pair planes[4];
    load_planes(states, directions, factors, planes);
    for (int index = 0; index < 2; ++index) {
        swap_parts(planes[index], planes[index + 2], 16, 0x0000ffff0000ffff);
    }
    for (int index = 0; index < 4; index += 2) {
        swap_parts(planes[index], planes[index + 1], 8, 0x00ff00ff00ff00ff);
        rows[index / 2] = pair(planes[index][0], planes[index + 1][0]);
        rows[index / 2 + 2] = pair(planes[index][1], planes[index + 1][1]);
        swap_parts(rows[index / 2], rows[index / 2 + 2], 32, 0x00000000ffffffff);
    }
}

inline void legal_words(const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, std::uint64_t* words) {
    Pair rows[4];
    load_rows(states, directions, factors, rows);
    for (int index = 0; index < 4; ++index) {
        const Pair transposed = transpose(rows[index]);
        words[2 * index] = transposed[0];
        words[2 * index + 1] = transposed[1];
    }
}

// The eight bytes of a square are one bit of each byte of its rank's row.
inline void legal_bytes(const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, std::uint8_t* bytes) {
    Pair rows[4];
    load_rows(states, directions, factors, rows);
    for (int index = 0; index < 4; ++index) {
        for (std::uint64_t file = 0; file < 8; file += 2) {
            const Pair even = rows[index] >> file & 0x0101010101010101;
            const Pair odd = rows[index] >> (file + 1) & 0x0101010101010101;
            store(pair(even[0], odd[0]), bytes + 128 * index + 8 * file);
            store(pair(even[1], odd[1]), bytes + 128 * index + 64 + 8 * file);
        }
    }
}

}  // namespace plain

// ---- AVX-512, chosen at run time ----------------------------------------------------------------

#if LOA_HAS_X86

// Which byte goes where. A byte of two vectors is 64 and more in the second of them.
struct ByteOrders {
    alignas(64) std::uint8_t files[64];
    alignas(64) std::uint8_t diagonals[64];
    alignas(64) std::uint8_t rows[64];
    alignas(64) std::uint8_t squares[64];
    alignas(64) std::uint8_t ranks[64];
    alignas(64) std::uint8_t planes[64];
    alignas(64) std::uint8_t copies[8][64];
    alignas(64) std::uint16_t shifts[32];
    std::uint64_t from_ranks;
};

// Matrices of bits are transposed by the instruction that multiplies them (the left factor being
// the identity), which takes their rows from the last to the first.
constexpr ByteOrders make_byte_orders() {
    // Where the planes N to NW are before they are put together: the byte of rank 0, and the
    // number of bytes from rank to rank. Ranks come from the lanes, files from the second vector.
    constexpr int first[8] = {64, 0, 0, 48, 72, 16, 1, 32};
    constexpr int step[8] = {1, 2, 2, 2, 1, 2, 2, 2};
    ByteOrders orders{};
    for (int row = 0; row < 8; ++row) {
        for (int index = 0; index < 8; ++index) {
            const int byte = 8 * row + index, turned = 7 - index;
            // Files up and down; then diagonals up (two vectors of eight), down, anti-diagonals.
            orders.files[byte] = row < 2 ? 2 * (8 + turned) + row : 0;
            const int lane = (row < 4 ? 16 : 32) + 8 * (row & 1) + turned;
            orders.diagonals[byte] = 2 * lane + (row >> 1 & 1);
            orders.rows[2 * (8 * (row >> 1) + index) + (row & 1)] = byte;
            const int source = first[turned] + step[turned] * row;
            const bool is_rank = turned == 2 || turned == 6;
            orders.squares[byte] = is_rank ? 0 : source;
            orders.ranks[byte] = is_rank ? source : 0;
            if (is_rank) orders.from_ranks |= std::uint64_t{1} << byte;
            orders.planes[byte] = 8 * index + 7 - row;
            for (int copy = 0; copy < 8; ++copy) orders.copies[copy][byte] = 8 * copy + row;
        }
    }
    for (int lane = 0; lane < 32; ++lane) orders.shifts[lane] = lane < 16 ? 7 - lane % 8 : lane % 8;
    return orders;
}

inline constexpr ByteOrders ORDERS = make_byte_orders();

LOA_BEGIN_TARGET("avx512f,avx512bw,avx512vl,avx512vbmi,gfni")

namespace avx512 {

inline __m512i transpose_turned(__m512i rows) {
    const __m512i identity = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201));
    return _mm512_gf2p8affine_epi64_epi8(identity, rows, 0);
}

// In qword r, byte 7 - d is rank r of plane d.
inline __m512i legal_rows(const std::uint16_t* states, const LineDirections* directions,
                          const std::uint64_t* factors) {
    const auto lanes = [&](int lane) {
        return static_cast<long long>(load_lanes(states, directions, lane));
    };
    const __m512i low = _mm512_mullo_epi16(
        _mm512_set_epi64(lanes(28), lanes(24), lanes(20), lanes(16), lanes(12), lanes(8), lanes(4),
                         lanes(0)),
        _mm512_loadu_si512(factors));
    const __m512i high = _mm512_castsi256_si512(_mm256_mullo_epi16(
        _mm256_set_epi64x(lanes(44), lanes(40), lanes(36), lanes(32)),
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(factors + 8))));
    const __m512i files = transpose_turned(
        _mm512_permutexvar_epi8(_mm512_load_si512(ORDERS.files), low));
    const __m512i lines = transpose_turned(
        _mm512_permutex2var_epi8(low, _mm512_load_si512(ORDERS.diagonals), high));
    const __m512i diagonals = _mm512_srlv_epi16(
        _mm512_permutexvar_epi8(_mm512_load_si512(ORDERS.rows), lines),
        _mm512_load_si512(ORDERS.shifts));
    return _mm512_mask_permutexvar_epi8(
        _mm512_permutex2var_epi8(diagonals, _mm512_load_si512(ORDERS.squares), files),
        ORDERS.from_ranks, _mm512_load_si512(ORDERS.ranks), low);
}

inline void legal_planes(const std::uint16_t* states, const LineDirections* directions,
                         const std::uint64_t* factors, std::uint64_t* planes) {
    const __m512i rows = legal_rows(states, directions, factors);
    _mm512_storeu_si512(planes, _mm512_permutexvar_epi8(_mm512_load_si512(ORDERS.planes), rows));
}

inline void legal_words(const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, std::uint64_t* words) {
    _mm512_storeu_si512(words, transpose_turned(legal_rows(states, directions, factors)));
}

inline void legal_bytes(const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, std::uint8_t* bytes) {
    const __m512i words = transpose_turned(legal_rows(states, directions, factors));
    const __m512i bits = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201));
    const __m512i one = _mm512_set1_epi8(1);
    for (int rank = 0; rank < 8; ++rank) {
        const __m512i copies = _mm512_permutexvar_epi8(
            _mm512_load_si512(ORDERS.copies[rank]), words);
        _mm512_storeu_si512(bytes + 64 * rank,
                            _mm512_min_epu8(_mm512_and_si512(copies, bits), one));
    }
}

}  // namespace avx512

LOA_END_TARGET

#endif

// ---- the choice ---------------------------------------------------------------------------------

inline bool has_form(int form) {
    switch (form) {
        case PLAIN:
            return true;
#if LOA_HAS_X86
        case AVX512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi")
                && __builtin_cpu_supports("gfni");
#endif
        default:
            return false;
    }
}

// Bit s of plane d: the piece on square s may move in direction d.
inline void legal_planes(int form, const std::uint16_t* states, const LineDirections* directions,
                         const std::uint64_t* factors, std::uint64_t* planes) {
#if LOA_HAS_X86
    if (form == AVX512) return avx512::legal_planes(states, directions, factors, planes);
#endif
    plain::legal_planes(states, directions, factors, planes);
}

// The same as 512 bits in the order of action indices.
inline void legal_words(int form, const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, std::uint64_t* words) {
#if LOA_HAS_X86
    if (form == AVX512) return avx512::legal_words(states, directions, factors, words);
#endif
    plain::legal_words(states, directions, factors, words);
}

// The same as 512 bytes.
inline void legal_bytes(int form, const std::uint16_t* states, const LineDirections* directions,
                        const std::uint64_t* factors, std::uint8_t* bytes) {
#if LOA_HAS_X86
    if (form == AVX512) return avx512::legal_bytes(states, directions, factors, bytes);
#endif
    plain::legal_bytes(states, directions, factors, bytes);
}

// ---- observation planes -------------------------------------------------------------------------

struct Observation {
    const std::uint16_t* states;    // of all lines of the 8x8 board, as in LinePlaces
    const std::uint8_t* pieces;     // by a line's state
    std::uint64_t first;            // bitboards of the first two planes
    std::uint64_t second;
    std::uint8_t side_to_move;
    std::uint8_t repetitions;
};

template <typename Value>
inline void write_planes(const Observation& observation, int size, Value* values) {
    constexpr int PLANES = 8;
    const std::uint64_t bitboards[2] = {observation.first, observation.second};
    std::uint8_t counts[LINES];
    std::uint8_t squares[PLANES * 64];
    for (int line = 0; line < LINES; ++line) {
        counts[line] = observation.pieces[observation.states[line]];
    }
    for (int rank = 0; rank < 8; ++rank) {
        for (int plane = 0; plane < 2; ++plane) {
            std::memcpy(squares + 64 * plane + 8 * rank,
                        SPREAD.bytes[bitboards[plane] >> 8 * rank & 0xff], 8);
        }
        std::memcpy(squares + 128 + 8 * rank, counts + 8, 8);
        // Diagonals start at line 16 with file - rank = -7, anti-diagonals at 31 with 0.
        std::memcpy(squares + 192 + 8 * rank, counts + 16 + 7 - rank, 8);
        std::memset(squares + 256 + 8 * rank, counts[rank], 8);
        std::memcpy(squares + 320 + 8 * rank, counts + 31 + rank, 8);
    }
    std::memset(squares + 384, observation.side_to_move, 64);
    std::memset(squares + 448, observation.repetitions, 64);
    if (size == 8) {
        for (int index = 0; index < PLANES * 64; ++index) values[index] = squares[index];
        return;
    }
    for (int plane = 0; plane < PLANES; ++plane) {
        for (int rank = 0; rank < size; ++rank) {
            for (int file = 0; file < size; ++file) {
                *values++ = static_cast<Value>(squares[64 * plane + 8 * rank + file]);
            }
        }
    }
}

}  // namespace loa::batch
