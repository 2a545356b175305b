// What is here of a model before anybody is asked.
#include "model/known.h"

#include <string.h>

#include "base/text.h"
#include "catalogue/builtin.h"
#include "model/draft_heads.h"
#include "model/hub_cache.h"
#include "text/file.h"

static bool names_revision(const struct kvb_name *name)
{
    return name->revision[0] != '\0' && strcmp(name->revision, "main") != 0;
}

enum kvb_known kvb_model_known(const char *text, struct kvb_name *name)
{
    struct kvb_name_answer answer = {0};
    char path[KVB_PATH_CAPACITY];
    memset(name, 0, sizeof *name);
    if (kvb_path_exists(text)) {
        return KVB_KNOWN_HERE;
    }
    if (!kvb_name_parse(text, name) || kvb_name_is_closed(name)) {
        return KVB_KNOWN_NEVER;
    }
    if (kvb_builtin_find(KVB_PROFILE_MODEL, text) != NULL || kvb_is_draft_head(text) || kvb_hub_find_name(name, path)) {
        return KVB_KNOWN_HERE;
    }
    kvb_name_find(name, &answer);
    if (answer.match == KVB_MATCH_SEVERAL || answer.scheme.method == KVB_NAME_FOREIGN) {
        return KVB_KNOWN_NEVER;
    }
    if (!kvb_name_is_repository(name)) {
        return answer.base != NULL ? KVB_KNOWN_HERE : KVB_KNOWN_NEVER;
    }
    if (answer.base == NULL) {
        return KVB_KNOWN_NOT;
    }
    bool guessed = answer.match == KVB_MATCH_SIBLING || answer.match == KVB_MATCH_VARIANT || names_revision(name);
    return guessed ? KVB_KNOWN_GUESSED : KVB_KNOWN_HERE;
}
