"""The server in a browser: pages made here, which can be read without a script.

    board, positions   boards as SVG; the moves and positions of stored matches
    tables             wins, draws, losses and payoffs of the bots of a ladder
    sessions           cookies of browsers, and the tokens of forms
    rendering          templates, the stylesheet, errors as pages
    reading            pages for everybody
    live               events: games as they come in, move by move
    forms              signing in, keys, submissions: all that changes something
    owning             the same for owners: ladders, accounts, invitations

Everything that people and bots wrote is escaped by the templates; nothing is loaded from elsewhere, and no script or
style stands in a page.
"""
