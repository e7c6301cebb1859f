"""Screens in the terminal: watching and playing. The only package that imports textual; knows no game and no agent."""
