
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_walk.h"


#define NGX_STREAM_DNS_WALK_LOOK   64       /* nodes or zones at a time */
#define NGX_STREAM_DNS_WALK_FLAGS                                            \
    (NGX_DNS_ZONE_PROBES|NGX_DNS_ZONE_ANAMES)


/* the zones of a region */

typedef struct {
    ngx_rbtree_t                     zones; /* ngx_stream_dns_walk_zone_t */
    ngx_rbtree_node_t                sentinel;
    ngx_stream_dns_source_t         *source;
    uint64_t                         cursor;
    ngx_uint_t                       all;   /* 1: not all are met yet */
} ngx_stream_dns_walk_source_t;


/* the file zones of a server */

typedef struct {
    ngx_dns_zones_t                 *zones;
    ngx_uint_t                       cursor;
} ngx_stream_dns_walk_files_t;


typedef struct {
    ngx_stream_dns_walker_t         *walkers[NGX_STREAM_DNS_WALKERS];
    ngx_uint_t                       nwalkers;

    ngx_array_t                      sources;   /* ..._walk_source_t * */
    ngx_array_t                      files;     /* ..._walk_files_t */
    ngx_uint_t                       file;      /* files before are met */
    ngx_rbtree_t                     met;   /* zones of files, by address */
    ngx_rbtree_node_t                sentinel;

    ngx_queue_t                      queue; /* zones to be walked */

    /* the walk that is under way; zone NULL: none */

    ngx_stream_dns_walk_zone_t      *zone;
    ngx_dns_zone_t                  *data;      /* NULL: nothing is in it */
    uint32_t                         node;
    ngx_uint_t                       ends;      /* walkers that have ended */
} ngx_stream_dns_walk_t;


static void ngx_stream_dns_walk_init(void);
static ngx_int_t ngx_stream_dns_walk_servers(ngx_cycle_t *cycle);
static void ngx_stream_dns_walk_changed(void *data, const u_char *apex,
    ngx_dns_zone_t *zone);
static ngx_stream_dns_walk_zone_t *ngx_stream_dns_walk_find(
    ngx_rbtree_t *tree, ngx_str_t *key);
static ngx_stream_dns_walk_zone_t *ngx_stream_dns_walk_meet(
    ngx_rbtree_t *tree, ngx_str_t *key, const u_char *apex);
static void ngx_stream_dns_walk_queue(ngx_stream_dns_walk_zone_t *zone);
static ngx_int_t ngx_stream_dns_walk_files(void);
static ngx_int_t ngx_stream_dns_walk_sources(void);
static void ngx_stream_dns_walk_begin(void);
static ngx_int_t ngx_stream_dns_walk_nodes(void);
static void ngx_stream_dns_walk_node(ngx_dns_node_t *node);
static void ngx_stream_dns_walk_aname(ngx_dns_node_t *node,
    const u_char *owner);
static void ngx_stream_dns_walk_set(const u_char *owner,
    const ngx_dns_rrset_t *set);
static ngx_int_t ngx_stream_dns_walk_end(void);


/* of the process */

static ngx_stream_dns_walk_t  ngx_stream_dns_walk;


ngx_int_t
ngx_stream_dns_walk_add(ngx_stream_dns_walker_t *walker)
{
    ngx_stream_dns_walk_t  *w;

    w = &ngx_stream_dns_walk;

    if (w->nwalkers == NGX_STREAM_DNS_WALKERS) {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, 0,
                      "too many walkers of dns zones");
        return NGX_ERROR;
    }

    walker->index = w->nwalkers;
    w->walkers[w->nwalkers++] = walker;

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_walk_start(ngx_cycle_t *cycle)
{
    ngx_stream_dns_walk_t  *w;

    w = &ngx_stream_dns_walk;

    if (ngx_array_init(&w->sources, cycle->pool, 2,
                       sizeof(ngx_stream_dns_walk_source_t *))
        != NGX_OK
        || ngx_array_init(&w->files, cycle->pool, 2,
                          sizeof(ngx_stream_dns_walk_files_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_stream_dns_walk_init();

    return ngx_stream_dns_walk_servers(cycle);
}


static void
ngx_stream_dns_walk_init(void)
{
    ngx_stream_dns_walk_t  *w;

    w = &ngx_stream_dns_walk;

    w->file = 0;
    w->zone = NULL;

    ngx_queue_init(&w->queue);
    ngx_rbtree_init(&w->met, &w->sentinel, ngx_str_rbtree_insert_value);
}


static ngx_int_t
ngx_stream_dns_walk_servers(ngx_cycle_t *cycle)
{
    ngx_uint_t                     i;
    ngx_stream_dns_srv_conf_t     *dscf;
    ngx_stream_core_srv_conf_t   **cscf;
    ngx_stream_core_main_conf_t   *cmcf;
    ngx_stream_dns_walk_files_t   *files;

    cmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                                 ngx_stream_core_module);
    cscf = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {

        dscf = cscf[i]->ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        if (!dscf->enable || dscf->answer.zones == NULL) {
            continue;
        }

        files = ngx_array_push(&ngx_stream_dns_walk.files);
        if (files == NULL) {
            return NGX_ERROR;
        }

        files->zones = dscf->answer.zones;
        files->cursor = 0;
    }

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_walk_source(ngx_stream_dns_source_t *src)
{
    ngx_stream_dns_walk_source_t  *ws, **wsp;

    ws = ngx_pcalloc(ngx_cycle->pool, sizeof(ngx_stream_dns_walk_source_t));
    if (ws == NULL) {
        return NGX_ERROR;
    }

    ngx_rbtree_init(&ws->zones, &ws->sentinel, ngx_str_rbtree_insert_value);

    ws->source = src;
    ws->all = 1;

    wsp = ngx_array_push(&ngx_stream_dns_walk.sources);
    if (wsp == NULL) {
        return NGX_ERROR;
    }

    *wsp = ws;
    src->walk = ws;

    ngx_dns_publish_watch(src->publisher, ngx_stream_dns_walk_changed, ws);

    return NGX_OK;
}


/* most zones are of no interest, and must cost nothing */

static void
ngx_stream_dns_walk_changed(void *data, const u_char *apex,
    ngx_dns_zone_t *zone)
{
    ngx_stream_dns_walk_source_t *ws = data;

    ngx_str_t                    key;
    ngx_stream_dns_walk_zone_t  *wz;

    if ((zone == NULL || !(zone->flags & NGX_STREAM_DNS_WALK_FLAGS))
        && ws->zones.root == &ws->sentinel)
    {
        return;
    }

    key.data = (u_char *) apex;
    key.len = ngx_dns_name_len(apex);

    wz = ngx_stream_dns_walk_find(&ws->zones, &key);

    if (wz == NULL) {

        if (zone == NULL || !(zone->flags & NGX_STREAM_DNS_WALK_FLAGS)) {
            return;
        }

        wz = ngx_stream_dns_walk_meet(&ws->zones, &key, apex);
        if (wz == NULL) {
            return;
        }

        wz->source = ws->source;
    }

    ngx_stream_dns_walk_queue(wz);
}


static ngx_stream_dns_walk_zone_t *
ngx_stream_dns_walk_find(ngx_rbtree_t *tree, ngx_str_t *key)
{
    return (ngx_stream_dns_walk_zone_t *)
           ngx_str_rbtree_lookup(tree, key,
                                 ngx_crc32_short(key->data, key->len));
}


/* NULL: no memory */

static ngx_stream_dns_walk_zone_t *
ngx_stream_dns_walk_meet(ngx_rbtree_t *tree, ngx_str_t *key,
    const u_char *apex)
{
    size_t                       len;
    u_char                      *p;
    ngx_stream_dns_walk_zone_t  *wz;

    len = ngx_dns_name_len(apex);

    wz = ngx_calloc(sizeof(ngx_stream_dns_walk_zone_t) + key->len + len,
                    ngx_cycle->log);
    if (wz == NULL) {
        return NULL;
    }

    p = (u_char *) (wz + 1);

    wz->sn.node.key = ngx_crc32_short(key->data, key->len);
    wz->sn.str.len = key->len;
    wz->sn.str.data = p;

    p = ngx_cpymem(p, key->data, key->len);

    wz->apex = p;
    ngx_memcpy(p, apex, len);

    ngx_rbtree_insert(tree, &wz->sn.node);

    return wz;
}


static void
ngx_stream_dns_walk_queue(ngx_stream_dns_walk_zone_t *zone)
{
    if (!zone->waits) {
        zone->waits = 1;
        ngx_queue_insert_tail(&ngx_stream_dns_walk.queue, &zone->queue);
    }
}


void
ngx_stream_dns_walk_tick(void)
{
    ngx_stream_dns_walk_t  *w;

    w = &ngx_stream_dns_walk;

    if (w->nwalkers == 0) {
        return;
    }

    do {
        if (w->zone != NULL) {

            if (ngx_stream_dns_walk_nodes() == NGX_OK
                && ngx_stream_dns_walk_end() == NGX_AGAIN)
            {
                return;
            }

            continue;
        }

        if (!ngx_queue_empty(&w->queue)) {
            ngx_stream_dns_walk_begin();
            continue;
        }

        if (ngx_stream_dns_walk_files() == NGX_OK
            && ngx_stream_dns_walk_sources() == NGX_OK)
        {
            return;
        }

    } while (ngx_stream_dns_slice_left());
}


/* some zones of files; NGX_OK: that was all */

static ngx_int_t
ngx_stream_dns_walk_files(void)
{
    ngx_str_t                     key;
    ngx_uint_t                    n;
    ngx_dns_zone_t               *zone;
    ngx_stream_dns_walk_t        *w;
    ngx_stream_dns_walk_zone_t   *wz;
    ngx_stream_dns_walk_files_t  *files;

    w = &ngx_stream_dns_walk;

    if (w->file == w->files.nelts) {
        return NGX_OK;
    }

    files = w->files.elts;
    files += w->file;

    for (n = 0; n < NGX_STREAM_DNS_WALK_LOOK; n++) {

        zone = ngx_dns_zones_next(files->zones, &files->cursor);

        if (zone == NULL) {
            w->file++;
            break;
        }

        key.data = (u_char *) &zone;
        key.len = sizeof(ngx_dns_zone_t *);

        /* several servers may have it */

        if (!(zone->flags & NGX_STREAM_DNS_WALK_FLAGS)
            || ngx_stream_dns_walk_find(&w->met, &key) != NULL)
        {
            continue;
        }

        wz = ngx_stream_dns_walk_meet(&w->met, &key, zone->name);

        if (wz != NULL) {
            wz->file = zone;
            ngx_stream_dns_walk_queue(wz);
        }
    }

    return NGX_AGAIN;
}


/* some zones of regions; NGX_OK: that was all */

static ngx_int_t
ngx_stream_dns_walk_sources(void)
{
    ngx_uint_t                      i, n;
    ngx_dns_zone_t                 *zone;
    ngx_stream_dns_walk_source_t  **ws;

    ws = ngx_stream_dns_walk.sources.elts;
    n = ngx_stream_dns_walk.sources.nelts;

    for (i = 0; i < n && !ws[i]->all; i++) { /* void */ }

    if (i == n) {
        return NGX_OK;
    }

    for (n = 0; n < NGX_STREAM_DNS_WALK_LOOK; n++) {

        zone = ngx_dns_publish_next(ws[i]->source->publisher,
                                    &ws[i]->cursor);

        if (zone == NULL) {
            ws[i]->all = 0;
            break;
        }

        if (zone->flags & NGX_STREAM_DNS_WALK_FLAGS) {
            ngx_stream_dns_walk_changed(ws[i], zone->name, zone);
        }
    }

    return NGX_AGAIN;
}


/* the next one in the queue, as it is now */

static void
ngx_stream_dns_walk_begin(void)
{
    ngx_uint_t                   i;
    ngx_queue_t                 *q;
    ngx_stream_dns_walk_t       *w;
    ngx_stream_dns_walk_zone_t  *wz;

    w = &ngx_stream_dns_walk;

    q = ngx_queue_head(&w->queue);
    ngx_queue_remove(q);

    wz = ngx_queue_data(q, ngx_stream_dns_walk_zone_t, queue);
    wz->waits = 0;

    w->zone = wz;
    w->node = 0;
    w->ends = 0;

    w->data = (wz->source == NULL)
              ? wz->file
              : ngx_dns_publish_get(wz->source->publisher, wz->apex);

    if (w->data != NULL && !(w->data->flags & NGX_STREAM_DNS_WALK_FLAGS)) {
        w->data = NULL;
    }

    wz->gone = (w->data == NULL);

    if (w->data != NULL && wz->source != NULL) {
        ngx_dns_publish_hold(wz->source->publisher, w->data);
    }

    for (i = 0; i < w->nwalkers; i++) {
        if (w->walkers[i]->begin != NULL) {
            w->walkers[i]->begin(w->walkers[i]->data, wz);
        }
    }
}


/* NGX_OK: that was the last one */

static ngx_int_t
ngx_stream_dns_walk_nodes(void)
{
    uint32_t               *index, last;
    ngx_stream_dns_walk_t  *w;

    w = &ngx_stream_dns_walk;

    if (w->data == NULL) {
        return NGX_OK;
    }

    index = ngx_dns_zone_at(w->data, w->data->index);
    last = ngx_min(w->data->nnodes, w->node + NGX_STREAM_DNS_WALK_LOOK);

    while (w->node < last) {
        ngx_stream_dns_walk_node(ngx_dns_zone_at(w->data, index[w->node++]));
    }

    if (w->node < w->data->nnodes) {
        return NGX_AGAIN;
    }

    if (w->zone->source != NULL) {
        ngx_dns_publish_release(w->zone->source->publisher, w->data);
    }

    w->data = NULL;

    return NGX_OK;
}


static void
ngx_stream_dns_walk_node(ngx_dns_node_t *node)
{
    u_char            owner[2 * NGX_DNS_NAME_MAX];
    ngx_uint_t        i;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set;

    if (node->nsets == 0 && !(node->flags & NGX_DNS_NODE_ANAME)) {
        return;
    }

    zone = ngx_stream_dns_walk.data;

    ngx_memcpy(owner, node->name, node->len);
    ngx_memcpy(owner + node->len, zone->name, zone->name_len);

    if (node->flags & NGX_DNS_NODE_ANAME) {
        ngx_stream_dns_walk_aname(node, owner);
    }

    if (node->nsets == 0) {
        return;
    }

    set = ngx_dns_node_sets(node);

    for (i = 0; i < node->nsets; i++) {

        if ((set->flags & NGX_DNS_RRSET_NOTED)
            && (set->type == NGX_DNS_TYPE_A || set->type == NGX_DNS_TYPE_AAAA))
        {
            ngx_stream_dns_walk_set(owner, set);
        }

        set = ngx_dns_rrset_next(set);
    }
}


static void
ngx_stream_dns_walk_aname(ngx_dns_node_t *node, const u_char *owner)
{
    u_char                   *rr, *payload;
    ngx_uint_t                i;
    ngx_dns_rrset_t          *notes;
    ngx_stream_dns_walk_t    *w;
    ngx_stream_dns_walker_t  *walker;

    w = &ngx_stream_dns_walk;

    notes = ngx_dns_node_notes(node);
    if (notes == NULL) {
        return;
    }

    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_ANAME);
    if (rr == NULL) {
        return;
    }

    payload = rr + 2 + NGX_DNS_NOTE_HEAD;

    for (i = 0; i < w->nwalkers; i++) {

        walker = w->walkers[i];

        if (walker->aname != NULL) {
            walker->aname(walker->data, w->zone, owner, payload + 4,
                          ngx_dns_get32(payload));
        }
    }
}


static void
ngx_stream_dns_walk_set(const u_char *owner, const ngx_dns_rrset_t *set)
{
    ngx_uint_t                i;
    ngx_stream_dns_walk_t    *w;
    ngx_stream_dns_walker_t  *walker;

    w = &ngx_stream_dns_walk;

    for (i = 0; i < w->nwalkers; i++) {

        walker = w->walkers[i];

        if (walker->set != NULL) {
            walker->set(walker->data, w->zone, owner, set,
                        ngx_dns_rrset_notes(set));
        }
    }
}


/* NGX_AGAIN: a walker has more to do */

static ngx_int_t
ngx_stream_dns_walk_end(void)
{
    ngx_stream_dns_walk_t         *w;
    ngx_stream_dns_walker_t       *walker;
    ngx_stream_dns_walk_zone_t    *wz;
    ngx_stream_dns_walk_source_t  *ws;

    w = &ngx_stream_dns_walk;
    wz = w->zone;

    while (w->ends < w->nwalkers) {

        walker = w->walkers[w->ends];

        if (walker->end != NULL
            && walker->end(walker->data, wz) == NGX_AGAIN)
        {
            return NGX_AGAIN;
        }

        w->ends++;
    }

    w->zone = NULL;

    /* it may be there again by now */

    if (wz->gone && !wz->waits) {
        ws = wz->source->walk;
        ngx_rbtree_delete(&ws->zones, &wz->sn.node);
        ngx_free(wz);
    }

    return NGX_OK;
}


ngx_uint_t
ngx_stream_dns_walk_complete(void)
{
    ngx_uint_t                      i, n;
    ngx_stream_dns_walk_t          *w;
    ngx_stream_dns_walk_source_t  **ws;

    w = &ngx_stream_dns_walk;

    n = ngx_stream_dns_control->sources.nelts;

    if (w->zone != NULL
        || !ngx_queue_empty(&w->queue)
        || w->file != w->files.nelts
        || w->sources.nelts != n)
    {
        return 0;
    }

    ws = w->sources.elts;

    for (i = 0; i < n; i++) {
        if (ws[i]->all || !ws[i]->source->shared->ready) {
            return 0;
        }
    }

    return 1;
}
