#include "platforms/topology.h"
