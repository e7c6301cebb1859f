"""Workers: each holds one environment, in this process or elsewhere."""
