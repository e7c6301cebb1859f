"""The server of ladders: who may play, which games are next, and what came of them; imported where it is asked for.

A ladder is a game under rules, an endless run of `arena.store`: its players, matches and results are those of a
tournament, so that `arena ladder`, `arena rate` and `arena replay` read a server's store. What the server adds
(accounts, bots, jobs) are tables beside those in the same database, and whatever belongs together is one transaction.

**One idea carries the rest: a ladder is a function of its seed and of when its bots came.** Job number n is a table
of bots, an opening and a seed. It is drawn from the ratings after the jobs below n - AHEAD, which are counted in
order of their numbers, not of their arrival. Workers may be many, slow, or killed, and the server as well: the same
games follow.

    schema, migrations   the tables, and Alembic's steps from older ones
    database             the store with those tables, and the one writer: operations that come together share a commit
    refusals             what is refused, with the status that HTTP has for it
    accounts, own_data   accounts, roles, keys, invitations; what a person may take away or have deleted
    ladders, bots        the rules of a ladder; bots, their versions, and their way in: a qualification
    submissions          a bot enters, from a program or a browser
    bundles, building    a bot as a file: packing and checking, on both sides; making its program, at the worker
    matchmaking          pure functions: who meets whom, ratings after a game
    jobs                 jobs leased, renewed, reported
    counting             results put into ratings, and the next jobs planned
    history              what a bot was rated after so many games
    verification         results played again by another worker: forged ones, unsteady bots; residuals of workers
    live_games           games of people, move by move; challenges, by which they begin
    live_player, live_bot   the other side of those: at a person's screen, and at a worker
    audit                the log of who did what
    models               what goes over the wire, typed
    app, api, live_api   the HTTP side: doors (hosts, keys, rates), then the routes of /api/v1
    pages                the same for people: HTML, forms, events
    serving              uvicorn, draining, and the demonstration
    client               the other side: requests of `arena submit` and of workers
    worker, worker_team  takes jobs, has them played, reports; several of them in one program
    job_games            plays a job by the runner of tournaments, here or in another process
    backup               copies of database and bundles while the server runs, and back
"""
