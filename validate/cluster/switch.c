/* A network switch in user space, for kernels without sch_netem: each port has a rate, each way through the switch a delay.
 *
 *     cluster_switch PORTS RATE_MBIT DELAY_US QUEUE_BYTES DEVICE_PREFIX PID_FILE
 *
 * It makes the tap devices PREFIX1 to PREFIXn and ends by SIGTERM. A frame of n bytes leaves its output port at
 * max(now, when the port is free) + n / rate and is delivered DELAY_US later; RATE_MBIT 0 is no limit. The last byte of a
 * hardware address is the number of its port; frames to all go to every other port. A frame for which QUEUE_BYTES have no
 * room is dropped. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
    PORTS_MAX = 64,
    FRAME_BYTES = 66000,
    FRAMING_BYTES = 24, /* preamble, checksum and gap of Ethernet: they take time on the wire, too */
    BURST = 32,         /* frames taken from a port before the others are looked at */
};

struct frame {
    struct frame *next;
    uint64_t due_ns;
    size_t bytes;
    unsigned char data[FRAME_BYTES];
};

struct port {
    int device;
    uint64_t free_ns; /* when the port has sent what it was given */
    struct frame *first, **end;
    size_t queued_bytes;
};

static struct port ports[PORTS_MAX + 1]; /* from 1 */
static int port_count;
static double rate_bits_per_s;
static uint64_t delay_ns;
static size_t queue_bytes;
static struct frame *unused;
static volatile sig_atomic_t ended;

static void end_run(int number)
{
    (void)number;
    ended = 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static struct frame *new_frame(void)
{
    struct frame *frame = unused;
    if (frame)
        unused = frame->next;
    else
        frame = malloc(sizeof *frame);
    if (!frame) exit(1);
    return frame;
}

static void free_frame(struct frame *frame)
{
    frame->next = unused;
    unused = frame;
}

static int open_device(const char *prefix, int number)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s%d", prefix, number);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) {
        fprintf(stderr, "cluster_switch: %s: %s\n", request.ifr_name, strerror(errno));
        exit(1);
    }
    return device;
}

/* Takes the frame. */
static void send_to(int number, struct frame *frame, uint64_t now)
{
    struct port *port = &ports[number];
    if (port->queued_bytes + frame->bytes > queue_bytes) {
        free_frame(frame);
        return;
    }
    uint64_t leaves_ns = now > port->free_ns ? now : port->free_ns;
    if (rate_bits_per_s > 0)
        leaves_ns += (uint64_t)((double)(frame->bytes + FRAMING_BYTES) * 8 / rate_bits_per_s * 1e9);
    port->free_ns = leaves_ns;
    frame->due_ns = leaves_ns + delay_ns;
    frame->next = NULL;
    *port->end = frame;
    port->end = &frame->next;
    port->queued_bytes += frame->bytes;
}

static void forward_frame(int from, struct frame *frame, uint64_t now)
{
    int to = frame->data[5];
    if (!(frame->data[0] & 1) && to >= 1 && to <= port_count) {
        if (to == from)
            free_frame(frame);
        else
            send_to(to, frame, now);
        return;
    }
    for (int number = 1; number <= port_count; number++) {
        if (number == from) continue;
        struct frame *copy = new_frame();
        copy->bytes = frame->bytes;
        memcpy(copy->data, frame->data, frame->bytes);
        send_to(number, copy, now);
    }
    free_frame(frame);
}

static void receive_frame(int number)
{
    for (int i = 0; i < BURST; i++) {
        struct frame *frame = new_frame();
        ssize_t bytes = read(ports[number].device, frame->data, FRAME_BYTES);
        if (bytes < 14) {
            free_frame(frame);
            return;
        }
        frame->bytes = (size_t)bytes;
        forward_frame(number, frame, now_ns());
    }
}

/* Delivers what is due; when the next frame is, UINT64_MAX none. */
static uint64_t deliver_frames(void)
{
    uint64_t next_ns = UINT64_MAX;
    for (int number = 1; number <= port_count; number++) {
        struct port *port = &ports[number];
        while (port->first && port->first->due_ns <= now_ns()) {
            struct frame *frame = port->first;
            port->first = frame->next;
            if (!port->first) port->end = &port->first;
            port->queued_bytes -= frame->bytes;
            ssize_t ignored = write(port->device, frame->data, frame->bytes);
            (void)ignored; /* a device that is down drops it, as a cable does */
            free_frame(frame);
        }
        if (port->first && port->first->due_ns < next_ns) next_ns = port->first->due_ns;
    }
    return next_ns;
}

/* A core that halts takes tens of microseconds to wake, so the first message behind a pause of all ranks would be late. Idle
 * cores poll while the device is open (Documentation/power/pm_qos_interface of Linux). Without it the switch works, too. */
static void keep_cores_awake(void)
{
    const int32_t most_us = 0;
    int device = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (device >= 0 && write(device, &most_us, sizeof most_us) != sizeof most_us) close(device);
}

static double number_of(const char *text, double most)
{
    char *behind;
    double value = strtod(text, &behind);
    if (*behind || behind == text || !(value >= 0 && value <= most)) {
        fprintf(stderr, "cluster_switch: %s: expected a number from 0 to %g\n", text, most);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: cluster_switch PORTS RATE_MBIT DELAY_US QUEUE_BYTES DEVICE_PREFIX PID_FILE\n");
        return 2;
    }
    close_range(3, UINT_MAX, 0); /* whose lock it inherits may be killed, and the lock would last as long as the switch */
    port_count = (int)number_of(argv[1], PORTS_MAX);
    rate_bits_per_s = number_of(argv[2], 1e6) * 1e6;
    delay_ns = (uint64_t)(number_of(argv[3], 1e6) * 1e3);
    queue_bytes = (size_t)number_of(argv[4], 1e9);
    for (int number = 1; number <= port_count; number++)
        ports[number] = (struct port){.device = open_device(argv[5], number), .end = &ports[number].first};
    const struct sigaction ending = {.sa_handler = end_run};
    sigaction(SIGTERM, &ending, NULL);
    sigaction(SIGINT, &ending, NULL);
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    keep_cores_awake();
    FILE *file = fopen(argv[6], "w");
    if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) != 0) {
        fprintf(stderr, "cluster_switch: %s: %s\n", argv[6], strerror(errno));
        return 1;
    }
    struct pollfd polled[PORTS_MAX];
    for (int i = 0; i < port_count; i++) polled[i] = (struct pollfd){.fd = ports[i + 1].device, .events = POLLIN};
    while (!ended) {
        uint64_t next_ns = deliver_frames(), now = now_ns(), wait_ns = next_ns > now ? next_ns - now : 0;
        struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
        int ready = ppoll(polled, (nfds_t)port_count, next_ns == UINT64_MAX ? NULL : &wait, NULL);
        for (int i = 0; ready > 0 && i < port_count; i++)
            if (polled[i].revents & POLLIN) receive_frame(i + 1);
    }
    return 0;
}
