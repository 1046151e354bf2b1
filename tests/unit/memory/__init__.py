"""Tests of `agentx.memory`."""
