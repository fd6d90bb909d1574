/* Reduce, all-reduce, scans. Where the count is no power of two, of the first pairs one hands its vector to the other
 * and takes no part in the halving: the others have new numbers. */
#include "tests/reference/collective.h"

enum {
    ELEMENT_BYTES = 8, /* the trace does not know them */
    REDUCE_BINOMIAL_BYTES = 2 * 1024,
    ALLREDUCE_DOUBLING_BYTES = 8,
    IALLREDUCE_DOUBLING_BYTES = 2 * 1024,
};

struct halving {
    const struct party *party;
    uint32_t power, pairs; /* members that halve, and pairs among the first */
    bool odd_stay;         /* of a pair; all-reduce: the odd ones, reduce: the even ones */
    bool stays;
    uint32_t number; /* of those that stay */
    uint32_t moved;  /* stands in the place of the one with number 0; count: nobody does */
    int64_t bytes;
};

static struct halving halving_of(const struct party *party, bool odd_stay, int64_t bytes)
{
    uint32_t power = party_power(party->count), pairs = party->count - power, me = party->me;
    bool paired = me < 2 * pairs;
    return (struct halving){.party = party,
                            .power = power,
                            .pairs = pairs,
                            .odd_stay = odd_stay,
                            .stays = !paired || (me % 2 == 1) == odd_stay,
                            .number = paired ? me / 2 : me - pairs,
                            .moved = party->count,
                            .bytes = bytes};
}

static uint32_t member_of(const struct halving *halving, uint32_t number)
{
    if (number == 0 && halving->moved < halving->party->count) return halving->moved;
    return number < halving->pairs ? 2 * number + halving->odd_stay : number + halving->pairs;
}

static void hand_in(const struct halving *halving)
{
    uint32_t me = halving->party->me;
    if (me >= 2 * halving->pairs) return;
    if (halving->stays)
        party_receive(halving->party, me ^ 1);
    else
        party_send(halving->party, me ^ 1, halving->bytes);
}

/* All parts are equal. */
static int64_t parts(const struct halving *halving, uint32_t count)
{
    return halving->bytes * count / halving->power;
}

/* Each step halves what the member is responsible for: one half it keeps, the other it gives away. */
static void reduce_scatter(const struct halving *halving)
{
    for (uint32_t distance = 1; distance < halving->power; distance *= 2) {
        uint32_t other = member_of(halving, halving->number ^ distance);
        party_exchange(halving->party, other, parts(halving, halving->power / (2 * distance)), other);
    }
}

static void allgather_parts(const struct halving *halving)
{
    for (uint32_t distance = halving->power / 2; distance > 0; distance /= 2) {
        uint32_t other = member_of(halving, halving->number ^ distance);
        party_exchange(halving->party, other, parts(halving, halving->power / (2 * distance)), other);
    }
}

/* To the one with the number of the root: in each step those on the other side of it send all they have. */
static void gather_parts(const struct halving *halving, uint32_t root_number)
{
    for (uint32_t distance = halving->power / 2; distance > 0; distance /= 2) {
        uint32_t other = member_of(halving, halving->number ^ distance);
        if ((root_number & distance) != (halving->number & distance)) {
            party_send(halving->party, other, parts(halving, halving->power / (2 * distance)));
            return;
        }
        party_receive(halving->party, other);
    }
}

static bool has_parts(const struct party *party, int64_t bytes)
{
    return bytes / ELEMENT_BYTES >= party_power(party->count);
}

static void reduce_tree(const struct party *party, uint32_t root, int64_t bytes)
{
    uint32_t n = party->count, own = (party->me + n - root) % n;
    for (uint32_t distance = 1; distance < n; distance *= 2) {
        if (own & distance) {
            party_send(party, (own - distance + root) % n, bytes);
            return;
        }
        if (own + distance < n) party_receive(party, (own + distance + root) % n);
    }
}

/* A root that has handed in takes the place of number 0, with what that one has. */
static void reduce_parts(const struct party *party, uint32_t root, int64_t bytes)
{
    struct halving halving = halving_of(party, false, bytes);
    bool moves = root < 2 * halving.pairs && root % 2 == 1;
    uint32_t root_number = moves ? 0 : root < 2 * halving.pairs ? root / 2 : root - halving.pairs;
    hand_in(&halving);
    if (halving.stays) reduce_scatter(&halving);
    if (moves && party->me == root) {
        party_receive(party, member_of(&halving, 0));
        halving.stays = true;
        halving.number = 0;
    } else if (moves && halving.stays && halving.number == 0) {
        party_send(party, root, parts(&halving, 1));
        halving.stays = false;
    }
    if (moves) halving.moved = root;
    if (halving.stays) gather_parts(&halving, root_number);
}

void party_reduce(const struct party *party, uint32_t root, int64_t bytes)
{
    if (bytes <= REDUCE_BINOMIAL_BYTES || !has_parts(party, bytes))
        reduce_tree(party, root, bytes);
    else
        reduce_parts(party, root, bytes);
}

void party_allreduce(const struct party *party, int64_t bytes)
{
    struct halving halving = halving_of(party, true, bytes);
    int64_t doubling_bytes = party->later ? IALLREDUCE_DOUBLING_BYTES : ALLREDUCE_DOUBLING_BYTES;
    hand_in(&halving);
    if (halving.stays && (bytes <= doubling_bytes || !has_parts(party, bytes))) {
        for (uint32_t distance = 1; distance < halving.power; distance *= 2) {
            uint32_t other = member_of(&halving, halving.number ^ distance);
            party_exchange(party, other, bytes, other);
        }
    } else if (halving.stays) {
        reduce_scatter(&halving);
        allgather_parts(&halving);
    }
    if (party->me >= 2 * halving.pairs) return;
    if (halving.stays)
        party_send(party, party->me ^ 1, bytes);
    else
        party_receive(party, party->me ^ 1);
}

/* Recursive doubling; who has no partner at a distance passes it over. */
void party_scan(const struct party *party, int64_t bytes)
{
    for (uint32_t distance = 1; distance < party->count && bytes > 0; distance *= 2) {
        uint32_t other = party->me ^ distance;
        if (other < party->count) party_exchange(party, other, bytes, other);
    }
}
