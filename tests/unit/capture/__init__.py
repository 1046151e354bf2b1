"""Tests of `agentx.capture`."""
