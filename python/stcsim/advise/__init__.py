"""`stcsim advise`: what makes a training step faster, whatever kind of change it is."""
