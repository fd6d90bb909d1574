#include "platforms/platform.h"
