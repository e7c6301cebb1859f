"""The mathematics of results: ratings, tests and measures of cycles. Arrays in, numbers and intervals out."""
