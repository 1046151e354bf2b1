"""Tests of `agentx.project`."""
