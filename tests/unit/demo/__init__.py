"""Tests of `agentx.demo`."""
