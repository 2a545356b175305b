// Members of the JSON in a serve line.
#ifndef KVB_ENGINES_VLLM_SERVE_MEMBERS_H
#define KVB_ENGINES_VLLM_SERVE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVB_MEMBER_CAPACITY 48
#define KVB_DOTTED_CAPACITY 512

struct kvb_member {
    char key[KVB_MEMBER_CAPACITY]; // longer ones are cut: no release lists one as long
    const char *value;
    size_t size;
};

// The next member of the mapping whose inside `at` is in; false behind the last, or where it is not JSON.
bool kvb_member_next(const char **at, struct kvb_member *out);
// The same of a list; the key is left as it is.
bool kvb_element_next(const char **at, struct kvb_member *out);
// The JSON that a noted line gives, and the long name of its flag: what follows the flag, or, of a dotted one, what the
// parser makes of it, in `dotted`. NULL: it gives none.
const char *kvb_json_of_line(const char *line, uint32_t release, char flag[KVB_MEMBER_CAPACITY],
                             char dotted[KVB_DOTTED_CAPACITY]);
// serve_compilation.c: what CompilationConfig says of the contents of its members. True when it refuses.
bool kvb_vllm_judge_compilation(const char *text, uint32_t release, char out[256]);
// serve_nested.c: a member that is a mapping, or words, of its own. True when it is refused.
bool kvb_vllm_judge_nested(const char *flag, const struct kvb_member *member, uint32_t release, char out[256]);

#endif
