"""Full text on disk: engine, fields, evidence, generations."""
