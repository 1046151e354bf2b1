"""Finds text by what it means. Needs the extra `vectors`; nothing here is imported without it.

port            what an encoder is, and what comes back: no heavy import
model_files     which files make a model, in a folder or in a wheel: no heavy import
chunks          long texts in overlapping parts
minilm          words to vectors, through `bert` (numpy) or `onnx` (onnxruntime)
table           the rows in memory: filters, who is alive
segments        the rows on disk, in files that never change
nearest         exact while small, a graph beyond
index           all of it together
"""
