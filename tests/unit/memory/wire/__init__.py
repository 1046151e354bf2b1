"""Tests of `agentx.memory.wire`."""
