"""Tests of `agentx.views`."""
