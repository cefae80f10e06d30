"""MATcH (Li et al., 2022; thesis chapters 3 to 7): which proof belongs to which statement."""
