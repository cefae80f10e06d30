"""A table from words that people use to the words in Mathlib's names.

In each line, the left column has the spellings in names, separated by commas, and the right column the words of
queries. A spelling of several words matches names that contain all of them. A query for one of the spellings also
finds the others. Queries are compared by stem (`squared` is `square`), so forms with the same stem (`continuity`
for `continuous`) need no line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_SIGNS_AND_ORDER = """
nonneg                          | nonnegative, non negative, not negative, at least zero
pos                             | positive, strictly positive, greater than zero
nonpos                          | nonpositive, non positive, not positive, at most zero
neg                             | negative, negation, minus, opposite, less than zero
ne zero, nonzero                | nonzero, non zero, not zero, nonvanishing
ne                              | not equal, unequal, differs, different, distinct
eq                              | equal, equals, equality, is equal to, same as
le                              | less or equal, less than or equal, less equal, at most
le                              | not more, bounded above by, inequality
lt                              | less, less than, smaller, smaller than, strict inequality
le                              | at least, greater or equal, greater than or equal, not less
lt                              | greater, greater than, larger, larger than, more than, bigger
mono, monotone                  | monotone, monotonic, increasing, nondecreasing, order preserving
strict mono                     | strictly monotone, strictly increasing
anti, antitone                  | antitone, decreasing, nonincreasing, order reversing
strict anti                     | strictly antitone, strictly decreasing
sup                             | supremum, least upper bound, join
inf                             | infimum, greatest lower bound, meet
sup, i sup, s sup, csupr        | supremum, suprema
inf, i inf, s inf               | infimum, infima
max                             | maximum, greatest, largest, maximal
min                             | minimum, least, smallest, minimal
bdd above                       | bounded above, upper bound
bdd below                       | bounded below, lower bound
bdd, bounded                    | bounded, bound
refl, rfl                       | reflexive, reflexivity
symm                            | symmetric, symmetry
trans                           | transitive, transitivity
antisymm                        | antisymmetric, antisymmetry
lt irrefl, irrefl               | irreflexive, irreflexivity
total, trichotomy                | comparable, linear order
wf, well founded                | well founded, well ordered
archimedean, exists nat gt      | archimedean
"""

_ARITHMETIC = """
add                             | plus, addition, added, adding, adds, additive
sum, tsum                       | summation, series, sum, added up, summing
sub                             | subtract, subtraction, minus, difference, subtracting
mul                             | times, multiply, multiplication, multiplied, multiplicative, multiplying
prod, tprod                     | product, products, infinite product
mul                             | product
add                             | sum
div                             | divide, divided, division, quotient, fraction
smul                            | scalar, scaling, scalar multiplication
inv                             | inverse, reciprocal, invert, inverses
sq, pow two, mul self, square   | square, squared
pow three, cube                 | cube, cubed, third power
pow                             | power, exponent, raised, to the power
pow, zpow, rpow, cpow           | powers, power
rpow                            | real power
succ, add one                   | successor, plus one
pred, sub one                   | predecessor, minus one
two mul, mul two, bit zero      | double, twice
half, div two                   | half, halves
abs                             | absolute, absolute value, modulus
norm, nnnorm                    | magnitude
sqrt                            | square root, root
gcd                             | greatest common divisor, highest common factor, greatest divisor
lcm                             | least common multiple
dvd                             | divides, divisible, divisor, divisibility, divide, multiple, multiple of
prime                           | prime, primality, primes
infinite primes                 | infinitely many primes, infinitude of primes
coprime                         | coprime, relatively prime, no common factor, mutually prime
mod, emod, modeq                | modulo, remainder, congruent, residue, congruence
even                            | even, parity
odd                             | odd, parity
factorial                       | factorials
choose                          | binomial coefficient, binomial, combinations, n choose k
digits                          | digit, decimal
floor                           | round down, rounding down, integer part
ceil                            | ceiling, round up
fract                           | fractional, fractional part
comm                            | symmetric, commutative, commutes, commutativity
comm                            | commuting, commute, swap order
assoc                           | associative, associativity, associates, regroup
distrib, mul add, add mul       | distributive, distributes, distributivity, distribute
cancel                          | cancellation, cancellative, cancels
zero                            | 0, null, nought
one                             | 1, identity, unit
two                             | 2
three                           | 3
four                            | 4
nat                             | natural, natural number, naturals, ℕ
int                             | integer, integers, ℤ
rat                             | rational, rationals, ℚ
real                            | reals, ℝ
complex                         | ℂ
nn real, nnreal                 | nonnegative real
enn real, ennreal               | extended nonnegative real
cast, coe                       | coercion, cast, casting, embedding of
infinite                        | infinitely, infinitely many, infinity
finite, fintype                 | finitely many, finite
top, infty                      | infinity, ∞
"""

_LOGIC_SETS_FUNCTIONS = """
iff                             | if and only if, equivalent, equivalence, characterization
not                             | negation, negate
and                             | conjunction
or                              | disjunction
imp                             | implies, implication
exists                          | exist, existence, there is, there exists
forall                          | every, for every, for all
unique, exists unique           | unique, uniqueness, exactly one, at most one
ext                             | extensionality, extensional
em, decidable                   | excluded middle
inj, injective                  | injective, injectivity, injection, one to one, monomorphism
surj, surjective                | surjective, surjectivity, surjection, onto
bij, bijective                  | bijective, bijection, bijectivity, one to one correspondence
comp                            | composition, compose, composed, composite, composing
id                              | identity, identity function, identity map
const                           | constant
map, image                      | mapping, map, image
map                             | preserves, preserve, preserving
apply                           | applied, evaluated, application
symm, inv                       | inverse
left inverse, right inverse     | one sided inverse
card, ncard                     | cardinality, cardinal, size, number of elements, count, how many
card, encard                    | cardinality
mem                             | membership, member, element, belongs, contains
not mem, notmem                 | not in, nonmember
subset                          | subset, contained, included, inclusion, subsets, containment
ssubset                         | proper subset, strict subset
union, i union, s union         | union, unions
inter, i inter, s inter         | intersection, intersections, intersect, meet
compl                           | complement, complements
diff, sdiff                     | set difference, difference
symm diff                       | symmetric difference
empty                           | empty, empty set, void
nonempty                        | nonempty, non empty, not empty, inhabited
powerset                        | power set, set of subsets
preimage                        | preimage, inverse image, pullback
image                           | direct image
prod                            | cartesian product, product
pi                              | pi type, dependent product
disjoint                        | disjoint, disjointness
singleton                       | one element set
pair                            | ordered pair, pairs
insert                          | adding an element
countable                       | denumerable
not countable, uncountable      | uncountable, uncountability
equiv                           | equivalence, bijection
rel                             | relation
length                          | list length
append                          | concatenation, concatenate
reverse                         | reversed, reversal
"""

_ANALYSIS = """
deriv, fderiv, has deriv, has fderiv            | derivative, derivatives, derive, slope, rate of change
deriv, has deriv, differentiable                | differentiate, differentiation, differentiating
fderiv                                          | frechet derivative, total derivative
differentiable                                  | differentiable, differentiability
cont diff                                       | smooth, continuously differentiable
continuous                                      | continuity
tendsto                         | limit, converges, convergent, convergence
tendsto                         | tends, approaches, goes to
cauchy seq                                      | cauchy sequence
nhds                                            | neighborhood, neighbourhood, near
at top                                          | to infinity, eventually large
integral, lintegral, interval integral          | integral, integrals
integral, integrable                            | integrate, integration
integrable                                      | integrable, integrability
measure                                         | measures
measurable                                      | measurability
ae                                              | almost everywhere, almost surely, almost every, almost all
sin                                             | sine
cos                                             | cosine
tan                                             | tangent
arcsin                                          | inverse sine, arcsine
arccos                                          | inverse cosine, arccosine
arctan                                          | inverse tangent, arctangent
sinh                                            | hyperbolic sine
cosh                                            | hyperbolic cosine
exp                                             | exponential
log                                             | logarithm, logarithms, ln, natural logarithm
dist                                            | distance
edist                                           | extended distance
is open, open                                   | open set
is closed, closed                               | closed set
is compact, compact                             | compactness
is connected, connected, preconnected           | connectedness
t2, t2 space                                    | hausdorff
closure                                         | closures
interior                                        | interiors
frontier                                        | boundary
convex on                                       | convex function
concave on                                      | concave function
summable                                        | convergent series, summability
bdd                                             | boundedness
is max on, is local max                         | attains maximum, maximum value
is min on, is local min                         | attains minimum, minimum value
expectation, integral                           | expected value, expectation
indep                                           | independent, independence
prob                                            | probability
"""

_ALGEBRA = """
hom                             | homomorphism, morphism, homomorphisms
iso, equiv                      | isomorphism, isomorphic
ker                             | kernel, nullspace, null space
range                           | image, range
quotient                        | quotients, factor group, factor ring
normal                          | normal subgroup
order of, card                  | order, order of an element, order of a group
index                           | index of a subgroup
conj                            | conjugate, conjugation, conjugates
unit, is unit                   | invertible, units
irreducible                     | irreducibility
degree, nat degree              | degree, degrees
deg                             | degree
eval                            | evaluation, evaluate, evaluating
aeval                           | polynomial evaluation
coeff                           | coefficient, coefficients
leading coeff                   | leading coefficient
roots, root, is root            | zeros, zeroes, root, roots
monic                           | monic polynomial
char p                          | characteristic
discrim                         | discriminant
det                             | determinant, determinants
transpose                       | transposed
adjugate                        | adjoint matrix
charpoly                        | characteristic polynomial
minpoly                         | minimal polynomial
rank, finrank                   | dimension, dim, rank
has eigenvalue, eigenvalue      | eigenvalues
eigenspace, has eigenvector     | eigenvector, eigenvectors
lin indep, linear independent   | linearly independent, linear independence
span                            | spanned, linear span, generated
basis                           | bases
inner                           | inner product, scalar product, dot product
orthogonal                      | perpendicular, orthogonality
noetherian                      | ascending chain condition
perm                            | permutation, permutations
sign                            | signature
lim, limit                      | limits
colim, colimit                  | colimits
mono                            | monomorphism, monic morphism
epi                             | epimorphism
"""

_THEOREMS = """
exists infinite primes, infinite set of prime       | euclid, infinitely many primes, primes are infinite
norm add sq, norm sub sq, inner eq zero             | pythagoras, pythagorean
inner le norm, inner mul le norm mul norm, inner mul inner self le| cauchy schwarz
inner le norm, inner mul le norm mul norm, inner mul inner self le| cauchy bunyakovsky schwarz
dist triangle, norm add le, abs add, triangle       | triangle inequality
norm sub norm le, abs sub abs le                    | reverse triangle inequality
integral deriv eq sub, integral eq sub of has deriv at | fundamental calculus
deriv integral, integral has deriv at               | fundamental calculus
integral mul deriv eq deriv mul                     | integration by parts, integrate by parts
integral comp mul deriv, image change of variables  | integration by substitution, change of variables
exists deriv eq slope, exists has deriv at eq slope | mean value, lagrange mean value
exists deriv eq zero, exists has deriv at eq zero   | rolle
intermediate value                                  | bolzano, ivt
exists is max on, exists is min on                  | extreme value, weierstrass extreme value
deriv comp, has deriv at comp, deriv scomp          | chain rule
deriv mul, has deriv at mul, fderiv mul             | product rule, leibniz rule
deriv div, has deriv at div                         | quotient rule
deriv pow                                           | power rule
lhopital                                            | hospital, l hospital, l hopital, hopital
tendsto of tendsto of tendsto of le of le           | squeeze, sandwich, pinching
uniform continuous of continuous                    | heine cantor
is compact iff is closed bounded                    | heine borel
tendsto subseq                                      | bolzano weierstrass
tendsto integral of dominated convergence           | dominated convergence, lebesgue dominated convergence
lintegral supr, lintegral i sup                     | monotone convergence, beppo levi
lintegral liminf le                                 | fatou
lintegral prod, integral prod                       | fubini, tonelli
inner le lp mul lq, lintegral mul le lp mul lq      | holder inequality, hoelder
lp add le                                           | minkowski inequality
geom mean le arith mean         | am gm, arithmetic mean geometric mean
geom mean le arith mean         | arithmetic geometric mean
map sum le, convex on map integral le               | jensen
one add mul le pow                                  | bernoulli inequality
mul meas ge le integral                             | markov inequality
meas ge le variance                                 | chebyshev inequality
exists ne map eq of card lt, exists lt card fiber   | pigeonhole, dirichlet box, pigeon hole
card union add card inter, inclusion exclusion      | inclusion exclusion
compl union, compl inter, not and or, not or        | de morgan, demorgan
add pow                                             | binomial theorem, binomial formula, binomial expansion
geom sum                                            | geometric series, geometric sum
sum range id, gauss sum         | gauss sum, triangular numbers
sum range id, gauss sum         | sum of first, arithmetic series
pow card sub one eq one, zmod pow card              | fermat little
pow totient                                         | euler totient theorem
wilsons, fac sub one                                | wilson
card subgroup dvd card                              | lagrange theorem, lagrange
quotient ker equiv range                            | first isomorphism, isomorphism theorem
finrank range add finrank ker                       | rank nullity
aeval self charpoly                                 | cayley hamilton
chinese remainder, quotient inf equiv               | chinese remainder
prime factors unique, factors unique                | fundamental arithmetic, unique factorization
exists root                                         | fundamental algebra
cantor surjective, cantor injective                 | cantor diagonal, diagonal argument
exists maximal of chains bounded, zorn              | zorn
de moivre, cos add sin mul i pow                    | de moivre, moivre
exp mul i, exp pi mul i                             | euler formula, euler identity
sin sq add cos sq                                   | pythagorean identity
"""

_SECTIONS = (_SIGNS_AND_ORDER, _ARITHMETIC, _LOGIC_SETS_FUNCTIONS, _ANALYSIS, _ALGEBRA, _THEOREMS)

_SMALL = """
a an are as at be between by does each for from has have how i if in into is it its of on s
show shows so such that the their then there these this to under what when where which whose with
"""
_VAGUE = """
all and any arbitrary corollary or
element elements equation every fact formula function functions given group groups implies
inequality itself law lemma lemmas number numbers proof property proposition prove result rule same set sets
some space spaces statement theorem theorems value
"""

SMALL_WORDS = frozenset(_SMALL.split())
"""Words that carry no information about the query. They count less among the words of a name."""

VAGUE_WORDS = frozenset(_VAGUE.split())
"""Words that carry little information about the query."""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of the table."""

    ways: tuple[tuple[str, ...], ...]
    """The spellings in names, each as words."""
    asked: tuple[tuple[str, ...], ...]
    """The phrases in queries, each as words."""


def lines() -> Iterator[TableLine]:
    """The lines of the table."""
    for section in _SECTIONS:
        for line in section.strip().splitlines():
            ways, asked = line.split("|")
            yield TableLine(_phrases(ways), _phrases(asked))


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in text.split(","))
