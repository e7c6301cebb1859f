"""Parts that screens of matches are made of: one subject each, held by a screen and drawn by its widgets."""
