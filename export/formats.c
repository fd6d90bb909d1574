/* The table of formats of export/export.h. */
#include "export/export.h"

const struct export_format export_formats[] = {
    {.name = "otf2",
     .summary = "an OTF2 archive, for Vampir, ViTE and otf2-print",
     .models = true,
     .directory = true,
     .write_directory = export_otf2},
    {.name = "chrome", .summary = "JSON for Perfetto and Chrome's tracing", .write_file = export_chrome},
    {.name = "paje", .summary = "a Paje trace, for ViTE and pajeng", .write_file = export_paje},
    {.name = "cube", .summary = "a Cube4 report, for Cube, Scalasca's tools and Hatchet", .write_file = export_cube},
    {.name = "goal", .summary = "a GOAL schedule, for LogGOPSim", .write_file = export_goal},
    {.name = "extrap", .summary = "measurements for Extra-P, of several traces", .write_several = export_extrap},
    {.name = "csv", .summary = "a line per call", .write_file = export_csv},
    {.name = NULL},
};
