# cython: language_level=3
"""What modules outside the package are compiled with: sizes, offsets, constants and tables."""

cimport loa
from cpython.object cimport PyObject
from loa._history cimport Frame


cdef bytes contents(const void* start, size_t size):
    return (<const char*>start)[:size]


def structs():
    """Sizes of structs and offsets of their members in bytes."""
    cdef loa.Position position
    cdef loa.RuleValues rules
    cdef Frame frame
    cdef const loa.Geometry* geometry = loa.geometry_of(8)
    cdef const loa.LineTables* tables = geometry.tables
    cdef char* start = <char*>&position
    found = {
        "Position": sizeof(loa.Position),
        "Position.pieces": <char*>&position.pieces - start,
        "Position.key": <char*>&position.key - start,
        "Position.geometry": <char*>&position.geometry - start,
        "Position.lines": <char*>&position.lines - start,
        "Position.turn": <char*>&position.turn - start,
    }
    start = <char*>&rules
    found |= {
        "RuleValues": sizeof(loa.RuleValues),
        "RuleValues.mover_wins": <char*>&rules.mover_wins - start,
        "RuleValues.stuck": <char*>&rules.stuck - start,
        "RuleValues.repetition_draw": <char*>&rules.repetition_draw - start,
        "RuleValues.repetition_side_to_move": <char*>&rules.repetition_side_to_move - start,
        "RuleValues.ply_limit": <char*>&rules.ply_limit - start,
        "RuleValues.draws_precede_connection": <char*>&rules.draws_precede_connection - start,
    }
    start = <char*>&frame
    found |= {
        "Frame": sizeof(Frame),
        "Frame.position": <char*>&frame.position - start,
        "Frame.move": <char*>&frame.move - start,
        "Frame.verdict": <char*>&frame.verdict - start,
        "Frame.reversible": <char*>&frame.reversible - start,
    }
    start = <char*>geometry
    found |= {
        "Geometry": sizeof(loa.Geometry),
        "Geometry.size": <char*>&geometry.size - start,
        "Geometry.line_count": <char*>&geometry.line_count - start,
        "Geometry.board_mask": <char*>&geometry.board_mask - start,
        "Geometry.size_key": <char*>&geometry.size_key - start,
        "Geometry.turn_key": <char*>&geometry.turn_key - start,
        "Geometry.tables": <char*>&geometry.tables - start,
        "Geometry.piece_keys": <char*>&geometry.piece_keys - start,
        "Geometry.square_lines": <char*>&geometry.square_lines - start,
        "Geometry.square_digits": <char*>&geometry.square_digits - start,
        "Geometry.square_weights": <char*>&geometry.square_weights - start,
        "Geometry.orientations": <char*>&geometry.orientations - start,
        "Geometry.line_first": <char*>&geometry.line_first - start,
        "Geometry.line_step": <char*>&geometry.line_step - start,
        "Geometry.empty_states": <char*>&geometry.empty_states - start,
    }
    start = <char*>tables
    found |= {
        "LineTables": sizeof(loa.LineTables),
        "LineTables.counts": <char*>&tables.counts - start,
        "LineTables.pieces": <char*>&tables.pieces - start,
        "LineTables.forward": <char*>&tables.forward - start,
        "LineTables.backward": <char*>&tables.backward - start,
        "LineTables.moves": <char*>&tables.moves - start,
    }
    return found


def classes(loa.Board board not None, loa.Move move not None):
    """Offsets of the members of classes, from the end of what every Python object has."""
    cdef char* start = <char*><PyObject*>board + sizeof(PyObject)
    found = {
        "Board.frames": <char*>&board.frames - start,
        "Board.count": <char*>&board.count - start,
        "Board.capacity": <char*>&board.capacity - start,
        "Board.root_ply": <char*>&board.root_ply - start,
        "Board.values": <char*>&board.values - start,
    }
    start = <char*><PyObject*>move + sizeof(PyObject)
    found |= {
        "Move.code": <char*>&move.code - start,
        "Move.from_square": <char*>&move.from_square - start,
        "Move.to_square": <char*>&move.to_square - start,
    }
    for kind in (type(board), type(move)):
        found[kind.__name__] = kind.__basicsize__ - sizeof(PyObject)
    return found


def constants():
    """The values of the surface's constants."""
    return {
        "CONNECTION": loa.CONNECTION,
        "HAS_MOVES": loa.HAS_MOVES,
        "LINES": loa.LINES,
        "LINE_MOVES": loa.LINE_MOVES,
        "LINE_STATES": loa.LINE_STATES,
        "MAX_MOVES": loa.MAX_MOVES,
        "MOVE_BUFFER": loa.MOVE_BUFFER,
        "MUST_PASS": loa.MUST_PASS,
        "NOBODY": loa.NOBODY,
        "NO_LEGAL_MOVE": loa.NO_LEGAL_MOVE,
        "NO_LINE": loa.NO_LINE,
        "OVER": loa.OVER,
        "PASS_CODE": loa.PASS_CODE,
        "PLY_LIMIT": loa.PLY_LIMIT,
        "REPETITION": loa.REPETITION,
        "SIMULTANEOUS_CONNECTION": loa.SIMULTANEOUS_CONNECTION,
        "STUCK_DRAWS": loa.STUCK_DRAWS,
        "STUCK_LOSES": loa.STUCK_LOSES,
        "STUCK_PASSES": loa.STUCK_PASSES,
        "UNKNOWN": loa.UNKNOWN,
    }


def tables():
    """The contents of what inline functions read."""
    cdef const loa.Geometry* geometry
    cdef const loa.LineTables* lines = loa.geometry_of(8).tables
    found = {"LineTables": [contents(lines, sizeof(loa.LineTables))]}
    for size in range(3, 9):
        geometry = loa.geometry_of(size)
        # Only the pointer to the tables is left out, which no two processes share.
        found[f"Geometry {size}"] = [
            contents(&geometry.board_mask, sizeof(geometry.board_mask)),
            contents(&geometry.size_key, sizeof(geometry.size_key)),
            contents(&geometry.turn_key, sizeof(geometry.turn_key)),
            contents(&geometry.piece_keys, sizeof(geometry.piece_keys)),
            contents(&geometry.square_lines, sizeof(geometry.square_lines)),
            contents(&geometry.square_digits, sizeof(geometry.square_digits)),
            contents(&geometry.square_weights, sizeof(geometry.square_weights)),
            contents(&geometry.orientations, sizeof(geometry.orientations)),
            contents(&geometry.line_first, sizeof(geometry.line_first)),
            contents(&geometry.line_step, sizeof(geometry.line_step)),
            contents(&geometry.empty_states, sizeof(geometry.empty_states)),
        ]
    return found


def compiled_abi():
    """The number this module was compiled with."""
    return loa.ABI
