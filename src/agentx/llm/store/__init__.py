"""What the house keeps on disk about models: the ledger, and the folder of an agent CLI."""
