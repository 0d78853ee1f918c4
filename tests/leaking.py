"""Operations after which no memory may be left over, and a program that measures one of them.

`python leaking.py NAME` repeats an operation in a process of its own, some times to warm up and
then in earnest, and prints what the second part has left: blocks of Python's allocator, bytes of
the C library's (0 where it does not tell) and bytes of the process's memory.
"""

import contextlib
import copy
import ctypes
import gc
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import loa

LEFT: list[object] = []


class MallocInfo(ctypes.Structure):
    """What glibc's `mallinfo2` says (since glibc 2.33), in the order of its manual page."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def refuse(call: Callable[..., object], *arguments: object) -> None:
    """Makes a call that has to fail."""
    try:
        call(*arguments)
    except (loa.LoaError, IndexError, TypeError, ValueError):
        return
    raise AssertionError(f"{call}{arguments} did not fail")


def ask(*answers: object) -> None:
    """Takes the answers to questions and drops them."""


def operations() -> dict[str, tuple[int, Callable[[], object]]]:
    """Each operation, and how often it is repeated."""
    board = loa.Board()
    for text in ("c8-c6", "a6-c4", "c1xc4"):
        board.push_text(text)
    move = board.legal_moves[3]
    wrong = loa.Move(0, 63)
    small = loa.Board(size=4)
    rules = loa.Rules.MSO.replace(ply_limit=50)
    policy = loa.PlayoutPolicy.from_factors(capture=3)
    batch = loa.BoardBatch(8, size=5, auto_reset=True)
    threaded = loa.BoardBatch(1200, size=5, threads=2)
    mask = np.empty((8, 513), dtype=np.bool_)
    others = [board.copy(), board.copy()]
    frontier = loa.frontier(small, 2)
    action = loa.encodings.action_of(board, move)

    def push_and_pop() -> None:
        board.push(move)
        board.pop()

    def push_unchecked() -> None:
        board.push_unchecked(move)
        board.peek()
        board.pop()

    def ask_for_moves() -> None:
        moves = board.legal_moves
        ask(list(moves), len(moves), move in moves, moves[-1], moves.index(move), moves[2:4])
        ask(board.is_legal(move), board.is_capture(move), board.moves_to(3))

    def make_copies() -> None:
        ask(board.copy(), board.copy(history=False), copy.copy(board), copy.deepcopy(board))
        ask(board.transform(3), board.mirror(), board.canonical())

    def ask_for_the_rest() -> None:
        ask(
            board.move_stack,
            board.groups(loa.BLACK),
            board.outcome(),
            board.key,
            board.black,
            board.turn,
        )
        ask(board.is_game_over(), board.repetition_count(), board == small, board != board.copy())
        ask(board.piece_at(3), board.line_count(3, 0), board.ply, board.rules)

    def play_on() -> None:
        game = loa.Board(rules=rules)
        while moves := game.legal_moves:
            game.push(moves[-1])

    def write_text() -> None:
        ask(board.fen(), str(board), repr(board), board.move_text(move), str(move), repr(move))

    def read_text() -> None:
        loa.Board("8/8/2bwb3/2bbb3/2www3/2wbw3/8/8 b 1", rules=rules)
        fen = "1LLLLLL1/l6l/l6l/l6l/l6l/l6l/l6l/1LLLLLL1 w - - 0 1"
        loa.Board.from_fen(fen, dialect="playstrategy")
        ask(
            loa.Board.from_bitboards(0x7E, 0x8100), board.parse_move("a4-c2"), loa.Move.from_code(9)
        )

    def pickle_all() -> None:
        pickle.loads(pickle.dumps((board, move, board.legal_moves)))

    def pickle_batch() -> None:
        pickle.loads(pickle.dumps(batch))

    def make_errors() -> None:
        refuse(board.push, wrong)
        refuse(board.push_unchecked, wrong)
        refuse(board.push_text, "c8-c9")
        refuse(board.push, None)
        refuse(loa.Board().pop)
        refuse(loa.Board, "8/8 b 1")
        refuse(loa.Board.from_bitboards, 1, 1)
        refuse(loa.Move, 3, 3)
        refuse(board.line_count, 64, 0)
        refuse(board.legal_moves.__getitem__, 999)

    def make_errors_elsewhere() -> None:
        refuse(batch.step, [0] * 8)
        refuse(batch.step, [0.5] * 8)
        refuse(batch.legal_mask, np.empty(3))
        refuse(loa.BoardBatch, 0)
        refuse(loa.BoardBatch.from_boards, [board, small])
        refuse(loa.perft, board, -1)
        refuse(loa.playouts, [board, small], 1)
        refuse(loa.encodings.move_of, board, 513)

    def stop(fraction: float, leaves: int) -> None:
        raise IndexError

    def count() -> None:
        ask(loa.perft(board, 2), loa.divide(small, 2), loa.perft_statistics(small, 2))

    def count_in_threads() -> None:
        loa.perft(small, 5, threads=2, hash_mb=1)
        refuse(lambda: loa.perft(small, 5, threads=2, progress=stop))
        frontier.perft(4, threads=2, hash_mb=1)

    def expand() -> None:
        ask(loa.frontier(small, 2), loa.frontier(small, 1, threads=2))

    def play_randomly() -> None:
        small.playout(seed=1)
        loa.playouts(small, 4, seed=2, policy=policy)

    def play_randomly_in_threads() -> None:
        loa.playouts(others, 20, seed=3, threads=2)
        threaded.playouts(1, seed=1)

    def step() -> None:
        batch.step(batch.sample_actions(5), illegal="lose")
        ask(batch.legal_mask(), batch.legal_mask(mask), batch.legal_actions(), batch.planes())
        ask(batch.legal_bitboards(), batch.winners, batch.keys, batch.repetitions)
        batch.reset(batch.plies > 3)

    def make_batches() -> None:
        ask(batch.copy(), loa.BoardBatch.from_boards(others), batch.to_boards(final=True))

    def step_in_threads() -> None:
        threaded.step(threaded.sample_actions(1))
        ask(threaded.planes(dtype=np.uint8), threaded.copy())
        threaded.reset()

    def encode() -> None:
        ask(loa.encodings.planes(board), loa.encodings.legal_mask(board))
        ask(loa.encodings.move_of(board, action), loa.encodings.action_of(board, move))

    def leak_an_object() -> None:
        LEFT.append(1.5 + len(LEFT))

    def leak_memory() -> None:
        ctypes.pythonapi.PyMem_RawMalloc(1)

    return {
        "push_and_pop": (1_000_000, push_and_pop),
        "push_unchecked": (1_000_000, push_unchecked),
        "ask_for_moves": (200_000, ask_for_moves),
        "make_copies": (100_000, make_copies),
        "ask_for_the_rest": (200_000, ask_for_the_rest),
        "play_on": (10_000, play_on),
        "write_text": (20_000, write_text),
        "read_text": (10_000, read_text),
        "pickle_all": (5_000, pickle_all),
        "pickle_batch": (1_000, pickle_batch),
        "make_errors": (5_000, make_errors),
        "make_errors_elsewhere": (5_000, make_errors_elsewhere),
        "count": (10_000, count),
        "count_in_threads": (1_000, count_in_threads),
        "expand": (200, expand),
        "play_randomly": (5_000, play_randomly),
        "play_randomly_in_threads": (500, play_randomly_in_threads),
        "step": (20_000, step),
        "make_batches": (10_000, make_batches),
        "step_in_threads": (500, step_in_threads),
        "encode": (10_000, encode),
        # What would be found: the least that one operation can leave.
        "leak_an_object": (10_000, leak_an_object),
        "leak_memory": (200_000, leak_memory),
    }


def in_use() -> tuple[int, int, int]:
    """Python's blocks, the C library's bytes and the process's, after all that is free is freed."""
    gc.collect()
    return sys.getallocatedblocks(), malloc_bytes(), resident_bytes()


def malloc_bytes() -> int:
    """The bytes that `malloc` has given out, 0 where the C library does not tell."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        mallinfo2 = ctypes.CDLL(None).mallinfo2
        mallinfo2.restype = MallocInfo
        info = mallinfo2()
        return info.uordblks + info.hblkhd
    return 0


def resident_bytes() -> int:
    """The process's bytes in memory: those now where Linux says so, else the most so far, or 0."""
    with contextlib.suppress(FileNotFoundError):
        import resource

        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()
    with contextlib.suppress(ImportError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0


def main(name: str) -> None:
    """Repeats an operation and prints what it has left."""
    times, operation = operations()[name]
    for _ in range(times // 5 + 20):
        operation()
    in_use()
    before = in_use()
    for _ in range(times):
        operation()
    print(*(after - start for after, start in zip(in_use(), before, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1])
