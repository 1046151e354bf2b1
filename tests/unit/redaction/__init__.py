"""Tests of `agentx.redaction`."""
