"""Commands: one file each; options are made from the dataclasses that the Python API takes."""
