/-! # Ledgers and votes -/

namespace Own

/-- A transfer moves an amount, in cents, from the account of a payer to that of a payee. -/
structure Transfer where
  payer : Nat
  payee : Nat
  cents : Nat

/-- The balance of an account is what it has received minus what it has paid. -/
def balance (account : Nat) : List Transfer → Int
  | [] => 0
  | t :: rest =>
    balance account rest + (if t.payee = account then (t.cents : Int) else 0)
      - (if t.payer = account then (t.cents : Int) else 0)

/-- Money is conserved: a transfer between two accounts does not change the sum of their balances. -/
theorem conserved (t : Transfer) (l : List Transfer) (h : t.payer ≠ t.payee) :
    balance t.payer (t :: l) + balance t.payee (t :: l) = balance t.payer l + balance t.payee l := by
  simp [balance, h, h.symm]
  omega

/-- Adding up two ledgers: the balance of `l ++ k` is the balance of `l` plus the balance of `k`. -/
theorem balance_append (account : Nat) (l k : List Transfer) :
    balance account (l ++ k) = balance account l + balance account k := by
  induction l with
  | nil => simp [balance]
  | cons t rest ih =>
    simp only [List.cons_append, balance, ih]
    omega

/-- The number of voters who put a candidate first. -/
def firstVotes (candidate : Nat) : List (List Nat) → Nat
  | [] => 0
  | ballot :: rest => (if ballot.head? = some candidate then 1 else 0) + firstVotes candidate rest

/-- A candidate wins by majority if more than half of the ballots name them first. -/
def HasMajority (candidate : Nat) (ballots : List (List Nat)) : Prop :=
  ballots.length < 2 * firstVotes candidate ballots

theorem firstVotes_add_le {a b : Nat} (h : a ≠ b) (ballots : List (List Nat)) :
    firstVotes a ballots + firstVotes b ballots ≤ ballots.length := by
  induction ballots with
  | nil => simp [firstVotes]
  | cons ballot rest ih =>
    simp only [firstVotes, List.length_cons]
    by_cases ha : ballot.head? = some a
    · have hb : ballot.head? ≠ some b := by
        rw [ha]
        intro e
        exact h (Option.some.inj e)
      rw [if_pos ha, if_neg hb]
      omega
    · rw [if_neg ha]
      split <;> omega

/-- At most one candidate can win an election by majority. -/
theorem winner_unique {a b : Nat} {ballots : List (List Nat)} (ha : HasMajority a ballots)
    (hb : HasMajority b ballots) : a = b := by
  by_cases h : a = b
  · exact h
  · have := firstVotes_add_le h ballots
    simp only [HasMajority] at ha hb
    omega

end Own
