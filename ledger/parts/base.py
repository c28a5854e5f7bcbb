"""What a part of the state is: plain containers of frozen values, copied as one and kept in snapshots as they are.

A field is a dict, list or set whose values are frozen, or a frozen value itself; a container inside a container would
be shared by a copy, and is not allowed.
"""

from typing import Self

import msgspec


class Part(msgspec.Struct, kw_only=True):
    """Base of every family's part; only a fold changes one."""

    def copy(self) -> Self:
        """The same values in containers of its own."""
        twin = type(self)()
        for name in self.__struct_fields__:
            value = getattr(self, name)
            setattr(twin, name, value.copy() if isinstance(value, dict | list | set) else value)
        return twin
