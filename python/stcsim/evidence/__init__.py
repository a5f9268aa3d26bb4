"""What is published, beside what the program simulates: `stcsim evidence`."""
