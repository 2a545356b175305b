// Keys of a mapping one after another: a row, then the rows of the mapping it holds.
#include "text/field_keys.h"

// Counts `left` down to the key that is wanted.
static bool find(const struct kvb_schema *schema, const char *inside, unsigned *left, struct kvb_profile_key *out)
{
    for (const struct kvb_schema *part = schema; part != NULL; part = part->also) {
        for (size_t i = 0; i < part->row_count; i++) {
            const struct kvb_field_row *row = &part->rows[i];
            if (*left == 0) {
                *out = (struct kvb_profile_key){row->key, inside, row->help != NULL ? row->help : "", row->required};
                return true;
            }
            --*left;
            if (row->rows != NULL && find(row->rows, row->key, left, out)) {
                return true;
            }
        }
    }
    return false;
}

bool kvb_field_key_at(const struct kvb_schema *schema, unsigned index, struct kvb_profile_key *out)
{
    return schema != NULL && find(schema, NULL, &index, out);
}
