// The functions that every form of lanes shares, included once into each form's namespace, which
// has Squares, clear, add and read: one template could not be compiled for several instruction
// sets.

inline void add_changes(Squares& squares, std::uint32_t& counts, const LineChange changes[4],
                        const Parent& parent) {
    for (int index = 0; index < 4; ++index) {
        const LineChange& change = changes[index];
        const LineSums& after = parent.sums[change.after];
        const LineSums& before = parent.sums[change.before];
        const LinePlace& place = parent.places[change.line];
        if (index == 2) {
            add<true>(squares, after, before, place);
        } else {
            add<false>(squares, after, before, place);
        }
        counts += parent.counts[change.after] - parent.counts[change.before];
    }
}

inline void sum_children(const Parent& parent, const Child* children, int count,
                         ChildSums* results) {
    // No side has more pieces than the board has squares.
    Squares without[64];
    std::uint32_t counts_without[64];
    Squares base;
    std::uint32_t counts = 0;
    const LineSums none = {};
    clear(base);
    for (int line = 0; line < parent.rank_count; ++line) {
        add<true>(base, parent.sums[parent.lines[line]], none, parent.places[line]);
    }
    for (int line = parent.rank_count; line < parent.line_count; ++line) {
        add<false>(base, parent.sums[parent.lines[line]], none, parent.places[line]);
    }
    for (int line = 0; line < parent.line_count; ++line) {
        counts += parent.counts[parent.lines[line]];
    }
    for (int piece = 0; piece < parent.pieces; ++piece) {
        without[piece] = base;
        counts_without[piece] = counts;
        add_changes(without[piece], counts_without[piece], parent.removals[piece], parent);
    }
    for (int child = 0; child < count; ++child) {
        Squares squares = without[children[child].piece];
        results[child].counts = counts_without[children[child].piece];
        add_changes(squares, results[child].counts, children[child].changes, parent);
        read(squares, results[child]);
    }
}
