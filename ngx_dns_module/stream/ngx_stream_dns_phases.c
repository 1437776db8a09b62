
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_phases.h"


/*
 * The configurations of these modules are private.  What is known of them
 * is that their first words are pointers which are NULL as long as no
 * directive was given; with an nginx in which nobody has looked at that the
 * handlers are always called.
 */

#define NGX_STREAM_DNS_KNOWN_NGINX  (nginx_version < 1032000)

#define NGX_STREAM_DNS_NEVER        0

#if (NGX_HAVE_INET6 && NGX_HAVE_UNIX_DOMAIN)
#define NGX_STREAM_DNS_ACCESS_WORDS  3
#elif (NGX_HAVE_INET6 || NGX_HAVE_UNIX_DOMAIN)
#define NGX_STREAM_DNS_ACCESS_WORDS  2
#else
#define NGX_STREAM_DNS_ACCESS_WORDS  1
#endif


typedef struct {
    char        *name;
    ngx_uint_t   phase;
    ngx_uint_t   words;         /* NGX_STREAM_DNS_NEVER: has no effect */
} ngx_stream_dns_known_t;


static ngx_module_t *ngx_stream_dns_phases_module(ngx_cycle_t *cycle,
    char *name);
static ngx_uint_t ngx_stream_dns_phases_set(ngx_module_t *module,
    ngx_stream_conf_ctx_t *ctx, ngx_uint_t words);
static ngx_stream_dns_known_t *ngx_stream_dns_phases_known(
    ngx_module_t *module);
static ngx_int_t ngx_stream_dns_phases_add(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx, ngx_uint_t phase, ngx_array_t *phases);


/*
 * realip works with what a PROXY protocol header says, and UDP has none;
 * limit_conn is refused, since a datagram is over at once.
 */

static ngx_stream_dns_known_t  ngx_stream_dns_known_modules[] = {

    { "ngx_stream_realip_module", NGX_STREAM_POST_ACCEPT_PHASE,
      NGX_STREAM_DNS_NEVER },

    { "ngx_stream_limit_conn_module", NGX_STREAM_PREACCESS_PHASE,
      NGX_STREAM_DNS_NEVER },

    { "ngx_stream_set_module", NGX_STREAM_PREACCESS_PHASE, 1 },

    { "ngx_stream_access_module", NGX_STREAM_ACCESS_PHASE,
      NGX_STREAM_DNS_ACCESS_WORDS },

    { NULL, 0, 0 }
};


static ngx_module_t *
ngx_stream_dns_phases_module(ngx_cycle_t *cycle, char *name)
{
    ngx_uint_t  i;

    for (i = 0; cycle->modules[i] != NULL; i++) {
        if (ngx_strcmp(cycle->modules[i]->name, name) == 0) {
            return cycle->modules[i];
        }
    }

    return NULL;
}


static ngx_uint_t
ngx_stream_dns_phases_set(ngx_module_t *module, ngx_stream_conf_ctx_t *ctx,
    ngx_uint_t words)
{
    void        **conf;
    ngx_uint_t    i;

    conf = ctx->srv_conf[module->ctx_index];

    for (i = 0; i < words; i++) {
        if (conf[i] != NULL) {
            return 1;
        }
    }

    return 0;
}


static ngx_stream_dns_known_t *
ngx_stream_dns_phases_known(ngx_module_t *module)
{
    ngx_stream_dns_known_t  *known;

    for (known = ngx_stream_dns_known_modules; known->name; known++) {
        if (ngx_strcmp(module->name, known->name) == 0) {
            return known;
        }
    }

    return NULL;
}


ngx_int_t
ngx_stream_dns_phases_check(ngx_cycle_t *cycle,
    ngx_stream_core_main_conf_t *cmcf)
{
    ngx_uint_t               i, known[NGX_STREAM_SSL_PHASE];
    ngx_stream_dns_known_t  *k;

    ngx_memzero(known, sizeof(known));

    for (i = 0; cycle->modules[i] != NULL; i++) {

        k = ngx_stream_dns_phases_known(cycle->modules[i]);

        if (k != NULL) {
            known[k->phase]++;
        }
    }

    for (i = 0; i < NGX_STREAM_SSL_PHASE; i++) {
        if (cmcf->phases[i].handlers.nelts != known[i]) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_array_t *
ngx_stream_dns_phases_create(ngx_cycle_t *cycle, ngx_stream_conf_ctx_t *ctx)
{
    ngx_uint_t    phase;
    ngx_array_t  *phases;

    phases = ngx_array_create(cycle->pool, 4, sizeof(ngx_stream_dns_phase_t));
    if (phases == NULL) {
        return NULL;
    }

    for (phase = 0; phase < NGX_STREAM_SSL_PHASE; phase++) {

        if (ngx_stream_dns_phases_add(cycle, ctx, phase, phases) != NGX_OK) {
            return NULL;
        }
    }

    return phases;
}


/*
 * Each module has put its handler into the phase in the order of the modules
 * (that there are no others has been checked), and the last one runs first.
 */

static ngx_int_t
ngx_stream_dns_phases_add(ngx_cycle_t *cycle, ngx_stream_conf_ctx_t *ctx,
    ngx_uint_t phase, ngx_array_t *phases)
{
    ngx_uint_t                    i, j, n, first;
    ngx_stream_handler_pt        *handler;
    ngx_stream_dns_known_t       *known;
    ngx_stream_dns_phase_t       *ph;
    ngx_stream_core_main_conf_t  *cmcf;

    cmcf = ctx->main_conf[ngx_stream_core_module.ctx_index];

    handler = cmcf->phases[phase].handlers.elts;
    n = cmcf->phases[phase].handlers.nelts;
    first = phases->nelts;

    for (i = 0; cycle->modules[i] != NULL; i++) {
        /* void */
    }

    for (j = n; j != 0 && i-- != 0; /* void */) {

        known = ngx_stream_dns_phases_known(cycle->modules[i]);

        if (known == NULL || known->phase != phase) {
            continue;
        }

        j--;

        if (known->words == NGX_STREAM_DNS_NEVER) {
            continue;
        }

        if (NGX_STREAM_DNS_KNOWN_NGINX
            && !ngx_stream_dns_phases_set(cycle->modules[i], ctx,
                                          known->words))
        {
            continue;
        }

        ph = ngx_array_push(phases);
        if (ph == NULL) {
            return NGX_ERROR;
        }

        ph->handler = handler[j];
    }

    ph = phases->elts;

    for (i = first; i < phases->nelts; i++) {
        ph[i].next = phases->nelts;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_stream_dns_phases_log(ngx_cycle_t *cycle, ngx_stream_conf_ctx_t *ctx)
{
    ngx_module_t                 *module;
    ngx_stream_core_main_conf_t  *cmcf;

    cmcf = ctx->main_conf[ngx_stream_core_module.ctx_index];
    module = ngx_stream_dns_phases_module(cycle, "ngx_stream_log_module");

    if (module == NULL
        || cmcf->phases[NGX_STREAM_LOG_PHASE].handlers.nelts != 1
        || !NGX_STREAM_DNS_KNOWN_NGINX)
    {
        return cmcf->phases[NGX_STREAM_LOG_PHASE].handlers.nelts != 0;
    }

    return ngx_stream_dns_phases_set(module, ctx, 1);
}


ngx_uint_t
ngx_stream_dns_phases_log_unbuffered(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx)
{
    u_char            *log;
    ngx_uint_t         i;
    ngx_array_t       *logs;
    ngx_module_t      *module;
    ngx_open_file_t   *file;

    module = ngx_stream_dns_phases_module(cycle, "ngx_stream_log_module");

    if (module == NULL || !NGX_STREAM_DNS_KNOWN_NGINX) {
        return 0;
    }

    /* the array of logs comes first in the server, the file in a log */

    logs = *(ngx_array_t **) ctx->srv_conf[module->ctx_index];

    if (logs == NULL) {
        return 0;
    }

    log = logs->elts;

    for (i = 0; i < logs->nelts; i++) {
        file = *(ngx_open_file_t **) (log + i * logs->size);

        if (file != NULL && file->data == NULL) {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_stream_dns_phases_limit_conn(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx)
{
    ngx_module_t  *module;

    module = ngx_stream_dns_phases_module(cycle,
                                          "ngx_stream_limit_conn_module");

    if (module == NULL || !NGX_STREAM_DNS_KNOWN_NGINX) {
        return 0;
    }

    return ngx_stream_dns_phases_set(module, ctx, 1);
}
