from typing_extensions import disjoint_base

from loa.rules import Rules

@disjoint_base
class Games:
    @property
    def rules(self) -> Rules: ...
    @property
    def threads(self) -> int: ...
