from loa.rules import Rules

class History:
    @property
    def rules(self) -> Rules: ...
