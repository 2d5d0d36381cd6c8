"""Indexes that are drawn from a seed, and what is drawn to be asked of them."""
