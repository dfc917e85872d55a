"""The tables of the store.

Everything in it can be made again from the journal and the archives, so a change of the schema is a new version, and an
older store is rebuilt; nothing is migrated in place.
"""

from __future__ import annotations

SCHEMA_VERSION = 1

TABLES = (
    "entity",
    "relates_to",
    "tally",
    "observation",
    "episode",
    "archive",
    "access",
    "contributed_to",
    "aside",
    "written",
)

SCHEMA = """
DEFINE TABLE meta SCHEMAFULL;
DEFINE FIELD version ON meta TYPE int;
DEFINE FIELD applied ON meta TYPE int;
DEFINE FIELD last ON meta TYPE string;
DEFINE FIELD epoch ON meta TYPE int;
DEFINE FIELD entities ON meta TYPE int;
DEFINE FIELD policy ON meta TYPE object FLEXIBLE;
DEFINE FIELD account ON meta TYPE object FLEXIBLE;
DEFINE FIELD model ON meta TYPE string;

DEFINE TABLE entity SCHEMAFULL;
DEFINE FIELD name ON entity TYPE string;
DEFINE FIELD name_key ON entity TYPE string;
DEFINE FIELD type ON entity TYPE string;
DEFINE FIELD number ON entity TYPE int;
DEFINE FIELD created_at ON entity TYPE datetime;
DEFINE FIELD updated_at ON entity TYPE datetime;
DEFINE FIELD aliases ON entity TYPE array<string>;
DEFINE FIELD alias_keys ON entity TYPE array<string>;
DEFINE FIELD abstract ON entity TYPE string;
DEFINE FIELD overview ON entity TYPE string;
DEFINE FIELD content ON entity TYPE string;
DEFINE FIELD attributes ON entity TYPE object FLEXIBLE;
DEFINE FIELD project ON entity TYPE string;
DEFINE FIELD access_count ON entity TYPE int;
DEFINE FIELD last_access ON entity TYPE option<datetime>;
DEFINE FIELD utility ON entity TYPE float;
DEFINE INDEX entity_name ON entity FIELDS name_key;
DEFINE INDEX entity_number ON entity FIELDS number;
DEFINE INDEX entity_alias ON entity FIELDS alias_keys;

DEFINE TABLE relates_to SCHEMAFULL TYPE RELATION IN entity OUT entity ENFORCED;
DEFINE FIELD type ON relates_to TYPE string;
DEFINE FIELD number ON relates_to TYPE int;
DEFINE FIELD alpha ON relates_to TYPE float;
DEFINE FIELD beta ON relates_to TYPE float;
DEFINE FIELD self_reinforcements ON relates_to TYPE int;
DEFINE FIELD context ON relates_to TYPE string;
DEFINE FIELD description ON relates_to TYPE string;
DEFINE FIELD project ON relates_to TYPE string;
DEFINE FIELD valid_from ON relates_to TYPE option<datetime>;
DEFINE FIELD valid_until ON relates_to TYPE option<datetime>;
DEFINE FIELD last_reinforced ON relates_to TYPE option<datetime>;
DEFINE FIELD last_said ON relates_to TYPE option<datetime>;
DEFINE FIELD last_checked ON relates_to TYPE option<datetime>;
DEFINE FIELD disputed_at ON relates_to TYPE option<datetime>;
DEFINE FIELD superseded_by ON relates_to TYPE option<array<string>>;
DEFINE FIELD origins ON relates_to TYPE int;
DEFINE FIELD mentions ON relates_to TYPE int;
DEFINE FIELD denials ON relates_to TYPE int;
DEFINE FIELD denying_mentions ON relates_to TYPE int;

DEFINE TABLE tally SCHEMAFULL;
DEFINE FIELD relation ON tally TYPE record<relates_to>;
DEFINE FIELD stance ON tally TYPE string;
DEFINE FIELD origin ON tally TYPE string;
DEFINE FIELD number ON tally TYPE int;
DEFINE FIELD class ON tally TYPE string;
DEFINE FIELD counted ON tally TYPE float;
DEFINE FIELD makes ON tally TYPE bool;
DEFINE FIELD mentions ON tally TYPE int;
DEFINE FIELD first_at ON tally TYPE datetime;
DEFINE FIELD last_at ON tally TYPE datetime;

DEFINE TABLE observation SCHEMAFULL;
DEFINE FIELD relation ON observation TYPE record<relates_to>;
DEFINE FIELD stance ON observation TYPE string;
DEFINE FIELD context ON observation TYPE string;
DEFINE FIELD class ON observation TYPE string;
DEFINE FIELD origin ON observation TYPE string;
DEFINE FIELD by ON observation TYPE string;
DEFINE FIELD quote ON observation TYPE string;
DEFINE FIELD archive ON observation TYPE option<int>;
DEFINE FIELD turn ON observation TYPE option<int>;
DEFINE FIELD span ON observation TYPE option<array<int>>;
DEFINE FIELD occurred_at ON observation TYPE datetime;
DEFINE FIELD recorded_at ON observation TYPE datetime;
DEFINE INDEX observation_relation ON observation FIELDS relation;

DEFINE TABLE episode SCHEMAFULL;
DEFINE FIELD archive ON episode TYPE int;
DEFINE FIELD index ON episode TYPE int;
DEFINE FIELD text ON episode TYPE string;
DEFINE FIELD spans ON episode TYPE array<array<int>>;
DEFINE FIELD roles ON episode TYPE array<string>;
DEFINE FIELD classes ON episode TYPE array<string>;
DEFINE FIELD times ON episode TYPE array<option<datetime>>;
DEFINE FIELD windows ON episode TYPE array<array<int>>;
DEFINE FIELD digests ON episode TYPE bytes;
DEFINE FIELD class ON episode TYPE string;
DEFINE FIELD time ON episode TYPE option<datetime>;
DEFINE FIELD project ON episode TYPE string;
DEFINE FIELD session ON episode TYPE string;

DEFINE TABLE archive SCHEMAFULL;
DEFINE FIELD content ON archive TYPE string;
DEFINE FIELD chunker ON archive TYPE int;
DEFINE FIELD model ON archive TYPE string;
DEFINE FIELD episodes ON archive TYPE int;
DEFINE FIELD windows ON archive TYPE int;

DEFINE TABLE access SCHEMAFULL;
DEFINE FIELD count ON access TYPE int;
DEFINE FIELD last ON access TYPE option<datetime>;

DEFINE TABLE written SCHEMAFULL;
DEFINE FIELD first ON written TYPE int;

DEFINE TABLE contributed_to SCHEMAFULL TYPE RELATION IN entity OUT entity ENFORCED;
DEFINE FIELD result ON contributed_to TYPE string;
DEFINE FIELD session ON contributed_to TYPE string;
DEFINE FIELD used ON contributed_to TYPE bool;

DEFINE TABLE aside SCHEMAFULL;
DEFINE FIELD kind ON aside TYPE string;
DEFINE FIELD reason ON aside TYPE string;
"""
