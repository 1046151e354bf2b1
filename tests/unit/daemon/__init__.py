"""Tests of `agentx.daemon`."""
