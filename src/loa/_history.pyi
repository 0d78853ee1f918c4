from typing_extensions import disjoint_base

from loa.rules import Rules

@disjoint_base
class History:
    @property
    def rules(self) -> Rules: ...
