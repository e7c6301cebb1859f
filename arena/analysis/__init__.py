"""What agents' moves are worth: one position at a time, and over many that are held fixed."""
