"""Work in processes of this machine or on a Ray cluster, which a killed process or node does not end."""
