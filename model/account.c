#include "model/account.h"
