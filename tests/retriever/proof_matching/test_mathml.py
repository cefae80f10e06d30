from xml.etree.ElementTree import Element, fromstring, tostring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.proof_matching.readers.mathml import linearise
from retriever.proof_matching.tokens import encode
from tests.retriever.proof_matching.matching import check_tokens


def line(markup: str) -> str:
    return encode(linearise(fromstring(f"<math>{markup}</math>")).tokens)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param(
            "<mi>a</mi><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mi>b</mi><mi>x</mi>",
            "$i:a $i:x $n:2 $o:+ $i:b $i:x",
            id="leaves come depth first",
        ),
        pytest.param(
            '<mi>R</mi><mi mathvariant="double-struck">R</mi><mi>ℝ</mi><mi mathvariant="bold">R</mi><mi>𝓡</mi>'
            '<mi mathvariant="normal">R</mi><mi mathvariant="italic">R</mi><mi mathvariant="normal">Hom</mi>'
            '<mi mathvariant="italic">Hom</mi><mi mathvariant="wavy">R</mi>',
            "$i:R $idouble-struck:R $idouble-struck:R $ibold:R $ibold-script:R $inormal:R $i:R $i:Hom"
            " $iitalic:Hom $i:R",
            id="fonts are kept apart",
        ),
        pytest.param(
            '<mstyle mathvariant="bold"><mi>x</mi><mrow><mi mathvariant="fraktur">g</mi></mrow></mstyle><mi>x</mi>',
            "$ibold:x $ifraktur:g $i:x",
            id="a style holds for what is in it",
        ),
        pytest.param(
            '<mfenced open="["><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>',
            "$o:[ $i:a $o:, $i:b $o:, $i:c $o:)",
            id="brackets of mfenced are shown",
        ),
        pytest.param(
            '<mfenced separators=";,"><mi>a</mi><mi>b</mi><mi>c</mi><mi>d</mi></mfenced>',
            "$o:( $i:a $o:; $i:b $o:, $i:c $o:, $i:d $o:)",
            id="the last separator goes on",
        ),
        pytest.param(
            "<mi>f</mi><mo>\u2061</mo><mspace/><mtext>\u00a0</mtext><mo>\u2062</mo><mi>x</mi>",
            "$i:f $i:x",
            id="what is not seen is no symbol",
        ),
        pytest.param(
            "<mtext> for all </mtext><mi>x</mi><mtext>Mod</mtext><mtext>and</mtext>",
            "for all $i:x $i:Mod and",
            id="text in a formula is words or a name",
        ),
    ],
)
def test_markup_becomes_tokens(markup: str, expected: str) -> None:
    assert line(markup) == expected


def test_prefixes_and_namespaces_do_not_matter() -> None:
    for markup in (
        '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi>x</m:mi></m:math>',
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>',
    ):
        assert encode(linearise(fromstring(markup)).tokens) == "$i:x"


def test_of_parallel_markup_the_presentation_is_taken() -> None:
    content = "<annotation-xml encoding='MathML-Content'><apply><plus/><ci>y</ci></apply></annotation-xml>"
    formula = linearise(
        fromstring(
            f"<math><semantics><mrow><mi>x</mi></mrow>{content}<annotation>x_1</annotation></semantics></math>"
        )
    )
    assert (encode(formula.tokens), formula.annotations, formula.lost) == ("$i:x", 1, 0)


def test_presentation_beside_content_is_found() -> None:
    formula = linearise(
        fromstring(
            "<math><semantics><apply><ci>y</ci></apply><annotation-xml encoding='MathML-Presentation'>"
            "<mi>z</mi><mo>=</mo></annotation-xml></semantics></math>"
        )
    )
    assert (encode(formula.tokens), formula.lost) == ("$i:z $o:=", 0)


@pytest.mark.parametrize("wrap", ["{}", "<semantics>{}</semantics>", "<mrow>{}<mi>k</mi></mrow>"])
def test_content_alone_is_lost_and_counted(wrap: str) -> None:
    formula = linearise(fromstring(f"<math>{wrap.format('<apply><plus/><ci>y</ci></apply>')}</math>"))
    assert formula.lost == 1
    assert "y" not in [token.text for token in formula.tokens]


def test_one_as_deep_as_you_like_is_read() -> None:
    deep = Element("math")
    inner = deep
    for _ in range(20_000):
        child = Element("mrow")
        inner.append(child)
        inner = child
    leaf = Element("mi")
    leaf.text = "x"
    inner.append(leaf)
    assert encode(linearise(deep).tokens) == "$i:x"


_TEXT = st.text(st.sampled_from("abxΓαℝ𝐱12.+=<&-−⊗ \n$:'"), max_size=4)
_LEAF = st.tuples(
    st.sampled_from(["mi", "mo", "mn", "mtext", "mspace", "none", "ci"]),
    _TEXT,
    st.sampled_from([None, "bold", "double-struck", "normal", "italic", "script", "nonsense"]),
)


def _leaf(drawn: tuple[str, str, str | None]) -> Element:
    name, text, font = drawn
    element = Element(name, {} if font is None else {"mathvariant": font})
    element.text = text
    return element


def _branch(drawn: tuple[str, list[Element], str]) -> Element:
    name, children, tail = drawn
    element = Element(name)
    for child in children:
        child.tail = tail
        element.append(child)
    return element


_NAMES = st.sampled_from(
    ["math", "mrow", "msub", "mfenced", "semantics", "annotation-xml", "mstyle", "apply", "junk"]
)
_TREES = st.recursive(
    _LEAF.map(_leaf),
    lambda inner: st.tuples(_NAMES, st.lists(inner, max_size=4), _TEXT).map(_branch),
    max_leaves=25,
)


@given(_TREES)
def test_every_tree_gives_sane_tokens(tree: Element) -> None:
    check_tokens(tuple(linearise(tree).tokens))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["mi", "mo", "mn"]),
            st.sampled_from(["a", "Hom", "12", "+", "→"]),
            st.sampled_from(["", "bold", "sans-serif"]),
        ),
        max_size=12,
    ),
    st.randoms(),
)
def test_the_order_of_leaves_is_kept_however_they_are_grouped(
    leaves: list[tuple[str, str, str]], random
) -> None:  # type: ignore[no-untyped-def]
    made = [_leaf((name, text, font or None)) for name, text, font in leaves]
    expected = [(text, font) for _, text, font in leaves]
    while len(made) > 1:
        start = random.randrange(len(made))
        count = random.randint(1, 3)
        made[start : start + count] = [
            _branch((random.choice(["mrow", "msup", "mfrac", "mtd"]), made[start : start + count], ""))
        ]
        if random.random() < 0.2:
            break
    tree = _branch(("math", made, ""))
    assert [(token.text, token.font) for token in linearise(fromstring(tostring(tree))).tokens] == expected
