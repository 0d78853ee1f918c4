// Sums over the last two plies, for many positions that differ in a few lines: the part of perft
// that works on bytes in lanes. Plain arrays in, plain numbers out; what they mean is explained
// in _last_plies.pyx.
//
// There are four forms: vectors of 16 bytes through the compiler's vector extension (SSE2 on
// x86-64, NEON on AArch64), AVX2 and AVX-512 on x86-64 processors that have them, and plain
// loops. All give the same numbers.

#pragma once

#include <cstdint>
#include <cstring>

#include "_forms.h"

namespace loa {

// What one side's moves on a line contribute, indexed by the line's state, each by digit.
struct LineSums {
    std::uint8_t departures[8];  // moves that leave the square
    std::uint8_t arrivals[8];    // moves that reach it
    std::int8_t removal[8];      // change of the replies on this line when its piece is taken off
    std::int8_t placement[8];    // change when a piece of the side is put there
};

// Where a line lies: its squares as bytes of ones and as bits. The digits of a rank are files;
// those of all other lines are ranks, and `shift` moves digit 0 to the byte of the first of them.
struct LinePlace {
    std::uint8_t mask[64];
    std::uint64_t squares;
    std::int32_t shift;
};

struct LineChange {
    std::uint16_t line;
    std::uint16_t before;
    std::uint16_t after;
};

// One move of the parent: its piece and what it changes on the lines through its target, which
// are a file, a diagonal, a rank and an anti-diagonal in this order.
struct Child {
    LineChange changes[4];
    std::uint32_t piece;
};

struct ChildSums {
    std::uint64_t arrivals;   // the squares that any move reaches
    std::uint32_t counts;     // see LineSums' companion table: moves, replies, correction
    std::int32_t products;    // departures times removal plus arrivals times placement
};

struct Parent {
    const LineSums* sums;           // of the side that moves in the children
    const std::uint32_t* counts;    // the companion table
    const LinePlace* places;
    const std::uint16_t* lines;     // the states of the parent's lines, ranks first
    int rank_count;
    int line_count;
    const LineChange (*removals)[4];  // for each piece of the parent's mover, in the same order
    int pieces;
};

// ---- the plain form -----------------------------------------------------------------------------

namespace plain {

struct Squares {
    std::int8_t values[4][64];
};

inline void clear(Squares& squares) { std::memset(&squares, 0, sizeof squares); }

template <bool is_rank>
inline void add(Squares& squares, const LineSums& after, const LineSums& before,
                const LinePlace& place) {
    const auto* plus = reinterpret_cast<const std::uint8_t*>(&after);
    const auto* minus = reinterpret_cast<const std::uint8_t*>(&before);
    std::uint64_t left = place.squares;
    const int first = place.shift / 8;
    for (int square = 0; left; ++square, left >>= 1) {
        if (left & 1) {
            const int digit = is_rank ? square % 8 : square / 8 - first;
            for (int kind = 0; kind < 4; ++kind) {
                squares.values[kind][square] = static_cast<std::int8_t>(
                    squares.values[kind][square] + plus[8 * kind + digit] - minus[8 * kind + digit]);
            }
        }
    }
}

inline void read(const Squares& squares, ChildSums& result) {
    int products = 0;
    std::uint64_t arrivals = 0;
    for (int square = 0; square < 64; ++square) {
        products += squares.values[0][square] * squares.values[2][square]
            + squares.values[1][square] * squares.values[3][square];
        arrivals |= static_cast<std::uint64_t>(squares.values[1][square] != 0) << square;
    }
    result.products = products;
    result.arrivals = arrivals;
}

#include "_lanes_children.h"

}  // namespace plain

// ---- vectors of 16 bytes ------------------------------------------------------------------------

#if LOA_HAS_VECTORS

namespace vectors {

typedef std::int8_t Bytes __attribute__((vector_size(16)));
typedef std::int16_t Words __attribute__((vector_size(16)));
typedef std::int32_t Longs __attribute__((vector_size(16)));
typedef std::uint64_t Quads __attribute__((vector_size(16)));

// Two ranks in each vector, four vectors for each of the four kinds.
struct Squares {
    Bytes values[4][4];
};

inline void clear(Squares& squares) { std::memset(&squares, 0, sizeof squares); }

inline Bytes low_bytes_twice(Bytes a) {
    return __builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
}
inline Bytes high_bytes_twice(Bytes a) {
    return __builtin_shufflevector(a, a, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15);
}
inline Words low_words_twice(Words a) {
    return __builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3);
}
inline Words high_words_twice(Words a) {
    return __builtin_shufflevector(a, a, 4, 4, 5, 5, 6, 6, 7, 7);
}
inline Bytes low_longs_twice(Words a) {
    const Longs b = reinterpret_cast<Longs>(a);
    return reinterpret_cast<Bytes>(__builtin_shufflevector(b, b, 0, 0, 1, 1));
}
inline Bytes high_longs_twice(Words a) {
    const Longs b = reinterpret_cast<Longs>(a);
    return reinterpret_cast<Bytes>(__builtin_shufflevector(b, b, 2, 2, 3, 3));
}

// Eight bytes, one for each rank, spread over the ranks' squares and masked with the line's.
inline void add_by_rank(Bytes squares[4], Bytes twice, const Bytes mask[4]) {
    const Words words = reinterpret_cast<Words>(twice);
    const Words low = low_words_twice(words), high = high_words_twice(words);
    squares[0] += low_longs_twice(low) & mask[0];
    squares[1] += high_longs_twice(low) & mask[1];
    squares[2] += low_longs_twice(high) & mask[2];
    squares[3] += high_longs_twice(high) & mask[3];
}

inline void add_by_file(Bytes squares[4], Quads twice, const Bytes mask[4]) {
    for (int pair = 0; pair < 4; ++pair) squares[pair] += reinterpret_cast<Bytes>(twice) & mask[pair];
}

template <bool is_rank>
inline void add(Squares& squares, const LineSums& after, const LineSums& before,
                const LinePlace& place) {
    Bytes plus[2], minus[2], mask[4];
    std::memcpy(plus, &after, sizeof plus);
    std::memcpy(minus, &before, sizeof minus);
    std::memcpy(mask, place.mask, sizeof mask);
    for (int half = 0; half < 2; ++half) {
        Quads change = reinterpret_cast<Quads>(plus[half] - minus[half]);
        if constexpr (is_rank) {
            add_by_file(squares.values[2 * half], __builtin_shufflevector(change, change, 0, 0), mask);
            add_by_file(squares.values[2 * half + 1], __builtin_shufflevector(change, change, 1, 1), mask);
        } else {
            change <<= place.shift;
            const Bytes bytes = reinterpret_cast<Bytes>(change);
            add_by_rank(squares.values[2 * half], low_bytes_twice(bytes), mask);
            add_by_rank(squares.values[2 * half + 1], high_bytes_twice(bytes), mask);
        }
    }
}

// Words of the products of bytes: |departures| and |arrivals| are at most 8, |removal| and
// |placement| at most 32, so sums of sixteen products stay far below 2 ** 15.
inline Words products(Bytes a, Bytes b) {
    const Words low = (reinterpret_cast<Words>(low_bytes_twice(a)) >> 8)
        * (reinterpret_cast<Words>(low_bytes_twice(b)) >> 8);
    const Words high = (reinterpret_cast<Words>(high_bytes_twice(a)) >> 8)
        * (reinterpret_cast<Words>(high_bytes_twice(b)) >> 8);
    return low + high;
}

inline void read(const Squares& squares, ChildSums& result) {
    Words sum = {};
    for (int pair = 0; pair < 4; ++pair) {
        sum += products(squares.values[0][pair], squares.values[2][pair])
            + products(squares.values[1][pair], squares.values[3][pair]);
    }
    int total = 0;
    for (int lane = 0; lane < 8; ++lane) total += sum[lane];
    result.products = total;
    // Arrivals are 0 to 8: adding 127 carries into the top bit of every byte that is not 0, and
    // one multiplication gathers the eight top bits of a rank.
    std::uint64_t ranks[8], arrivals = 0;
    std::memcpy(ranks, squares.values[1], sizeof ranks);
    for (int rank = 0; rank < 8; ++rank) {
        const std::uint64_t tops = (ranks[rank] + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
        arrivals |= (tops * 0x0102040810204080 >> 56) << 8 * rank;
    }
    result.arrivals = arrivals;
}

#include "_lanes_children.h"

}  // namespace vectors

#endif

// ---- AVX2 and AVX-512, chosen at run time -------------------------------------------------------

#if LOA_HAS_X86

LOA_BEGIN_TARGET("avx2")

namespace avx2 {

struct Squares {
    __m256i values[4][2];
};

inline void clear(Squares& squares) {
    for (auto& kind : squares.values) kind[0] = kind[1] = _mm256_setzero_si256();
}

template <int kind>
inline void add_kind(__m256i squares[2], __m256i change, __m256i low, __m256i high,
                     const __m256i mask[2]) {
    const __m256i bytes = _mm256_permute4x64_epi64(change, 0x55 * kind);
    squares[0] = _mm256_add_epi8(squares[0], _mm256_and_si256(_mm256_shuffle_epi8(bytes, low), mask[0]));
    squares[1] = _mm256_add_epi8(squares[1], _mm256_and_si256(_mm256_shuffle_epi8(bytes, high), mask[1]));
}

template <bool is_rank>
inline void add(Squares& squares, const LineSums& after, const LineSums& before,
                const LinePlace& place) {
    const __m256i by_file = _mm256_set1_epi64x(0x0706050403020100);
    const __m256i ranks_low = _mm256_set_epi64x(
        0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i ranks_high = _mm256_set_epi64x(
        0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404);
    const __m256i low = is_rank ? by_file : ranks_low;
    const __m256i high = is_rank ? by_file : ranks_high;
    const __m256i* mask = reinterpret_cast<const __m256i*>(place.mask);
    const __m256i masks[2] = {_mm256_loadu_si256(mask), _mm256_loadu_si256(mask + 1)};
    __m256i change = _mm256_sub_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(&after)),
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&before)));
    if constexpr (!is_rank) change = _mm256_sll_epi64(change, _mm_cvtsi32_si128(place.shift));
    add_kind<0>(squares.values[0], change, low, high, masks);
    add_kind<1>(squares.values[1], change, low, high, masks);
    add_kind<2>(squares.values[2], change, low, high, masks);
    add_kind<3>(squares.values[3], change, low, high, masks);
}

inline void read(const Squares& squares, ChildSums& result) {
    __m256i sum = _mm256_setzero_si256();
    std::uint64_t arrivals = 0;
    for (int half = 0; half < 2; ++half) {
        sum = _mm256_add_epi16(
            sum, _mm256_maddubs_epi16(squares.values[0][half], squares.values[2][half]));
        sum = _mm256_add_epi16(
            sum, _mm256_maddubs_epi16(squares.values[1][half], squares.values[3][half]));
        const __m256i some = _mm256_cmpgt_epi8(squares.values[1][half], _mm256_setzero_si256());
        arrivals |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(some)))
            << 32 * half;
    }
    const __m256i longs = _mm256_madd_epi16(sum, _mm256_set1_epi16(1));
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(longs), _mm256_extracti128_si256(longs, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
    result.products = _mm_cvtsi128_si32(four);
    result.arrivals = arrivals;
}

#include "_lanes_children.h"

}  // namespace avx2

LOA_END_TARGET
LOA_BEGIN_TARGET("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")

namespace avx512 {

struct Squares {
    __m512i values[4];
};

inline void clear(Squares& squares) {
    for (auto& kind : squares.values) kind = _mm512_setzero_si512();
}

template <bool is_rank>
inline void add(Squares& squares, const LineSums& after, const LineSums& before,
                const LinePlace& place) {
    const __m512i by_file = _mm512_set1_epi64(0x0706050403020100);
    const __m512i by_rank = _mm512_set_epi64(
        0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
        0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    __m512i index = is_rank ? by_file : by_rank;
    __m256i change = _mm256_sub_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(&after)),
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&before)));
    if constexpr (!is_rank) change = _mm256_sll_epi64(change, _mm_cvtsi32_si128(place.shift));
    const __m512i bytes = _mm512_castsi256_si512(change);
    const __mmask64 mask = place.squares;
    const __m512i next = _mm512_set1_epi8(8);
    for (auto& kind : squares.values) {
        kind = _mm512_mask_add_epi8(kind, mask, kind, _mm512_permutexvar_epi8(index, bytes));
        index = _mm512_add_epi8(index, next);
    }
}

inline void read(const Squares& squares, ChildSums& result) {
    const __m512i longs = _mm512_dpbusd_epi32(
        _mm512_dpbusd_epi32(_mm512_setzero_si512(), squares.values[0], squares.values[2]),
        squares.values[1], squares.values[3]);
    result.products = _mm512_reduce_add_epi32(longs);
    result.arrivals = _mm512_test_epi8_mask(squares.values[1], squares.values[1]);
}

#include "_lanes_children.h"

}  // namespace avx512

LOA_END_TARGET

#endif

// ---- the choice ---------------------------------------------------------------------------------

inline bool has_form(int form) {
    switch (form) {
        case PLAIN:
            return true;
        case VECTORS:
            return LOA_HAS_VECTORS;
#if LOA_HAS_X86
        case AVX2:
            return __builtin_cpu_supports("avx2");
        case AVX512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi")
                && __builtin_cpu_supports("avx512vnni");
#endif
        default:
            return false;
    }
}

inline void sum_children(int form, const Parent& parent, const Child* children, int count,
                         ChildSums* results) {
    switch (form) {
#if LOA_HAS_X86
        case AVX512:
            return avx512::sum_children(parent, children, count, results);
        case AVX2:
            return avx2::sum_children(parent, children, count, results);
#endif
#if LOA_HAS_VECTORS
        case VECTORS:
            return vectors::sum_children(parent, children, count, results);
#endif
        default:
            return plain::sum_children(parent, children, count, results);
    }
}

}  // namespace loa
