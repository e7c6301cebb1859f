"""Self-play games that workers play for a learner elsewhere."""
