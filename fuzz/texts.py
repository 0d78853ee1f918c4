"""Targets that read texts: positions, moves, perft suites, game records."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from comparing import reference_game
from record_files import check_place, read_random

import loa
from loa import encodings, notation, reference, suite
from loa.records import FORMATS, parse_san, read_games, san

_FOLDER = tempfile.TemporaryDirectory(prefix="fuzz-suite-")
_SUITE = Path(_FOLDER.name, "suite.txt")


def fen(data: bytes) -> None:
    """A text is a position of a dialect or `InvalidFenError`; written in any, it reads back."""
    text = data.decode("utf-8", "surrogateescape")
    for dialect in notation.DIALECTS:
        try:
            placement = notation.parse_fen(text, dialect)
        except loa.InvalidFenError as error:
            assert len(str(error)) < 1000
            continue
        board = loa.Board.from_fen(text, dialect=dialect)
        for other in notation.DIALECTS:
            written = notation.format_fen(placement, other)
            again = notation.parse_fen(written, other)
            assert notation.format_fen(again, other) == written
            assert (again.size, again.black, again.white, again.turn) == (
                placement.size, placement.black, placement.white, placement.turn
            )  # fmt: skip
            assert again.move_number == (1 if other == "openspiel" else placement.move_number)
            assert board.fen(other) == written


def moves(data: bytes) -> None:
    """A position on the first line, and words that are moves of it, in any notation, or none.

    What is not a legal move changes nothing; one that is legal has one text in each notation,
    by which it is found again, and is played.
    """
    first, *lines = data.decode("utf-8", "surrogateescape").split("\n")
    try:
        board = loa.Board(first)
    except loa.InvalidFenError:
        board = loa.Board()
    for word in " ".join(lines).split(" "):
        before = board.fen()
        move = _move_of(board, word)
        if move is None:
            continue
        assert board.fen() == before
        assert (move in board.legal_moves) == board.is_legal(move)
        for text in (str(move), board.move_text(move)):
            assert loa.Move.from_text(text) is move
            assert notation.parse_move(text) == (move.from_square, move.to_square)
        assert loa.Move.from_code(move.code) is move
        if board.is_legal(move):
            assert parse_san(board, san(board, move)) is move
            assert parse_san(board, san(board, move).removesuffix("#")) is move
            assert board.parse_move(board.move_text(move)) is move
            assert encodings.move_of(board, encodings.action_of(board, move)) is move
            if not move.is_pass:
                action = encodings.openspiel_action_of(board, move)
                assert encodings.move_of_openspiel_action(board, action) is move
            assert board.fen() == before
            board.push(move)


def _move_of(board: loa.Board, word: str) -> loa.Move | None:
    """The first move that the word can be, be it legal or not."""
    readers: list[Callable[[], loa.Move]] = [
        lambda: board.parse_move(word),
        lambda: parse_san(board, word),
        lambda: loa.Move.from_text(word),
    ]
    if word.isascii() and word.isdecimal() and len(word) < 20:
        number = int(word)
        readers += [
            lambda: encodings.move_of(board, number),
            lambda: encodings.move_of_openspiel_action(board, number),
            lambda: loa.Move.from_code(number),
        ]
    found: loa.Move | None = None
    for read in readers:
        try:
            move = read()
        except (loa.InvalidMoveError, loa.IllegalMoveError) as error:
            assert len(str(error)) < 1000
        else:
            found = found or move
    return found


def suites(data: bytes) -> None:
    """A perft suite is `InvalidRecordError`, at a place in it, or is read back as it was written.

    Where the counts are small they are taken, and are those of the reference.
    """
    _SUITE.write_bytes(data)
    try:
        entries = suite.read_suite(_SUITE)
    except loa.InvalidRecordError as error:
        check_place(error, data)
        return
    _SUITE.write_text(
        # The first name may begin with the mark that files of text may begin with.
        "#\n"
        + "".join(
            f"{entry.name} | {entry.fen} | {entry.rules.no_legal_move.value} | "
            f"{' '.join(map(str, entry.leaves))}\n"
            for entry in entries
        ),
        encoding="utf-8",
        newline="\n",
    )
    again = suite.read_suite(_SUITE)
    assert [(e.name, e.fen, e.rules, e.leaves) for e in again] == [
        (e.name, e.fen, e.rules, e.leaves) for e in entries
    ]
    for entry in entries[:2]:
        position = reference_game(loa.Board(entry.fen)).position
        for result in entry.check(100, max_depth=2):
            assert result.counted == reference.perft(position, result.depth, entry.rules)


def records(data: bytes) -> None:
    """Bytes as a file of games: bad games are `InvalidRecordError`s, others are read back.

    `read_random` says so of each format; the one that is found out by itself is one of these.
    """
    for name in FORMATS:
        read_random(data, name)
    try:
        found = read_games(io.BytesIO(data), on_error="truncate")
    except loa.InvalidRecordError:
        return
    assert found == read_games(io.BytesIO(data), format=found.format, on_error="truncate")
