"""Tests of `agentx.lessons`."""
