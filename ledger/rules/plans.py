"""Plans: one to eight lanes that are confirmed together or not at all."""
