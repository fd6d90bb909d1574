/* All of librmacast. Names begin with rmacast_ or RMACAST_; nothing else is exported. */
#ifndef RMACAST_RMACAST_H
#define RMACAST_RMACAST_H

#include "rmacast/analyze.h"
#include "rmacast/error.h"
#include "rmacast/platform.h"
#include "rmacast/record.h"
#include "rmacast/result.h"
#include "rmacast/simulate.h"
#include "rmacast/trace.h"

#endif
