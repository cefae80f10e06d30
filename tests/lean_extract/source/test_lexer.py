from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position
from lean_extract.syntax.lexer import comment_left_open, is_identifier, is_plain_name, raw_tokens, tokenize

LEAN_PIECES = (
    "theorem", "x", "Nat.add", "«a b».c", " ", "\n  ", "(", ")", "⟨", ":=", "=>", "fun", "/-", "-/", "--",
    "/--", '"',
    "'", "\\", "r#", "#", "`", "·", ".1", "1.5", "∀", "h'", "₁", "𝕜", "→", "⁻¹", "é", "\t", "\r", "\x00",
)  # fmt: skip
lean_like = st.lists(st.sampled_from(LEAN_PIECES), max_size=60).map("".join)


def texts(text: str) -> list[str]:
    return tokenize(text).texts


@given(st.one_of(st.text(max_size=200), lean_like))
def test_raw_tokens_rejoin_to_the_text(text: str) -> None:
    assert "".join(raw_tokens(text)) == text


@given(st.one_of(st.text(max_size=200), lean_like))
def test_every_token_stands_where_it_says(text: str) -> None:
    tokens = tokenize(text)
    for token, start in zip(tokens.texts, tokens.starts, strict=True):
        assert text[start : start + len(token)] == token
    assert tokens.starts == sorted(tokens.starts)


@given(st.integers(min_value=1, max_value=40), st.sampled_from(["", "x", " - / \n", "--"]))
def test_comments_nest_to_any_depth(depth: int, filling: str) -> None:
    comment = "/- " * depth + filling + " -/" * depth
    assert texts(f"a {comment} b") == ["a", "b"]


def test_an_open_comment_swallows_the_rest_only() -> None:
    assert texts("a /- b /- c -/ d") == ["a"]


def test_doc_comments_are_kept_and_module_docs_are_not() -> None:
    assert texts("/-! about -/ /-- of f -/ def f") == ["/-- of f -/", "def", "f"]


def test_a_comment_in_a_string_is_none() -> None:
    assert texts('"a -- b /- c" d') == ['"a -- b /- c"', "d"]


def test_strings_escape_and_raw_strings_do_not() -> None:
    assert texts(r'"a \" b" r"c \" r#"d " e"# f') == [r'"a \" b"', r'r"c \"', r'r#"d " e"#', "f"]


def test_an_open_string_is_one_token_of_its_quote() -> None:
    assert texts('a " b c')[:3] == ["a", '"', "b"]


def test_primes_belong_to_names_and_quotes_to_characters() -> None:
    assert texts("h' 'a' '\\n' f '' s") == ["h'", "'a'", "'\\n'", "f", "''", "s"]


def test_names_may_be_quoted_dotted_subscripted_and_of_many_letters() -> None:
    assert texts("Foo.«a b».c₁ 𝕜.x? αβ! ℝ") == ["Foo.«a b».c₁", "𝕜.x?", "αβ!", "ℝ"]


def test_binder_letters_are_no_names() -> None:
    assert texts("λx Πy Σz ∀w") == ["λ", "x", "Π", "y", "Σ", "z", "∀", "w"]
    assert not is_identifier("λ")
    assert is_identifier("«a»")


def test_projections_are_apart_from_what_they_project() -> None:
    assert texts("h.1.2 (a b).symm x.y .inl") == ["h", ".1", ".2", "(", "a", "b", ")", ".symm", "x.y", ".inl"]


def test_operators_are_whole() -> None:
    assert texts("a <;> b <|> c |>.d := e => f ⁻¹ ⁻¹' g →* h ≃ₗ[R] Type* x.{u}") == [
        "a", "<;>", "b", "<|>", "c", "|>", ".d", ":=", "e", "=>", "f", "⁻¹", "⁻¹'", "g", "→*", "h", "≃ₗ",
        "[", "R",
        "]", "Type*", "x", ".{", "u", "}",
    ]  # fmt: skip


def test_columns_count_code_points_and_lines_from_0() -> None:
    tokens = tokenize("𝕜 a\n  𝔸 b")
    assert [tokens.position(start) for start in tokens.starts] == [
        Position(0, 0), Position(0, 2), Position(1, 2), Position(1, 4),
    ]  # fmt: skip
    assert [tokens.texts[index] for index in tokens.line_first] == ["𝕜", "𝔸"]
    assert tokens.column(2) == 2


def test_source_folds_white_space_and_drops_comments() -> None:
    tokens = tokenize('a  /- no -/\n   (b -- nor this\n  "x --y") c')
    assert tokens.source(0, 6) == 'a (b "x --y") c'


def test_source_drops_doc_comments_whether_or_not_there_are_others() -> None:
    for before in ("", "/- no -/ ", "-- no\n"):
        tokens = tokenize(f"{before}(a /-- doc -/ b/- c -/) '\"' -- \"\n c")
        assert tokens.source(0, len(tokens.texts)) == "(a b ) '\"' c"


def test_where_a_comment_is_left_open() -> None:
    found = {
        text: comment_left_open(tokenize(text))
        for text in ("a /- b", "a /-- b -/ /-- c", "-- /- a", "/--/ /- -/")
    }
    assert list(found.values()) == [2, 11, None, None]


def test_plain_names() -> None:
    assert is_plain_name("Foo.bar'")
    assert not is_plain_name("foo bar")
    assert not is_plain_name("2-x")
