import pytest

from lean_extract.doc_text import first_sentence


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("A **group**, e.g. `Nat.add`, is\n_here_. Another.", "A group, e.g. Nat.add, is here."),
        ("Either\n* one\n* two", "Either"),
        ("# Title\n\nText", "Title"),
        ("In `a. B` and $x. Y$ no sentence ends. Here", "In a. B and $x. Y$ no sentence ends."),
        ("See [the page](https://a.b/c) for `f_x * g_y`! Then", "See the page for f_x * g_y!"),
        ("<img src=x onerror=alert(1)>\x1b[31m\u202ered", "<img src=x onerror=alert(1)> [31m red"),
        ("```\ncode\n```", "code"),
        ("  \n ", ""),
        ("ab " * 30_000, "ab ab ab ab ab ab…"),
        ("a" * 50_000, "a" * 19 + "…"),
    ],
)
def test_the_first_sentence_is_one_plain_line(doc: str, sentence: str) -> None:
    assert first_sentence(doc, 20 if len(doc) > 1000 else 200) == sentence
