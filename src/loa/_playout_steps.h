// The steps that both forms of random games share, included once into each form's namespace,
// which has pick and change_lines: one template could not be compiled for several instruction
// sets. Each step is a loop over all games, since what is to be done for the other games does not
// wait for this one.

inline bool pick_moves(const GameTables& tables, GamesInPlay& play, int count) {
    std::uint64_t random[GAMES];
    bool all = true;
    for (int index = 0; index < GAMES; ++index) {
        play.states[index] += GOLDEN;
        random[index] = mix(play.states[index]);
    }
    for (int index = 0; index < count; ++index) {
        RandomGame& game = play.games[index];
        const unsigned total = pick(tables, game, random[index], play.moves[index]);
        game.choices += total;
        if (total == 0) {
            play.moves[index] = RandomMove{};
            all = false;
        }
    }
    return all;
}

inline bool make_moves(const GameTables& tables, GamesInPlay& play, int count) {
    bool any = false;
    for (int index = 0; index < count; ++index) {
        RandomGame& game = play.games[index];
        RandomMove& move = play.moves[index];
        const unsigned from_square = move.from_square;
        const unsigned to_square = move.to_square;
        const std::uint64_t to_bit = std::uint64_t{1} << to_square;
        const std::uint64_t own = game.own ^ std::uint64_t{1} << from_square;
        std::uint64_t enemy = game.enemy;
        const int own_euler = game.own_euler - euler_change(tables, own, from_square)
            + euler_change(tables, own, to_square);
        bool look = own_euler <= 1;
        const bool captured = enemy & to_bit;
        change_lines(game, tables.weights[from_square], tables.weights[to_square], captured);
        if (captured) {
            enemy ^= to_bit;
            game.enemy_euler -= euler_change(tables, enemy, to_square);
            look |= game.enemy_euler <= 1;
        }
        game.own = enemy;
        game.enemy = own | to_bit;
        game.own_euler = game.enemy_euler;
        game.enemy_euler = own_euler;
        game.turn ^= 1;
        game.plies += 1;
        look |= game.plies >= game.limit;
        move.look = look;
        any |= look;
    }
    // Bytes may be anything to a compiler, so it would load the pointer again after each store.
    const std::uint8_t* const counts = tables.counts;
    for (int index = 0; index < count; ++index) {
        RandomGame& game = play.games[index];
        const std::uint8_t* const from_lines = tables.square_lines[play.moves[index].from_square];
        const std::uint8_t* const to_lines = tables.square_lines[play.moves[index].to_square];
        for (int line = 0; line < 4; ++line) {
            game.counts[from_lines[line]] = counts[game.lines[from_lines[line]]];
        }
        for (int line = 0; line < 4; ++line) {
            game.counts[to_lines[line]] = counts[game.lines[to_lines[line]]];
        }
    }
    return any;
}
