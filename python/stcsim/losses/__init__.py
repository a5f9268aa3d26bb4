"""How losses of dense trainings fall, by public runs: the rest of a run, chance between seeds, longer runs."""
