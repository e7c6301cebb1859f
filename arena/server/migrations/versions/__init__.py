"""One file for each version of the tables of a server."""
