// Plies of several random games at once: the inner loops of _playout.pyx, which explains them.
//
// There are two forms: plain C++ and AVX-512 on x86-64 processors that have it. Both pick the
// same moves from the same random numbers.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "_bytes.h"
#include "_forms.h"
#include "_splitmix.h"

namespace loa::games {

// Games that a thread plays in turn: enough that what one of them has stored is in the cache when
// it is its turn again, few enough that all of them stay there.
constexpr int GAMES = 16;
// The 46 lines of a position, rounded up to whole vectors.
constexpr int LANES = 48;

// One game, seen from the side that is to move.
struct alignas(64) RandomGame {
    std::uint16_t lines[LANES];    // states, as in Position
    std::uint64_t own;
    std::uint64_t enemy;
    std::int32_t turn;
    std::int32_t own_euler;        // Euler numbers: groups less holes
    std::int32_t enemy_euler;
    std::int32_t plies;
    alignas(64) std::uint8_t counts[64];  // moves on each line: Black's in the lower four bits
    std::int64_t choices;          // legal moves, summed over the plies
    std::int64_t number;
    std::int64_t root;             // which of the positions that games start from
    std::int32_t limit;            // plies after which the game is looked at
};

struct RandomMove {
    std::uint8_t from_square;
    std::uint8_t to_square;
    bool look;                     // whether the game may be over after this move
};

struct GamesInPlay {
    RandomGame games[GAMES];
    std::uint64_t states[GAMES];   // of each game's generator
    RandomMove moves[GAMES];
};

// A position that games start from, and the verdict on it.
struct Root {
    RandomGame game;
    std::int64_t ply;
    int verdict;
};

struct GameTables {
    // By the state of a line: moves of either side in four bits each, pieces of both sides, and
    // for a colour all moves in four bits each (the digit they start from; 8 for down the line).
    const std::uint8_t* counts;
    const std::uint8_t* pieces;
    const std::uint32_t* moves[2];
    // By the neighbours of a square: how a piece there changes the Euler number.
    std::int8_t euler_changes[512];
    std::uint64_t neighbours[64];
    std::uint8_t square_lines[64][4];
    // What a black piece on a square adds to the states of all lines.
    alignas(64) std::uint16_t weights[64][64];
    std::uint8_t squares[LANES][8];  // by line and digit
    std::int32_t steps[LANES];       // from one digit's square to the next
};

// By how much a piece on a square raises the Euler number of the other pieces.
inline int euler_change(const GameTables& tables, std::uint64_t pieces, unsigned square) {
    const std::uint64_t around = pieces & tables.neighbours[square];
    // Turned so that the square is bit 9, its neighbours are bits 0 to 2, 8, 10 and 16 to 18,
    // which one multiplication brings together in the upper nine bits, row by row.
    const std::uint64_t corner = std::rotr(around, static_cast<int>(square) - 9);
    return tables.euler_changes[(corner * 0x2004008000000000) >> 55];
}

// The squares of one move of the side to move, numbered along a line.
inline void set_move(const GameTables& tables, const RandomGame& game, unsigned line,
                     unsigned rank, RandomMove& move) {
    const unsigned state = game.lines[line];
    const unsigned entry = tables.moves[game.turn][state] >> 4 * rank;
    // All pieces of a line move as far as there are pieces on it.
    const int distance = tables.pieces[state] * tables.steps[line];
    const int from_square = tables.squares[line][entry & 7];
    move.from_square = static_cast<std::uint8_t>(from_square);
    move.to_square = static_cast<std::uint8_t>(
        entry & 8 ? from_square - distance : from_square + distance);
}

namespace plain {

// Picks one of all moves, each equally likely; returns how many there are.
inline unsigned pick(const GameTables& tables, const RandomGame& game, std::uint64_t random,
                     RandomMove& move) {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t high = 0x8080808080808080;
    constexpr int words = LANES / 8;
    std::uint64_t counts[words];
    unsigned sums[words];
    unsigned total = 0;
    std::memcpy(counts, game.counts, sizeof counts);
    for (int word = 0; word < words; ++word) {
        counts[word] = ordered(counts[word]) >> 4 * game.turn & 0x0f0f0f0f0f0f0f0f;
        sums[word] = total;
        total += static_cast<unsigned>(counts[word] * ones >> 56);
    }
    if (total == 0) return 0;
    unsigned chosen = static_cast<unsigned>((random >> 32) * total >> 32);
    unsigned word = 0;
    for (int index = 1; index < words; ++index) word += chosen >= sums[index];
    chosen -= sums[word];
    // Byte i of the prefix is the sum of bytes 0 to i, 64 at most: the highest bit is left in
    // those that the chosen number is not below.
    const std::uint64_t prefix = counts[word] * ones;
    const std::uint64_t passed = (((chosen * ones | high) - prefix) & high) >> 7;
    const unsigned byte = static_cast<unsigned>(passed * ones >> 56);
    const unsigned before = static_cast<unsigned>(prefix << 8 >> 8 * byte & 0xff);
    set_move(tables, game, 8 * word + byte, chosen - before, move);
    return total;
}

// Brings the lines up to date: `captured` says whether the target held an enemy piece.
inline void change_lines(RandomGame& game, const std::uint16_t* __restrict from_weights,
                         const std::uint16_t* __restrict to_weights, bool captured) {
    std::uint16_t* __restrict lines = game.lines;
    // Products rather than shifts, which promote to 32 bits: half as many lanes.
    const auto own = static_cast<std::uint16_t>(1 << game.turn);
    const auto enemy = static_cast<std::uint16_t>(3 - own);
    if (captured) {
        for (int line = 0; line < LANES; ++line) {
            lines[line] -= static_cast<std::uint16_t>(to_weights[line] * enemy);
        }
    }
    for (int line = 0; line < LANES; ++line) {
        lines[line] += static_cast<std::uint16_t>(
            static_cast<std::uint16_t>(to_weights[line] - from_weights[line]) * own);
    }
}

#include "_playout_steps.h"

}  // namespace plain

#if LOA_HAS_X86

LOA_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl,popcnt")

namespace avx512 {

inline unsigned pick(const GameTables& tables, const RandomGame& game, std::uint64_t random,
                     RandomMove& move) {
    const __m512i counts = _mm512_and_si512(
        _mm512_srl_epi16(_mm512_load_si512(game.counts), _mm_cvtsi32_si128(4 * game.turn)),
        _mm512_set1_epi8(15));
    // Sums of the words, of the words up to each, and in each byte of all bytes up to it.
    const __m512i sums = _mm512_sad_epu8(counts, _mm512_setzero_si512());
    __m512i sums_to = _mm512_add_epi64(sums, _mm512_maskz_permutexvar_epi64(
        0xfe, _mm512_set_epi64(6, 5, 4, 3, 2, 1, 0, 0), sums));
    sums_to = _mm512_add_epi64(sums_to, _mm512_maskz_permutexvar_epi64(
        0xfc, _mm512_set_epi64(5, 4, 3, 2, 1, 0, 0, 0), sums_to));
    sums_to = _mm512_add_epi64(sums_to, _mm512_maskz_permutexvar_epi64(
        0xf0, _mm512_set_epi64(3, 2, 1, 0, 0, 0, 0, 0), sums_to));
    const __m512i prefix = _mm512_mullo_epi64(
        _mm512_add_epi64(counts, _mm512_sub_epi64(sums_to, sums)), _mm512_set1_epi8(1));
    const __m512i totals = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums_to);
    const __m512i numbers = _mm512_srli_epi64(
        _mm512_mul_epu32(totals, _mm512_set1_epi64(static_cast<long long>(random >> 32))), 32);
    const __m512i chosen = _mm512_shuffle_epi8(
        numbers, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
    const auto line = static_cast<unsigned>(
        _mm_popcnt_u64(_mm512_cmple_epu8_mask(prefix, chosen)));
    alignas(64) std::uint8_t ranks[64];
    _mm512_store_si512(ranks, _mm512_sub_epi8(chosen, _mm512_sub_epi8(prefix, counts)));
    const auto total = static_cast<unsigned>(_mm_cvtsi128_si32(_mm512_castsi512_si128(totals)));
    if (total == 0) return 0;
    set_move(tables, game, line, ranks[line], move);
    return total;
}

inline void change_lines(RandomGame& game, const std::uint16_t* from_weights,
                         const std::uint16_t* to_weights, bool captured) {
    const auto* from = reinterpret_cast<const __m512i*>(from_weights);
    const auto* to = reinterpret_cast<const __m512i*>(to_weights);
    const auto* from_rest = reinterpret_cast<const __m256i*>(from_weights + 32);
    const auto* to_rest = reinterpret_cast<const __m256i*>(to_weights + 32);
    auto* lines_rest = reinterpret_cast<__m256i*>(game.lines + 32);
    const __m128i own = _mm_cvtsi32_si128(game.turn);
    const __m512i added = _mm512_load_si512(to);
    const __m256i added_rest = _mm256_load_si256(to_rest);
    // A shift by 16 leaves nothing: no branch.
    const __m128i enemy = _mm_cvtsi32_si128(captured ? game.turn ^ 1 : 16);
    const __m512i lines = _mm512_sub_epi16(
        _mm512_add_epi16(_mm512_load_si512(game.lines), _mm512_sll_epi16(
            _mm512_sub_epi16(added, _mm512_load_si512(from)), own)),
        _mm512_sll_epi16(added, enemy));
    const __m256i rest = _mm256_sub_epi16(
        _mm256_add_epi16(_mm256_load_si256(lines_rest), _mm256_sll_epi16(
            _mm256_sub_epi16(added_rest, _mm256_load_si256(from_rest)), own)),
        _mm256_sll_epi16(added_rest, enemy));
    _mm512_store_si512(game.lines, lines);
    _mm256_store_si256(lines_rest, rest);
}

#include "_playout_steps.h"

}  // namespace avx512

LOA_END_TARGET

#endif

inline bool has_form(int form) {
    switch (form) {
        case PLAIN:
            return true;
#if LOA_HAS_X86
        case AVX512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                && __builtin_cpu_supports("popcnt");
#endif
        default:
            return false;
    }
}

// Picks a move for each of the first games; returns whether all of them have one. A game that
// has none gets the move from a1 to a1.
inline bool pick_moves(int form, const GameTables& tables, GamesInPlay& play, int count) {
#if LOA_HAS_X86
    if (form == AVX512) return avx512::pick_moves(tables, play, count);
#endif
    return plain::pick_moves(tables, play, count);
}

// Picks a move for one game, after a pass or for a new game; returns how many moves there are.
inline unsigned pick_move(const GameTables& tables, GamesInPlay& play, int index) {
    RandomGame& game = play.games[index];
    play.states[index] += GOLDEN;
    const unsigned total =
        plain::pick(tables, game, mix(play.states[index]), play.moves[index]);
    game.choices += total;
    return total;
}

// Makes the moves; returns whether any game has to be looked at: a side may be connected, or its
// limit of plies is reached.
inline bool make_moves(int form, const GameTables& tables, GamesInPlay& play, int count) {
#if LOA_HAS_X86
    if (form == AVX512) return avx512::make_moves(tables, play, count);
#endif
    return plain::make_moves(tables, play, count);
}

}  // namespace loa::games
