"""Articles of our own, as LaTeXML writes them."""

from pathlib import Path

XHTML = "http://www.w3.org/1999/xhtml"
STATEMENT = (
    "Let {m} be a small wombat that digs, and suppose that every tunnel of it has two ends. Then there is a"
    " tunnel which meets all the others in at most one room."
)
PROOF = (
    "We walk along the tunnel {m} from its first end. Since no room is met twice, the walk ends, and the room"
    " where it ends is the one that we look for. This is the claim."
)
GERMAN = (
    "Sei {m} eine Gruppe und sei die Ordnung von ihr endlich. Dann ist jede Untergruppe, die nicht trivial"
    " ist, auch endlich, und es gilt die Aussage für den Quotienten nach ihr."
)


def symbol(name: str) -> str:
    content = f"<annotation-xml encoding='MathML-Content'><ci>{name}</ci></annotation-xml>"
    return f"<math><semantics><mi>{name}</mi>{content}</semantics></math>"


def statement(text: str = STATEMENT, *, name: str = "x", id_: str = "S1.Thm1", kind: str = "lemma") -> str:
    return (
        f'<div class="ltx_theorem ltx_theorem_{kind}" id="{id_}"><h6 class="ltx_title">Lemma 1.7.</h6>'
        f'<div class="ltx_para"><p>{text.format(m=symbol(name))}</p></div></div>\n'
    )


def proof(text: str = PROOF, *, name: str = "x") -> str:
    return (
        '<div class="ltx_proof"><h6 class="ltx_title">Proof of Lemma 1.7.</h6>'
        f'<p>{text.format(m=symbol(name))} <a class="ltx_ref" href="#S1.Thm1">Lemma 1.7</a></p></div>\n'
    )


def page(*parts: str) -> str:
    body = "".join(parts)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="{XHTML}"><body>\n{body}</body></html>\n'


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
