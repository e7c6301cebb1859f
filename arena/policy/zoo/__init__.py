"""The zoo: of each game the best agent known, its levels and, where it was trained, its weights."""
