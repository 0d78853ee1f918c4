"""Sentences that the command and the pages share."""

from __future__ import annotations

from loa.rules import Outcome, Termination

__all__ = ["outcome_text"]


def outcome_text(outcome: Outcome) -> str:
    """How a game ended, for people.

    >>> from loa.rules import BLACK
    >>> outcome_text(Outcome(BLACK, Termination.CONNECTION))
    'Black wins by connection'
    """
    reason = outcome.termination.value
    if outcome.winner is None:
        return f"draw by {reason}"
    if outcome.termination is Termination.NO_LEGAL_MOVE:
        return f"{outcome.winner} wins, {reason} for its opponent"
    return f"{outcome.winner} wins by {reason}"
