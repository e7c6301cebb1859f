BEGIN TRANSACTION;
CREATE TABLE arena_schema (
    version INTEGER NOT NULL
);
INSERT INTO "arena_schema" VALUES(1);
CREATE TABLE games (
    id INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (label)
);
INSERT INTO "games" VALUES(1,'connect_four(rows=6, columns=7, k=4)');
CREATE TABLE lineages (
    child INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    PRIMARY KEY (child, parent),
    FOREIGN KEY(child) REFERENCES players (id),
    FOREIGN KEY(parent) REFERENCES players (id)
)
 WITHOUT ROWID

;
INSERT INTO "lineages" VALUES(2,1);
CREATE TABLE matches (
    id INTEGER NOT NULL,
    run INTEGER NOT NULL,
    number BIGINT NOT NULL,
    game INTEGER NOT NULL,
    seed BIGINT NOT NULL,
    opening INTEGER NOT NULL,
    length INTEGER NOT NULL,
    moves BLOB NOT NULL,
    reason TEXT NOT NULL,
    offender SMALLINT,
    detail TEXT NOT NULL,
    added DOUBLE NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT matches_once_a_run UNIQUE (run, number),
    FOREIGN KEY(run) REFERENCES runs (id),
    FOREIGN KEY(game) REFERENCES games (id)
);
INSERT INTO "matches" VALUES(1,1,0,1,0,4,20,X'010603060300020403030606020302040104010201','finished',NULL,'',1795281069.0);
INSERT INTO "matches" VALUES(2,1,1,1,1,4,20,X'010104060606000200030603030503060100030006','finished',NULL,'',1795281069.0);
INSERT INTO "matches" VALUES(3,1,2,1,2,4,20,X'010606000000020601050605060202040104000405','finished',NULL,'',1795281069.0);
INSERT INTO "matches" VALUES(4,1,3,1,3,4,20,X'010104040102040305040004000603020401010503','finished',NULL,'',1795281069.0);
CREATE TABLE players (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
);
INSERT INTO "players" VALUES(1,'ada');
INSERT INTO "players" VALUES(2,'bob');
CREATE TABLE ratings (
    id INTEGER NOT NULL,
    run INTEGER NOT NULL,
    game INTEGER NOT NULL,
    player INTEGER NOT NULL,
    elo DOUBLE NOT NULL,
    low DOUBLE NOT NULL,
    high DOUBLE NOT NULL,
    games BIGINT NOT NULL,
    rated DOUBLE NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(run) REFERENCES runs (id),
    FOREIGN KEY(game) REFERENCES games (id),
    FOREIGN KEY(player) REFERENCES players (id)
);
INSERT INTO "ratings" VALUES(1,1,1,1,10.0,-5.0,25.0,4,1.0);
CREATE TABLE runs (
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    "key" TEXT NOT NULL,
    game TEXT,
    config JSON NOT NULL,
    players JSON NOT NULL,
    started DOUBLE NOT NULL,
    finished DOUBLE,
    PRIMARY KEY (id),
    UNIQUE ("key")
);
INSERT INTO "runs" VALUES(1,'tournament','key','connect_four(rows=6, columns=7, k=4)','{"games": 4}','["ada", "bob"]',1795281069.0,1795281069.0);
CREATE TABLE seats (
    "match" INTEGER NOT NULL,
    seat SMALLINT NOT NULL,
    player INTEGER NOT NULL,
    earned DOUBLE NOT NULL,
    result SMALLINT NOT NULL,
    PRIMARY KEY ("match", seat),
    FOREIGN KEY("match") REFERENCES matches (id),
    FOREIGN KEY(player) REFERENCES players (id)
)
 WITHOUT ROWID

;
INSERT INTO "seats" VALUES(1,0,1,1.0,1);
INSERT INTO "seats" VALUES(1,1,2,-1.0,-1);
INSERT INTO "seats" VALUES(2,0,2,0.0,0);
INSERT INTO "seats" VALUES(2,1,1,0.0,0);
INSERT INTO "seats" VALUES(3,0,1,1.0,1);
INSERT INTO "seats" VALUES(3,1,2,-1.0,-1);
INSERT INTO "seats" VALUES(4,0,2,-1.0,-1);
INSERT INTO "seats" VALUES(4,1,1,1.0,1);
CREATE TABLE totals (
    game INTEGER NOT NULL,
    player INTEGER NOT NULL,
    wins BIGINT DEFAULT '0' NOT NULL,
    draws BIGINT DEFAULT '0' NOT NULL,
    losses BIGINT DEFAULT '0' NOT NULL,
    elo DOUBLE,
    low DOUBLE,
    high DOUBLE,
    rated DOUBLE,
    PRIMARY KEY (game, player),
    FOREIGN KEY(game) REFERENCES games (id),
    FOREIGN KEY(player) REFERENCES players (id)
)
 WITHOUT ROWID

;
INSERT INTO "totals" VALUES(1,1,3,1,0,10.0,-5.0,25.0,1.0);
INSERT INTO "totals" VALUES(1,2,0,1,3,NULL,NULL,NULL,NULL);
CREATE INDEX lineages_by_parent ON lineages (parent);
CREATE INDEX matches_by_game ON matches (game, id);
CREATE INDEX totals_by_elo ON totals (game, elo);
CREATE INDEX ratings_over_time ON ratings (player, game, rated);
CREATE INDEX seats_by_player ON seats (player, "match", result);
COMMIT;
