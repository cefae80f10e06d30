"""Which regular expressions take more than linear time: an automaton finds candidates, counted steps decide."""
