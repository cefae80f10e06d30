from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.lru import Cache


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), max_size=40))
def test_the_key_used_longest_ago_makes_room(steps: list[tuple[bool, int]]) -> None:
    cache: Cache[int] = Cache(3)
    model: OrderedDict[int, int] = OrderedDict()
    for number, (is_written, key) in enumerate(steps):
        if is_written:
            cache.put(key, number)
            model[key] = number
        else:
            assert cache.get(key) == model.get(key)
        if key in model:
            model.move_to_end(key)
        while len(model) > 3:
            model.popitem(last=False)
    cache.clear()
    assert cache.get(0) is None


def test_a_value_is_made_once_and_again_when_it_made_room() -> None:
    cache: Cache[str] = Cache(1)
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    for name in ("a", "a", "b", "a"):
        assert cache.get_or_make(name, lambda name=name: make(name)) == name  # type: ignore[misc]
    assert made == ["a", "b", "a"]


def test_many_threads_at_once() -> None:
    cache: Cache[int] = Cache(8)

    def is_own(key: int) -> bool:
        return cache.get_or_make(key, lambda: key) == key

    def work(seed: int) -> bool:
        return all(is_own((seed + step) % 16) for step in range(2000))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
