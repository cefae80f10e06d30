"""What LaTeX's commands in formulas stand for, as Presentation MathML writes it."""

from __future__ import annotations

from html.entities import html5
from types import MappingProxyType


def listed(text: str) -> frozenset[str]:
    """The words of a list that has only white space between them."""
    return frozenset(text.split())


_GREEK = listed(
    """alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon
    chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar aleph beth"""
)
_GREEK_FORMS = {
    "epsilon": "ϵ",
    "varepsilon": "ε",
    "phi": "ϕ",
    "varphi": "φ",
    "vartheta": "ϑ",
    "varpi": "ϖ",
    "varrho": "ϱ",
    "varsigma": "ς",
    "varkappa": "ϰ",
}
BOARD = frozenset("ACFHNPQRZ")
"""Commands of one letter that authors define for double-struck letters."""
IDENTIFIERS = MappingProxyType(
    {name: html5[f"{name};"] for name in _GREEK}
    | _GREEK_FORMS
    | {"infty": "∞", "emptyset": "∅", "varnothing": "∅", "imath": "ı", "jmath": "ȷ", "wp": "℘"}
)
"""Letters and constants, by command."""

_SIGNS = listed(
    """in ni notin subset supset subseteq supseteq sqsubseteq sqsupseteq cup cap setminus times div pm mp
    oplus ominus otimes odot bigoplus bigotimes bigcup bigcap bigvee bigwedge sqcup sqcap wedge vee sum
    prod coprod int oint leq geq ll gg equiv sim simeq cong approx propto perp parallel mapsto forall
    nexists nabla rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow longrightarrow
    longleftarrow longleftrightarrow Longrightarrow Longleftarrow Longleftrightarrow uparrow downarrow
    rightleftarrows leftrightarrows hookrightarrow hookleftarrow rightharpoonup rightharpoondown
    twoheadrightarrow rightsquigarrow bullet diamond triangle lfloor rfloor lceil rceil models vdash
    dashv top natural sharp flat amalg boxtimes ltimes rtimes prec succ preceq succeq angle mid nmid
    lneq gneq triangleleft triangleright"""
)
_FURTHER_SIGNS = r"""
    to → exists ∃ partial ∂ backslash \ circ ∘ star ⋆ asymp ≍ gets ← longmapsto ⟼ leadsto ⇝ xrightarrow →
    xleftarrow ← implies ⟹ iff ⟺ le ≤ ge ≥ ne ≠ neq ≠ land ∧ lor ∨ lnot ¬ neg ¬ not ¬ cdot ⋅ ast * prime '
    colon : langle ⟨ rangle ⟩ lbrace { rbrace } lbrack [ rbrack ] vert | lvert | rvert | Vert ‖ lVert ‖ rVert ‖
    bot ⊥ surd √ dagger † square □ Box □ sslash ⫽ smallsetminus ∖ subsetneq ⊊ supsetneq ⊋ subsetneqq ⫋ ldots …
    dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ bmod mod pmod mod overline ¯ bar ¯ underline _ widehat ^
    hat ^ widetilde ~ tilde ~ check ˇ breve ˘ acute ´ grave ` dot ˙ ddot ¨ mathring ˚ vec → overrightarrow →
    overleftarrow ← underbrace ⏟ overbrace ⏞
"""
"""Commands, each with its sign."""
OPERATORS = MappingProxyType(
    {name: html5[f"{name};"] for name in _SIGNS}
    | dict(zip(_FURTHER_SIGNS.split()[::2], _FURTHER_SIGNS.split()[1::2], strict=True))
)
"""Signs by command. An accent comes before its letter, as in the source; in MathML it comes after it."""

_COMMANDS_OF = {
    "normal": "mathrm mathup rm textrm textnormal operatorname",
    "bold": "mathbf bf textbf",
    "italic": "mathit it em emph textit",
    "bold-italic": "boldsymbol bm pmb",
    "double-struck": "mathbb mathds Bbb",
    "script": "mathcal mathscr cal",
    "fraktur": "mathfrak frak",
    "sans-serif": "mathsf sf textsf",
    "monospace": "mathtt tt texttt",
    "": "mathop",
}
FONTS_OF = MappingProxyType(
    {command: font for font, commands in _COMMANDS_OF.items() for command in commands.split()}
)
"""Fonts by the command that selects them."""
SWITCHES = listed("rm bf it em cal frak sf tt")
"""Those that hold to the end of their group."""
NAMES = listed(
    """mathrm mathup textrm textnormal mathbf textbf mathit textit emph mathsf textsf mathtt texttt
    operatorname rm"""
)
"""Those whose letters are one name: `\\mathrm{Hom}`."""
PROSE = listed("text mbox hbox textup intertext shortintertext")
"""Commands of a formula whose argument is text."""
LEFT_OUT = listed(
    """label ref eqref autoref cref Cref nameref vref pageref cite citep citet tag hspace vspace hskip
    vskip phantom hphantom vphantom color url includegraphics rule"""
)
"""Commands that are removed with their argument: references would reveal which proof belongs to which statement."""
SILENT = listed(
    """left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr Biggl Biggr limits
    nolimits displaystyle textstyle scriptstyle scriptscriptstyle quad qquad frac dfrac tfrac cfrac sqrt
    binom choose atop over xymatrix vcenter hole nonumber notag mathbin mathrel mathord mathopen
    mathclose mathpunct overset underset stackrel substack ensuremath mathstrut strut allowbreak
    linebreak noindent medskip smallskip bigskip par hfill item displaylimits mathchoice romannumeral cr
    hline kern mkern mskip protect relax boxed fbox cancel smash lefteqn begingroup endgroup bgroup
    egroup"""
)
"""Commands of which nothing is seen but their arguments."""
