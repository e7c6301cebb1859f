"""Self-play games that worker processes, or a cluster, play for a learner in this process."""
