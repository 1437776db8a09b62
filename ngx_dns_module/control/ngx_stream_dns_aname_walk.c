
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_aname.h"
#include "ngx_stream_dns_walk.h"


/*
 * Targets that zones have and that are not in a zone themselves: they are
 * asked for when the zone comes, so that the first client finds them.
 */

#define NGX_STREAM_DNS_ANAME_KEPT  (4 * 1024 * 1024)    /* octets of names */


typedef struct {
    u_char                     *names;
    size_t                      size;           /* octets */
    size_t                      used;
    size_t                      done;
} ngx_stream_dns_aname_kept_t;


static void ngx_stream_dns_aname_found(void *data,
    ngx_stream_dns_walk_zone_t *zone, const u_char *owner,
    const u_char *target, uint32_t ttl);
static void ngx_stream_dns_aname_keep(const u_char *name, size_t len);
static void ngx_stream_dns_aname_recall(ngx_stream_dns_aname_t *aname);
static ngx_uint_t ngx_stream_dns_aname_local(const ngx_dns_name_t *name);


/* of the process */

static ngx_stream_dns_walker_t      ngx_stream_dns_aname_walker;
static ngx_stream_dns_aname_kept_t  ngx_stream_dns_aname_kept;

/* a target that nobody can be asked for; length 0: there was none */

static ngx_dns_name_t               ngx_stream_dns_aname_nobody;


ngx_int_t
ngx_stream_dns_aname_walk(ngx_cycle_t *cycle, ngx_stream_dns_aname_t *aname)
{
    ngx_stream_dns_aname_walker.data = aname;
    ngx_stream_dns_aname_walker.aname = ngx_stream_dns_aname_found;

    return ngx_stream_dns_walk_add(&ngx_stream_dns_aname_walker);
}


static void
ngx_stream_dns_aname_found(void *data, ngx_stream_dns_walk_zone_t *zone,
    const u_char *owner, const u_char *target, uint32_t ttl)
{
    ngx_stream_dns_aname_t *aname = data;

    ngx_dns_name_t  name;

    ngx_dns_name_set(&name, target, aname->key);

    if (ngx_stream_dns_aname_local(&name)) {
        return;
    }

    if (aname->conf == NULL || aname->conf->nservers == 0) {
        ngx_stream_dns_aname_nobody = name;
        return;
    }

    ngx_stream_dns_aname_keep(name.wire, name.len);
}


/* names for the time when this process writes, and knows all of its zones */

static void
ngx_stream_dns_aname_keep(const u_char *name, size_t len)
{
    u_char                       *p;
    size_t                        size;
    ngx_stream_dns_aname_kept_t  *kept;

    kept = &ngx_stream_dns_aname_kept;

    if (kept->size - kept->used < len) {

        size = (kept->size != 0) ? 2 * kept->size : ngx_pagesize;

        if (size > NGX_STREAM_DNS_ANAME_KEPT) {
            return;
        }

        p = ngx_alloc(size, ngx_cycle->log);
        if (p == NULL) {
            return;
        }

        if (kept->names != NULL) {
            ngx_memcpy(p, kept->names, kept->used);
            ngx_free(kept->names);
        }

        kept->names = p;
        kept->size = size;
    }

    ngx_memcpy(kept->names + kept->used, name, len);
    kept->used += len;
}


/* some of those that were kept */

static void
ngx_stream_dns_aname_recall(ngx_stream_dns_aname_t *aname)
{
    u_char                       *p, *last;
    ngx_dns_name_t                name;
    ngx_stream_dns_aname_kept_t  *kept;

    kept = &ngx_stream_dns_aname_kept;

    p = kept->names + kept->done;
    last = kept->names + kept->used;

    while (p < last && ngx_stream_dns_slice_left()) {
        ngx_dns_name_set(&name, p, aname->key);
        p += name.len;

        if (!ngx_stream_dns_aname_local(&name)) {
            ngx_stream_dns_aname_expect(aname, &name);
        }
    }

    kept->done = p - kept->names;

    if (p == last) {
        ngx_free(kept->names);
        ngx_memzero(kept, sizeof(ngx_stream_dns_aname_kept_t));
    }
}


/* the zone of the target may have come later than that of its ANAME */

void
ngx_stream_dns_aname_walk_tick(void)
{
    u_char                   text[NGX_DNS_NAME_TEXT_MAX];
    ngx_str_t                target;
    ngx_dns_name_t          *name;
    ngx_stream_dns_aname_t  *aname;

    aname = ngx_stream_dns_aname_walker.data;
    name = &ngx_stream_dns_aname_nobody;

    if (aname->writer != NULL && ngx_stream_dns_aname_kept.used != 0
        && ngx_stream_dns_walk_complete())
    {
        ngx_stream_dns_aname_recall(aname);
    }

    if (name->len == 0 || !ngx_stream_dns_walk_complete()) {
        return;
    }

    if (!ngx_stream_dns_aname_local(name)) {
        target.data = text;
        target.len = ngx_dns_name_to_text(text, name->wire) - text;

        ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0,
                      "ANAME to \"%V\", which is in no zone of this server, "
                      "without \"dns_aname_resolver\": it is answered with "
                      "SERVFAIL", &target);

        ngx_stream_dns_aname_walker.aname = NULL;
    }

    name->len = 0;
}


static ngx_uint_t
ngx_stream_dns_aname_local(const ngx_dns_name_t *name)
{
    ngx_uint_t                     i;
    ngx_stream_dns_source_t      **src;
    ngx_stream_dns_srv_conf_t     *dscf;
    ngx_stream_core_srv_conf_t   **cscf;
    ngx_stream_core_main_conf_t   *cmcf;

    cmcf = ngx_stream_cycle_get_module_main_conf(ngx_cycle,
                                                 ngx_stream_core_module);
    cscf = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {

        dscf = cscf[i]->ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        if (dscf->enable
            && dscf->answer.zones != NULL
            && ngx_dns_zones_find(dscf->answer.zones, name, 0) != NULL)
        {
            return 1;
        }
    }

    src = ngx_stream_dns_control->sources.elts;

    for (i = 0; i < ngx_stream_dns_control->sources.nelts; i++) {

        if (src[i]->publisher != NULL
            && ngx_dns_shared_find(src[i]->shared, name, 0) != NULL)
        {
            return 1;
        }
    }

    return 0;
}
