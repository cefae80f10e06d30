/-!
# Signals

Bits, errors of a channel, and words that read the same from both ends.
-/

namespace Own

/-- The Hamming distance of two words of bits: the number of places where they differ. -/
def hamming : List Bool → List Bool → Nat
  | a :: u, b :: v => (if a = b then 0 else 1) + hamming u v
  | _, _ => 0

/-- The distance is symmetric: it takes as many flips from `u` to `v` as back. -/
theorem hamming_swap (u v : List Bool) : hamming u v = hamming v u := by
  induction u generalizing v with
  | nil => cases v <;> rfl
  | cons a u ih =>
    cases v with
    | nil => rfl
    | cons b v =>
      simp only [hamming, ih v]
      by_cases h : a = b
      · simp [h]
      · simp [h, Ne.symm h]

/-- The parity bit of a word is set if and only if the word has an odd number of ones. -/
def parityBit : List Bool → Bool
  | [] => false
  | b :: u => b ^^ parityBit u

/-- A single error is detected: flipping the first bit of a nonempty word flips its parity bit. -/
theorem detects (b : Bool) (u : List Bool) : parityBit ((!b) :: u) = !parityBit (b :: u) := by
  cases b <;> simp [parityBit]

/-- A code corrects `t` errors if any two distinct codewords are more than $2t$ apart. -/
def Corrects (code : List (List Bool)) (t : Nat) : Prop :=
  ∀ u v, u ∈ code → v ∈ code → u ≠ v → 2 * t < hamming u v

/-- Something that can be sent over a noisy channel, as bits, and read back from them. -/
class Sendable (α : Type) where
  encode : α → List Bool
  decode : List Bool → Option α
  decode_encode : ∀ a, decode (encode a) = some a

/-- A pair of bits is sent one after the other. -/
instance pairSendable : Sendable (Bool × Bool) where
  encode p := [p.1, p.2]
  decode
    | [a, b] => some (a, b)
    | _ => none
  decode_encode _ := rfl

/-- Two different messages never have the same encoding. -/
theorem encode_faithful {α : Type} [Sendable α] {a b : α}
    (h : Sendable.encode a = Sendable.encode b) : a = b := by
  have := Sendable.decode_encode a
  rw [h, Sendable.decode_encode] at this
  exact (Option.some.inj this).symm

end Own
