#include "validate/ranking.h"

#include <assert.h>
#include <math.h>

#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "common/units.h"
#include "validate/samples.h"

struct ranking ranking_of(const struct ranking_variant *variants, size_t count)
{
    struct ranking ranking = {.variants = variants, .count = count, .tau = NAN};
    double predicted_s[RANKING_VARIANTS_MAX], measured_s[RANKING_VARIANTS_MAX];
    assert(count <= RANKING_VARIANTS_MAX);
    for (size_t i = 0; i < count; i++) {
        predicted_s[i] = variants[i].predicted_s;
        measured_s[i] = variants[i].measured_s;
        for (size_t j = 0; j < count; j++) {
            if (variants[i].measured_max_s >= variants[j].measured_min_s) continue;
            ranking.apart++;
            ranking.right += variants[i].predicted_s < variants[j].predicted_s;
        }
    }
    ranking.tau = samples_kendall_tau(predicted_s, measured_s, count);
    return ranking;
}

static void make_relative(const void *item, void *made)
{
    const struct ranking_variant *variant = item;
    *(double *)made =
        variant->measured_s > 0 ? (variant->predicted_s - variant->measured_s) / variant->measured_s : (double)NAN;
}

#define S struct ranking_variant
static const struct field variant_fields[] = {SAME(name), SAME(predicted_s), SAME(measured_s), SAME(measured_min_s),
                                              SAME(measured_max_s),
                                              COMPUTED("relative", FIELD_DOUBLE, make_relative, IF_FINITE, SIGNED), {0}};
#undef S
#define S struct ranking
const struct field ranking_fields[] = {SCHEMA("rmacast.ranking/1"), FIELD("kendall_tau", tau, IF_FINITE, SIGNED),
                                       FIELD("pairs_apart", apart), FIELD("pairs_right", right),
                                       ARRAY("variants", variants, count, variant_fields), {0}};
#undef S

void ranking_print(const struct ranking *ranking, FILE *out)
{
    char text[4][UNITS_TEXT_BYTES];
    text_print(out, "%-26s %11s %11s %11s %11s %10s\n", "variant", "predicted", "measured", "least", "most", "relative");
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranking_variant *v = &ranking->variants[i];
        text_print(out, "%-26s %11s %11s %11s %11s", v->name, units_format_duration(v->predicted_s, text[0]),
                   units_format_duration(v->measured_s, text[1]), units_format_duration(v->measured_min_s, text[2]),
                   units_format_duration(v->measured_max_s, text[3]));
        if (v->measured_s > 0)
            text_print(out, " %+9.2f%%\n", (v->predicted_s / v->measured_s - 1) * 100);
        else
            text_print(out, " %10s\n", "-");
    }
    text_print(out, "\nOrder: %zu of %zu pairs that the real runs tell apart are predicted in their order", ranking->right,
               ranking->apart);
    if (isfinite(ranking->tau)) text_print(out, "; Kendall's tau %.3f", ranking->tau);
    fputc('\n', out);
}
