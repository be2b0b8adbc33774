/* What of a text may be kept. Runs and reports are handed around; what opens doors stays with its owner:
 *
 *   https://user:pw@host/f.root?sig=abc    →  https://host/f.root?#3f2a91c4
 *   token=abc   'password': 'abc'          →  token=…   'password': '…'
 *   Authorization: Basic abc   Bearer abc  →  Authorization: …   Bearer …
 *
 * The eight letters are of a hash of what stood there, so that two files stay two. Logins, and values of names like
 * "password", do not enter it: people choose those, and a hash would confirm who guesses them. Tokens and signatures
 * are made by machines, and nobody guesses them. What was stripped before stays as it is, so a text may pass here at
 * every station of its way. Time is linear in its length, whatever is in it. */
#ifndef BASE_SECRETS_H
#define BASE_SECRETS_H

#include "base/arena.h"

/* Each leaves a text without secrets as it is, and makes another one in memory otherwise; false if that is out. */
bool strip_secrets(roast_str *text, arena *memory);
/* In what belongs to a name: all of it if the name tells of a secret. */
bool strip_secrets_of(roast_str name, roast_str *text, arena *memory);
/* In every text of a document, names and values. */
bool strip_secrets_in_json(roast_str *json, arena *memory);
/* In every text of one value that belongs to a name. */
bool strip_secrets_in_msgpack(roast_str name, roast_str *msgpack, arena *memory);

#endif
