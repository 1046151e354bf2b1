"""The views of a memory: imported when one of them is to be asked or brought up to date."""
