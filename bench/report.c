
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <sys/resource.h>

#include "load.h"


static void report_text(load_t *ld, FILE *out, double seconds);
static void report_json(load_t *ld, FILE *out, double seconds);
static double report_cpu(void);


static const char  *report_rcodes[] = {
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
    "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH", "NOTZONE", "11", "12",
    "13", "14", "15"
};


static const struct {
    const char  *name;
    double       q;
} report_quantiles[] = {
    { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 }
};


void
load_report(load_t *ld, FILE *out)
{
    double    seconds;
    uint64_t  end;

    end = ld->last > ld->start ? ld->last : ld->now;
    seconds = (end - ld->start) / 1e9;

    if (seconds <= 0) {
        seconds = 1e-9;
    }

    if (ld->options.json) {
        report_json(ld, out, seconds);

    } else {
        report_text(ld, out, seconds);
    }

    fflush(out);
}


static void
report_text(load_t *ld, FILE *out, double seconds)
{
    unsigned          i;
    load_counters_t  *c;

    c = &ld->counters;

    fprintf(out, "sent %lu, received %lu, lost %lu (%.4f %%)\n",
            c->sent, c->received, c->lost,
            c->sent ? 100.0 * c->lost / c->sent : 0);
    fprintf(out, "%.3f s, %.0f replies/s, own CPU %.3f s, "
            "%.1f octets and %.1f replies per batch\n",
            seconds, c->received / seconds, report_cpu(),
            c->received ? (double) c->octets / c->received : 0,
            c->batches ? (double) c->received / c->batches : 0);

    fprintf(out, "rcodes");
    for (i = 0; i < 16; i++) {
        if (c->rcode[i]) {
            fprintf(out, " %s %lu", report_rcodes[i], c->rcode[i]);
        }
    }

    fprintf(out, ", with answers %lu, truncated %lu\n", c->answered,
            c->truncated);

    fprintf(out, "latency us");
    for (i = 0; i < 4; i++) {
        fprintf(out, " %s %.1f", report_quantiles[i].name,
                hist_quantile(&ld->latency, report_quantiles[i].q) / 1e3);
    }

    fprintf(out, " max %.1f\n", ld->latency.max / 1e3);

    if (c->unknown + c->mismatched + c->malformed + c->send_errors
        + c->receive_errors + c->skipped + c->port0)
    {
        fprintf(out, "unknown %lu, mismatched %lu, malformed %lu, "
                "send errors %lu, receive errors %lu, skipped %lu, "
                "from port 0 %lu\n",
                c->unknown, c->mismatched, c->malformed, c->send_errors,
                c->receive_errors, c->skipped, c->port0);
    }
}


static void
report_json(load_t *ld, FILE *out, double seconds)
{
    unsigned          i;
    const char       *comma;
    load_counters_t  *c;

    c = &ld->counters;

    fprintf(out, "{\"sent\":%lu,\"received\":%lu,\"lost\":%lu,"
            "\"unknown\":%lu,\"mismatched\":%lu,\"malformed\":%lu,"
            "\"send_errors\":%lu,\"receive_errors\":%lu,\"skipped\":%lu,"
            "\"port0\":%lu,\"answered\":%lu,\"truncated\":%lu,"
            "\"octets\":%lu,\"batches\":%lu,\"seconds\":%.6f,\"qps\":%.1f,"
            "\"cpu\":%.6f,\"rcodes\":{",
            c->sent, c->received, c->lost, c->unknown, c->mismatched,
            c->malformed, c->send_errors, c->receive_errors, c->skipped,
            c->port0, c->answered, c->truncated, c->octets, c->batches,
            seconds, c->received / seconds, report_cpu());

    comma = "";

    for (i = 0; i < 16; i++) {
        if (c->rcode[i]) {
            fprintf(out, "%s\"%s\":%lu", comma, report_rcodes[i],
                    c->rcode[i]);
            comma = ",";
        }
    }

    fprintf(out, "},\"latency_us\":{");

    for (i = 0; i < 4; i++) {
        fprintf(out, "\"%s\":%.1f,", report_quantiles[i].name,
                hist_quantile(&ld->latency, report_quantiles[i].q) / 1e3);
    }

    fprintf(out, "\"max\":%.1f}}\n", ld->latency.max / 1e3);
}


static double
report_cpu(void)
{
    struct rusage  ru;

    getrusage(RUSAGE_SELF, &ru);

    return ru.ru_utime.tv_sec + ru.ru_stime.tv_sec
           + (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}
