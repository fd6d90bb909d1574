#include "simulate/engine/loggp/inbox_wait.h"

/* Several ranks may wait. The least of their needs holds for all, and they may wait for any counters. */
void inbox_await(struct inbox *inbox, uint32_t rank, uint32_t need, uint32_t counter)
{
    inbox->waiter = rank;
    if (need == 0) need = 1;
    inbox->awaits = inbox->waiting == 0 ? counter : ENGINE_ANY_COUNTER;
    if (inbox->waiting++ == 0 || need < inbox->need) inbox->need = need;
}

struct event_time inbox_counted_due(const struct inbox *inbox, const struct flight *flights)
{
    if (inbox->heap != FLIGHT_NONE) return inbox_flight_due(inbox, &flights[inbox_first(inbox, flights)]);
    for (uint32_t at = inbox->first; at != FLIGHT_NONE; at = flights[at].next)
        if (flights[at].effect == EFFECT_COUNTS && flights[at].note.ref == inbox->awaits)
            return inbox_flight_due(inbox, &flights[at]);
    return INBOX_NO_ALARM;
}

void inbox_resume(struct inbox *inbox)
{
    if (--inbox->waiting > 0) return;
    inbox->awaits = ENGINE_NO_COUNTER;
    if (inbox->queued == 0) inbox->alarm = INBOX_NO_ALARM;
}

void inbox_watch_all(struct inbox *inbox, bool on)
{
    inbox->queued += on ? 1 : UINT32_MAX;
    if (inbox->waiting == 0 && inbox->queued == 0) inbox->alarm = INBOX_NO_ALARM;
}
