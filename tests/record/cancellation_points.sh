#!/bin/sh
# Usage: cancellation_points.sh SOURCE LIBRARY...: the recorder uses no function of the C library in which a cancelled thread ends
# (POSIX.1-2017, 2.9.5.2), but those of its own that make the system call alone (trace/record/output/uncancelled.h). stdio files
# are opened with "c", which makes them none.
set -u
source=$1
shift
. "$(dirname "$0")/../expect.sh"
points='accept|aio_suspend|clock_nanosleep|close|connect|creat|dprintf|vdprintf|epoll_wait|fallocate|fcntl|fdatasync|fflush|fprintf|fputs|
fsync|fwrite|getmsg|lockf|mq_receive|mq_send|mq_timedreceive|mq_timedsend|msgrcv|msgsnd|msync|nanosleep|open|open64|openat|pause|poll|
posix_fallocate|pread|pread64|printf|pselect|pthread_cond_timedwait|pthread_cond_wait|pthread_join|pthread_testcancel|puts|pwrite|
pwrite64|read|readv|recv|recvfrom|recvmsg|select|sem_timedwait|sem_wait|send|sendmsg|sendto|sigpause|sigsuspend|sigtimedwait|sigwait|
sigwaitinfo|sleep|tcdrain|usleep|wait|waitid|waitpid|write|writev'
points=$(echo "$points" | tr -d '\n')
for library; do
    [ "$(nm -D --undefined-only "$library" | wc -l)" -gt 10 ] || fail "$library seems to use nothing"
    used=$(nm -D --undefined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | grep -xE "$points" | tr '\n' ' ')
    [ -z "$used" ] || fail "$library uses $used"
done
stdio=$(grep -rnE '\bfopen\(' "$source/trace/record" | grep -v '"rce"')
[ -z "$stdio" ] || fail "without \"c\": $stdio"
finish
