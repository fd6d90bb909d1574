/* How long behind a message for which the partner waits a put may arrive and is still served with it, before the partner
 * leaves MPI (mpi.rma.protocol.linger_s). The origin sends the message, puts later and later, and sees by flush whether
 * the put was served at once or after the partner's sleep. */
#include <stddef.h>

#include "platforms/probe/program/probe.h"

enum { TRIES = 3, TRIES_MORE = 4 }; /* more where the first ones disagree */
#define STEP_LEAST_S 5e-6 /* 0, 5, 10, 15, 20, 25, 31 us, ...: a quarter more, 5 us at least */
#define LATEST_S     1e-3

/* The sleep must be longer than a flush that is served at once, and is: the delay is several round trips. Adds the time between
 * message and put to apart_s. */
static int tries_served(int tries, double later_s, double *apart_s)
{
    int served = 0;
    ask(PARTNER, &(struct step){.kind = STEP_LINGER, .count = tries, .delay_s = settings.delay_s});
    for (int i = 0; i < tries; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, PARTNER, TAG_READY, pair, MPI_STATUS_IGNORE);
        spin(settings.delay_s / 4); /* the partner waits in MPI_Recv by then */
        MPI_Send(NULL, 0, MPI_BYTE, PARTNER, TAG_DATA, pair);
        double sent_s = now_s();
        if (later_s > 0) spin(later_s);
        double begin_s = now_s();
        issue_operation(PROBE_VARIANT_PUT, 8);
        MPI_Win_flush(PARTNER, window);
        served += now_s() - begin_s < settings.delay_s * 2 / 3;
        *apart_s += begin_s - sent_s;
    }
    return served;
}

static bool is_served(double later_s, double *apart_s, int *tries)
{
    *tries = TRIES;
    *apart_s = 0;
    int served = tries_served(TRIES, later_s, apart_s);
    if (served > 0 && served < TRIES) {
        served += tries_served(TRIES_MORE, later_s, apart_s);
        *tries += TRIES_MORE;
    }
    *apart_s /= *tries;
    return 2 * served > *tries;
}

void linger_answer(const struct step *step)
{
    for (int i = 0; i < step->count; i++) {
        MPI_Send(NULL, 0, MPI_BYTE, ORIGIN, TAG_READY, pair);
        MPI_Recv(NULL, 0, MPI_BYTE, ORIGIN, TAG_DATA, pair, MPI_STATUS_IGNORE);
        sleep_until(now_s() + step->delay_s);
    }
}

bool linger_measure(double *linger_s, double *error_s, int *tries)
{
    double last_s = 0, apart_s;
    int last_tries = 0, now_tries;
    if (settings.loaded) return false;
    hold_window();
    bool by_call = !is_served(settings.delay_s / 4, &apart_s, &now_tries), found = false;
    for (double later_s = 0; by_call && !found && later_s < LATEST_S && now_s() < settings.ends_s;) {
        found = !is_served(later_s, &apart_s, &now_tries);
        if (found) { /* 0: not even what is sent right behind the message is served with it */
            *linger_s = later_s > 0 ? (last_s + apart_s) / 2 : 0;
            *error_s = later_s > 0 ? (apart_s - last_s) / 2 : apart_s;
            *tries = last_tries + now_tries;
        }
        last_s = apart_s;
        last_tries = now_tries;
        later_s += later_s / 4 > STEP_LEAST_S ? later_s / 4 : STEP_LEAST_S;
    }
    MPI_Win_unlock(PARTNER, window);
    return found;
}
