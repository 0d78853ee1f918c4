"""The writer of SGF; `loa.records.sgf` tells what it writes, as it tells what is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loa._board import Board
from loa.notation import square_name
from loa.records.format import move_texts
from loa.records.game import Game
from loa.records.node import Node
from loa.records.sgf_structure import escape
from loa.records.sgf_words import (
    ENDINGS,
    HEADERS,
    KEPT,
    LETTERS,
    RESULT_TEXTS,
    RESULT_VALUES,
    SETUP_NAMES,
    TEXT_HEADERS,
    is_header,
    is_single,
    kept_properties,
    property_of,
)
from loa.records.starts import board_of

__all__ = ["refuse_comment", "refuse_header", "write"]

_NODES_A_LINE = 10
_ODD_SPACE = re.compile(r"[\t\r\v\f]")
_LAST_MOVES = {note: f"{letter}[{word}]" for (letter, word), note in reversed(ENDINGS.items())}


_SIMPLE_TEXTS = frozenset(HEADERS[name] for name in HEADERS if name not in TEXT_HEADERS)
"""The headers that have no line ends in SGF."""


def refuse_header(key: str, value: str) -> str | None:
    """What is expected in the place of a header that would not come back; None where it would."""
    has_line_ends = "\n" in value and key in _SIMPLE_TEXTS
    if has_line_ends or _ODD_SPACE.search(key) or _ODD_SPACE.search(value):
        return f"no white space but blanks{'' if key in _SIMPLE_TEXTS else ' and line ends'}"
    return None


def refuse_comment(comment: str) -> str | None:
    """What is expected in the place of a comment that would not come back; None where it would."""
    return "no white space but blanks and line ends" if _ODD_SPACE.search(comment) else None


def write(games: Iterable[Game]) -> Iterator[str]:
    """The text of a collection, in pieces."""
    for game in games:
        yield from _Writer(game).pieces()


class _Writer:
    """Writes one game."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def pieces(self) -> Iterator[str]:
        game = self._game
        headers = dict(game.headers)
        ending = self._take_ending(headers)
        yield f"(;FF[4]CA[UTF-8]GM[9]SZ[{game.start.size}]SU[{SETUP_NAMES[game.setup]}]"
        if game.setup == "custom":
            yield self._start()
        yield "".join(self._properties(headers))
        yield self._comment(game.root)
        if game.has_tree():
            yield from self._tree(ending)
        else:
            moves = [*self._main_line()]
            if ending:
                moves.append(f";{ending}")
            for start in range(0, len(moves), _NODES_A_LINE):
                yield "\n" + "".join(moves[start : start + _NODES_A_LINE])
        yield ")\n"

    # Before the first move ---------------------------------------------------------------------

    def _start(self) -> str:
        start = self._game.start
        text = "".join(
            name + "".join(f"[{square_name(square)}]" for square in range(64) if bits >> square & 1)
            for name, bits in (("AB", start.black), ("AW", start.white))
        )
        plies = 2 * (start.move_number - 1) + start.turn
        number = f"MN[{plies}]" if start.move_number > 1 else ""
        return f"{text}PL[{LETTERS[start.turn]}]{number}"

    def _take_ending(self, headers: dict[str, str]) -> str:
        """Take a note that a last move can say, and the result does not, out of the headers."""
        note = headers.get("note")
        if note not in _LAST_MOVES:
            return ""
        if "result" in headers and (self._game.result, note) in RESULT_TEXTS:
            return ""
        del headers["note"]
        return _LAST_MOVES[note]

    def _properties(self, headers: dict[str, str]) -> Iterator[str]:
        for name, header in HEADERS.items():
            if header in headers:
                yield f"{name}[{escape(headers.pop(header))}]"
        if "result" in headers:
            result, note = self._game.result, headers.get("note")
            if (result, note) in RESULT_TEXTS:
                headers.pop("note", None)
            else:
                note = None
            del headers["result"]
            yield f"RE[{RESULT_TEXTS[result, note]}]"
        elif "re" in headers and self._is_free_result(headers["re"]):
            yield f"RE[{escape(headers.pop('re'))}]"
        others: list[str] = []
        for header, value in headers.items():
            own = property_of(header)
            if own is not None:
                yield f"{own}[{escape(value)}]"
            else:
                others.append(f"[{escape(header, composed=True)}:{escape(value)}]")
        if others:
            yield f"HD{''.join(others)}"

    def _is_free_result(self, text: str) -> bool:
        return "\n" not in text and text.strip().lower() not in RESULT_VALUES

    # Moves -------------------------------------------------------------------------------------

    def _main_line(self) -> Iterator[str]:
        game = self._game
        letter, other = LETTERS[game.start.turn], LETTERS[game.start.turn.opponent]
        for text in move_texts(board_of(game.start), game.moves):
            yield f";{letter}[{text.replace('x', ':')}]"
            letter, other = other, letter

    def _tree(self, ending: str) -> Iterator[str]:
        end = self._game.end
        board = board_of(self._game.start)
        first = board.ply
        on_line = 0
        # What is still to be written, the next of it last: places, and signs between them.
        waiting = self._continuations(self._game.root)
        if ending and end == self._game.root:
            yield f";{ending}"
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                yield node
                on_line = 0
                continue
            if on_line % _NODES_A_LINE == 0 and on_line:
                yield "\n"
            on_line += 1
            while board.ply - first >= node.ply:
                board.pop()
            yield self._move(node, board)
            yield self._comment(node)
            if ending and node == end:
                yield f";{ending}"
            waiting += self._continuations(node)

    def _continuations(self, node: Node) -> list[Node | str]:
        variations = node.variations
        if len(variations) == 1:
            return list(variations)
        return [each for other in reversed(variations) for each in (")", other, "\n(")]

    def _move(self, node: Node, board: Board) -> str:
        move = node.move
        assert move is not None  # the root is not among the continuations
        text = str(move).replace("-", ":") if board.is_capture(move) else str(move)
        letter = LETTERS[board.turn]
        board.push_unchecked(move)
        return f";{letter}[{text}]"

    def _comment(self, node: Node) -> str:
        comment = node.comment
        if not comment:
            return ""
        start = 0 if comment.startswith(KEPT) else comment.rfind(f"\n{KEPT}") + 1
        kept = kept_properties(comment[start:])
        if kept is None or start == 1 or not (node.ply or self._fit_root(kept)):
            return f"C[{escape(comment)}]"
        text = f"C[{escape(comment[: start - 1])}]" if start else ""
        return text + "".join(name + values for name, values in kept)

    def _fit_root(self, kept: list[tuple[str, str]]) -> bool:
        """Whether these are read back at the root as part of a comment, and not as headers."""
        return all(
            not is_header(name)
            and (
                not is_single(values)
                or property_of(name.lower()) != name
                or name.lower() in self._game.headers
            )
            for name, values in kept
        )
