"""What agents want to know of each other: asked, answered, settled, or brought to a person.

The front door. The ledgers are facts; `protocol` says what may happen to a
clarification, `scope` who may ask whom, `monitor` what has gone wrong among them.
"""
