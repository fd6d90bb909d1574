#include "common/warning.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/status.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*told_to)(const char *text);
static char last[ERR_TEXT_BYTES];

void warning_listen(void (*listener)(const char *text))
{
    pthread_mutex_lock(&lock);
    told_to = listener;
    pthread_mutex_unlock(&lock);
}

void warning_tell(const char *format, ...)
{
    char text[ERR_TEXT_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    pthread_mutex_lock(&lock);
    if (told_to && strcmp(text, last) != 0) told_to(text);
    memcpy(last, text, sizeof last);
    pthread_mutex_unlock(&lock);
}
