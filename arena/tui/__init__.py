"""Screens in the terminal: watching and playing. The only place that imports textual; knows no game and no agent."""
