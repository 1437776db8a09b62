
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


static ngx_dns_zone_t *ngx_dns_locate_better(const ngx_dns_name_t *name,
    ngx_uint_t above, ngx_dns_zone_t *zone, ngx_dns_zone_t *other);
static ngx_dns_view_t *ngx_dns_locate_view(ngx_dns_answer_conf_t *conf,
    const ngx_dns_zone_t *zone);


ngx_dns_zone_t *
ngx_dns_answer_locate(ngx_dns_answer_conf_t *conf, ngx_dns_query_t *q)
{
    ngx_dns_zone_t  *zone;

    zone = ngx_dns_locate(conf, &q->qname, q->qtype == NGX_DNS_TYPE_DS);

    if (zone != NULL) {
        ngx_dns_zone_prefetch_bucket(zone, &q->qname);
    }

    return zone;
}


ngx_dns_zone_t *
ngx_dns_locate_views(ngx_dns_answer_conf_t *conf, const ngx_dns_name_t *name,
    ngx_uint_t above, ngx_dns_zone_t *zone)
{
    ngx_uint_t       i;
    ngx_dns_zone_t  *other;

    for (i = 0; i < conf->nviews; i++) {
        other = ngx_dns_shared_find(conf->views[i]->shared, name, above);

        if (other != NULL) {
            zone = ngx_dns_locate_better(name, above, zone, other);
        }
    }

    return zone;
}


/* the one with the longer apex; of two with the same the first: a file's */

static ngx_dns_zone_t *
ngx_dns_locate_better(const ngx_dns_name_t *name, ngx_uint_t above,
    ngx_dns_zone_t *zone, ngx_dns_zone_t *other)
{
    if (zone == NULL) {
        return other;
    }

    /* the apex itself counts only where no parent is found */

    if (above && other->name_len == name->len) {
        return zone;
    }

    if (above && zone->name_len == name->len) {
        return other;
    }

    return (other->name_len > zone->name_len) ? other : zone;
}


/* NULL: it is not from a view */

static ngx_dns_view_t *
ngx_dns_locate_view(ngx_dns_answer_conf_t *conf, const ngx_dns_zone_t *zone)
{
    size_t             place;
    ngx_uint_t         i;
    ngx_dns_shared_t  *sh;

    for (i = 0; i < conf->nviews; i++) {
        sh = conf->views[i]->shared;
        place = (u_char *) zone - (u_char *) sh;

        if (place < sh->size) {
            return conf->views[i];
        }
    }

    return NULL;
}


ngx_dns_state_e
ngx_dns_locate_source(ngx_dns_answer_t *a)
{
    ngx_dns_view_t  *view;

    view = ngx_dns_locate_view(a->conf, a->zone);

    if (view != NULL && view->flags != 0) {

        if (view->flags & NGX_DNS_VIEW_EXPIRED) {
            return ngx_dns_state_failed;
        }

        if ((view->flags & NGX_DNS_VIEW_STALE) && a->conf->stale_ede) {
            a->reply.ede = NGX_DNS_EDE_STALE;
        }
    }

    return (a->zone->flags & NGX_DNS_ZONE_UNSIGNABLE) ? ngx_dns_state_failed
                                                      : ngx_dns_state_follow;
}


ngx_uint_t
ngx_dns_locate_ready(ngx_dns_answer_conf_t *conf)
{
    ngx_uint_t  i;

    for (i = 0; i < conf->nviews; i++) {
        if (conf->views[i]->flags & NGX_DNS_VIEW_NOT_READY) {
            return 0;
        }
    }

    return 1;
}
