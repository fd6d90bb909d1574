/* The list of events: an array sorted by (time, key, order of making), the next one last. */
#include <string.h>

#include "tests/reference/model.h"

static bool before(const struct event *one, const struct event *two)
{
    if (one->time_ps != two->time_ps) return one->time_ps < two->time_ps;
    if (one->key != two->key) return one->key < two->key;
    return one->sequence < two->sequence;
}

void event_add(struct model *model, int64_t time_ps, uint32_t key, action *act, void *what)
{
    event_add_again(model, time_ps, key, model->sequence++, act, what);
}

void event_add_again(struct model *model, int64_t time_ps, uint32_t key, uint64_t sequence, action *act, void *what)
{
    struct event event = {time_ps, key, sequence, act, what};
    model->events = model_grow(model, model->events, model->event_count, &model->event_capacity, sizeof *model->events);
    size_t place = model->event_count++;
    while (place > 0 && before(&model->events[place - 1], &event)) {
        model->events[place] = model->events[place - 1];
        place--;
    }
    model->events[place] = event;
}

bool event_take(struct model *model, struct event *event)
{
    if (model->event_count == 0) return false;
    *event = model->events[--model->event_count];
    return true;
}
