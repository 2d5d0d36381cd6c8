"""Generators by kind of request."""
