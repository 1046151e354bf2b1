"""Tests of search by meaning."""
