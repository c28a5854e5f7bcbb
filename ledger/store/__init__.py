"""Stores behind one port: where events are kept."""
