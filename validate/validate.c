#include "model/result.h"
