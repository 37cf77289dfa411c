#include "hw-models/replacement/replacement.h"

#include <string.h>

const struct replacement_policy *const replacement_policies[REPLACEMENT_COUNT] = {
#define POLICY(name, help) &replacement_##name,
#include "hw-models/replacement/policies.def"
#undef POLICY
};

const char *const replacement_names[REPLACEMENT_COUNT + 1] = {
#define POLICY(name, help) #name,
#include "hw-models/replacement/policies.def"
#undef POLICY
};

const char replacement_help[] = "which line of a full set goes"
#define POLICY(name, help) "; " #name ": " help
#include "hw-models/replacement/policies.def"
#undef POLICY
    ;

void replacement_begin(struct replacement *r, void *state, int64_t option, uint64_t sets, uint32_t ways)
{
    *r = (struct replacement){.policy = replacement_policies[option], .state = state, .sets = sets, .ways = ways};
    memset(state, 0, replacement_size(option, sets, ways));
    if (r->policy->reset)
        r->policy->reset(r);
}
