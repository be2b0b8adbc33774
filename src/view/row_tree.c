/* Rows as a tree. What names itself as a parent, over whatever way, or is too deep to be shown, stands at the top. */
#include "view/row_tree.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/str.h"

enum { DEEPEST = 16 };

#define NO_NODE SIZE_MAX

typedef struct node {
    size_t row, parent, first_inside, next_beside; /* places in the order in which siblings stand */
} node;

/* Places by the numbers of their names, the first of those that share one. */
static bool number_names(intern *names, size_t *places, const size_t *rows, size_t count, const roast_summary *s,
                         metric_id name)
{
    for (size_t i = 0; i < count; i++) {
        bool added = false;
        uint32_t number = intern_add(names, summary_cell_string(s, name, rows[i]), &added);
        if (number == INTERN_NONE)
            return false;
        places[number] = added ? i : places[number];
    }
    return true;
}

static int depth_of(const node *nodes, size_t place)
{
    int depth = 0;
    while (depth <= DEEPEST && nodes[place].parent != NO_NODE) {
        place = nodes[place].parent;
        depth++;
    }
    return depth;
}

static void link_nodes(node *nodes, size_t *top, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        size_t *list = nodes[i].parent == NO_NODE ? top : &nodes[nodes[i].parent].first_inside;
        nodes[i].next_beside = *list;
        *list = i;
    }
}

static void put_in_order(const node *nodes, size_t top, size_t *rows, int *depths)
{
    size_t put = 0, at = top;
    for (int depth = 0; at != NO_NODE;) {
        rows[put] = nodes[at].row;
        depths[put++] = depth;
        if (nodes[at].first_inside != NO_NODE) {
            at = nodes[at].first_inside;
            depth++;
            continue;
        }
        while (nodes[at].next_beside == NO_NODE && nodes[at].parent != NO_NODE) {
            at = nodes[at].parent;
            depth--;
        }
        at = nodes[at].next_beside;
    }
}

bool row_tree_order(size_t *rows, size_t count, int *depths, const roast_summary *summary, metric_id name,
                    metric_id parent)
{
    intern names = {0};
    size_t top = NO_NODE;
    node *nodes = calloc(count + 1, sizeof *nodes);
    size_t *places = calloc(count + 1, sizeof *places);
    bool done = nodes && places && number_names(&names, places, rows, count, summary, name);
    for (size_t i = 0; done && i < count; i++) {
        roast_str above = summary_cell_string(summary, parent, rows[i]);
        uint32_t number = str_absent(above) ? INTERN_NONE : intern_find(&names, above);
        nodes[i] = (node){rows[i], number == INTERN_NONE ? NO_NODE : places[number], NO_NODE, NO_NODE};
    }
    for (size_t i = 0; done && i < count; i++)
        depths[i] = depth_of(nodes, i);
    for (size_t i = 0; done && i < count; i++)
        nodes[i].parent = depths[i] > DEEPEST ? NO_NODE : nodes[i].parent;
    if (done) {
        link_nodes(nodes, &top, count);
        put_in_order(nodes, top, rows, depths);
    }
    free(places);
    free(nodes);
    intern_release(&names);
    return done;
}
