from typing import Self, final

@final
class HashTable:
    def __new__(cls, megabytes: int) -> Self: ...
