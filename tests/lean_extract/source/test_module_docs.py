from tests.lean_extract.source.reading import premises

HEADER = """/-! # Sums

The definition of a total is `Total.sum`. It is commutative (`sum_comm`), e.g. over `Nat`.

## Main results
* `Total.sum_comm`: the order of the terms,
  which may be any, does not matter
* `sum_zero`, `missing`: the empty sum
* Nothing is said of `sum: comm`.
```
example : `Total.sum` is code
```
-/
namespace Total
def sum : Nat := 0
theorem sum_comm : p := x
theorem sum_zero : p := x
/-! `unsaid` comes. No more. -/
theorem unsaid : p := x
end Total
"""


def test_items_and_sentences_of_module_docs_are_about_what_they_name() -> None:
    said = {name: premise.module_doc for name, premise in premises(HEADER).items()}
    assert said["Total.sum"] == "The definition of a total is `Total.sum`."
    assert said["Total.sum_comm"] == (
        "It is commutative (`sum_comm`), e.g. over `Nat`.\n"
        "* `Total.sum_comm`: the order of the terms,\n  which may be any, does not matter"
    )
    assert said["Total.sum_zero"] == "* `sum_zero`, `missing`: the empty sum"
    assert said["Total.unsaid"] == "`unsaid` comes."


def test_a_name_that_may_mean_many_is_none_of_them_and_long_docs_are_cut() -> None:
    declared = "".join(f"theorem A{number}.foo : p := x\n" for number in range(9))
    text = (
        f"/-! `foo` is common. `A1.foo` is {'very ' * 9999} long.\n\n"
        + "`A2.foo` is. " * 9999
        + f"-/\n{declared}"
    )
    said = {name: premise.module_doc for name, premise in premises(text).items()}
    assert said["A0.foo"] is None
    assert len(said["A1.foo"] or "") == 2000
    assert said["A2.foo"] == "`A2.foo` is."
