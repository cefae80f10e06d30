from lean_extract.source.reader import read_module
from retriever.lean.words.doc_words import doc_words

TEXT = """/-! * `mul_zorb`: the law of okapis -/
/-- Wombats commute. -/
@[to_additive] theorem mul_zorb [CommMonoid M] (a b : M) : a * b = b * a := x
/-- Structures of ibexes. -/
@[simps] def ibex : Bongo where
  first := 1
/-- {} tail -/
theorem long : p := x
"""


def test_a_translation_shares_the_words_of_a_doc_string_and_long_ones_are_read_in_part() -> None:
    premises = read_module(TEXT.format("caracal " * 7000), "A", "A.lean").premises
    found = {premise.name: words for premise, words in zip(premises, doc_words(premises), strict=True)}
    assert found.keys() == {"mul_zorb", "add_zorb", "ibex", "ibex_first", "long"}
    assert set(found["add_zorb"]) < set(found["mul_zorb"])
    assert "wombat" in found["add_zorb"] and "okapi" not in " ".join(found["add_zorb"])
    assert found["ibex"] and not found["ibex_first"]
    assert len(found["long"]) == 20_000 // len("caracal ") and len(set(found["long"])) == 1


def test_a_type_has_the_names_of_its_parts() -> None:
    text = "structure Zoo where\n  okapiCount : Nat\n\ninductive Way where\n  | northWest\n  | south : Nat → Way\n"
    premises = read_module(text, "A", "A.lean").premises
    found = {premise.name: words for premise, words in zip(premises, doc_words(premises), strict=True)}
    assert {"okapi", "count"} == set(found["Zoo"])
    assert {"north", "west", "south"} == set(found["Way"])
    assert not found["Zoo.okapiCount"]
