"""Tests of `agentx.wiring`."""
