/* The catalogue, built from roast_metrics.def at compile time. */
#include "model/metric.h"

#include <string.h>

#include "base/str.h"

static const roast_metric catalogue[] = {
#define ROAST_METRIC(scope, name, kind, needs, unit, aliases, formula, help)                                           \
    {(roast_scope)SCOPE_##scope, #name, #kind, unit, aliases, formula, help},
#include <roast_metrics.def>
#undef ROAST_METRIC
};

static const unsigned char needs_of[] = {
#define ROAST_METRIC(scope, name, kind, needs, unit, aliases, formula, help) NEEDS_##needs,
#include <roast_metrics.def>
#undef ROAST_METRIC
};

static const char *const scope_names[ROAST_SCOPE_COUNT] = {
#define SCOPE_NAME(name, NAME) #name,
    ROAST_SCOPES(SCOPE_NAME)
#undef SCOPE_NAME
};

const roast_metric *metric_info(metric_id id)
{
    return &catalogue[id];
}

metric_need metric_needs(metric_id id)
{
    return needs_of[id];
}

size_t roast_metric_count(void)
{
    return METRIC_COUNT;
}

const roast_metric *roast_metric_at(size_t index)
{
    return index < METRIC_COUNT ? &catalogue[index] : NULL;
}

const char *roast_scope_name(roast_scope scope)
{
    return (size_t)scope < ROAST_SCOPE_COUNT ? scope_names[scope] : "";
}

static bool answers_to(const roast_metric *metric, roast_str name)
{
    if (str_equal(str_from(metric->name), name))
        return true;
    roast_str aliases = str_from(metric->aliases);
    while (!str_absent(aliases))
        if (str_equal(str_split(&aliases, ' '), name))
            return name.len > 0;
    return false;
}

metric_id metric_find(roast_scope scope, roast_str name)
{
    for (metric_id id = 0; id < METRIC_COUNT; id++)
        if (catalogue[id].scope == scope && answers_to(&catalogue[id], name))
            return id;
    return METRIC_COUNT;
}

const roast_metric *roast_metric_find(roast_scope scope, const char *name)
{
    return roast_metric_at(metric_find(scope, str_from(name)));
}

metric_id metric_first(roast_scope scope)
{
    metric_id id = 0;
    while (id < METRIC_COUNT && catalogue[id].scope != scope)
        id++;
    return id;
}

size_t metric_count(roast_scope scope)
{
    size_t count = 0;
    for (metric_id id = 0; id < METRIC_COUNT; id++)
        count += catalogue[id].scope == scope;
    return count;
}

bool metric_has_column(metric_id id)
{
    return strcmp(catalogue[id].kind, "list") != 0 && strcmp(catalogue[id].kind, "map") != 0;
}
