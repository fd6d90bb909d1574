#include "cli/schemas.h"

#include <stdio.h>

#include "cli/cli.h"
#include "common/json/field_rows.h"
#include "common/json/json_write.h"
#include "platforms/probe/report.h"
#include "predictors/advise/advise.h"
#include "predictors/comparison.h"
#include "predictors/curve/curve.h"
#include "predictors/sensitivity/sensitivity.h"
#include "predictors/sweep/sweep.h"
#include "validate/difference.h"
#include "validate/explain/explain.h"
#include "validate/ranking.h"
#include "validate/validate.h"

static const struct field validation_and_explanation[] = {
    {.kind = FIELD_INLINE, .rows = validation_fields}, {.kind = FIELD_INLINE, .rows = explanation_fields, LEFT_OUT}, {0}};

static const struct field comparison_and_sensitivity[] = {
    {.kind = FIELD_INLINE, .rows = comparison_fields},
    {.key = "sensitivity", .kind = FIELD_OBJECT, .rows = sensitivity_fields, LEFT_OUT}, {0}};

static const struct {
    const char *name;
    const struct field *rows;
} schemas[] = {
    {"advice", advice_fields},
    {"comparison", comparison_and_sensitivity},
    {"difference", difference_fields},
    {"info", info_fields},
    {"mpi-profiles", mpi_profiles_fields},
    {"platform-difference", platform_difference_fields},
    {"probe", probe_fields},
    {"ranking", ranking_fields},
    {"result", simulated_fields},
    {"scaling", curve_fields},
    {"sensitivity", sensitivity_fields},
    {"sweep", sweep_fields},
    {"validation", validation_and_explanation},
};

enum status schemas_write(const char *directory, struct err *err)
{
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        char path[4096], title[64];
        cJSON *json = fields_schema(schemas[i].rows);
        snprintf(path, sizeof path, "%s/rmacast.%s.schema.json", directory, schemas[i].name);
        snprintf(title, sizeof title, "rmacast.%s/1", schemas[i].name);
        json_add_text(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
        json_add_text(json, "title", title);
        enum status status = cli_write_json(json, path, err);
        cJSON_Delete(json);
        TRY(status);
    }
    return cli_flush(err);
}
