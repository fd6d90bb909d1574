#include "simulate/engine.h"
