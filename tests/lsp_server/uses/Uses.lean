import Uses.Lemmas
