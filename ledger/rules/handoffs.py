"""Handoffs: work that goes from one agent to another, is put off, or is done on somebody's behalf."""
