"""Services for screens: background work, processes, stores, and the server for browsers."""
