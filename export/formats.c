#include "export/export.h"

const struct export_format export_formats[] = {
    {.name = "otf2",
     .summary = "an OTF2 archive, for Vampir, ViTE and otf2-print",
     .models = true,
     .directory = true,
     .write_directory = export_otf2},
    {.name = NULL},
};
