"""Numbers with nouns, for messages that people read."""

from __future__ import annotations

import re

__all__ = ["plural"]


def plural(count: int, noun: str) -> str:
    """Write a number with its noun, which gets an ending unless the number is 1.

    Parameters
    ----------
    count : int
    noun : str
        A regular noun in the singular; of several words, the last one gets the ending.

    Returns
    -------
    str

    Examples
    --------
    >>> plural(1, "pattern"), plural(3, "pattern"), plural(0, "query"), plural(10_000, "key")
    ('1 pattern', '3 patterns', '0 queries', '10000 keys')
    """
    if count == 1:
        return f"1 {noun}"
    if re.search("[^aeiou]y$", noun):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if re.search('(s|x|ch|sh)$', noun) else 's'}"
