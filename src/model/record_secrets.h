/* Records without secrets (base/secrets.h): every text of a record and of what belongs to it. Whoever packs or stores a
 * record strips it first, so that all who look at it afterwards see one name for one file. */
#ifndef MODEL_RECORD_SECRETS_H
#define MODEL_RECORD_SECRETS_H

#include "base/arena.h"
#include "model/record.h"

/* The record is the caller's own (record_take); what it borrows is not written to. False if memory is out. */
bool record_strip_secrets(record_id id, void *own, arena *memory);

#endif
