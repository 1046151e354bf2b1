"""Files below a folder: found on a way down, walked, measured."""
