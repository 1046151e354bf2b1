"""Tests of `agentx.operations`."""
