#include "simulate/replay.h"
