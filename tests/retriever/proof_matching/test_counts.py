from retriever.proof_matching.build import tables
from retriever.proof_matching.schema import StatementProof, StatementProofs, Token

EXPECTED = """\
| Table 3.2 | articles | pairs |
|---|---|---|
| All | 2 | 3 |
| Pairs an article | | 1.5 |
| Categories | | 2 |
| math.AG | 1 | 2 |
| - | 1 | 1 |
| *lemma* | | 2 |
| *theorem* | | 1 |
| part: train | | 2 |
| part: valid | | 0 |
| part: test | | 1 |

| Table 3.3 | min | max | mean ± SD |
|---|---|---|---|
| **Statements** | | | |
| Text+math | 2 | 4 | 3 ± 1 |
| Text only | 1 | 4 | 2 ± 1 |
| Math only | 0 | 1 | 1 ± 0 |
| Math proportion | 0.0% | 50.0% | 28% ± 21 |
| **Proofs** | | | |
| Text+math | 1 | 1,200 | 401 ± 565 |
| Text only | 0 | 1 | 0 ± 0 |
| Math only | 0 | 1,200 | 400 ± 565 |
| Math proportion | 0.0% | 100.0% | 67% ± 47 |
| Vocabulary: text | | | 2 |
| Vocabulary: math | | | 3 |"""


def test_the_figures_of_both_tables() -> None:
    word, other = Token("x", "word"), Token("y", "word")
    symbol, bold, sign = Token("x", "identifier"), Token("x", "identifier", "bold"), Token("+", "operator")
    pairs = (
        StatementProof("1", (word, symbol), (sign,) * 1200, "lemma", "math.AG", "a", ""),
        StatementProof("2", (word, word, symbol), (bold,), "theorem", "math.AG", "a", ""),
        StatementProof("3", (word,) * 4, (other,), "lemma", "", "b", ""),
    )
    assert tables(StatementProofs(pairs, {"1": "train", "2": "test", "3": "train"})) == EXPECTED
