
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_aname.h"
#include "ngx_stream_dns_memory.h"


#define NGX_STREAM_DNS_ANAME_RETRY    30        /* seconds, the longest */
#define NGX_STREAM_DNS_ANAME_IDLE     3600      /* of what nobody asks for */
#define NGX_STREAM_DNS_ANAME_LOOK     256       /* entries, at a time */
#define NGX_STREAM_DNS_ANAME_USED     60        /* seconds: it is in use */
#define NGX_STREAM_DNS_ANAME_SPARE    64        /* connections of others */
#define NGX_STREAM_DNS_ANAME_NOW      1         /* the earliest time */


static void ngx_stream_dns_aname_open(ngx_stream_dns_aname_t *aname);
static void ngx_stream_dns_aname_meet(ngx_stream_dns_aname_t *aname);
static void ngx_stream_dns_aname_wants(ngx_stream_dns_aname_t *aname);
static uint32_t ngx_stream_dns_aname_generic(ngx_stream_dns_aname_t *aname,
    const ngx_dns_external_target_t *t);
static void ngx_stream_dns_aname_dues(ngx_stream_dns_aname_t *aname);
static void ngx_stream_dns_aname_consider(ngx_stream_dns_aname_t *aname,
    uint32_t n);
static void ngx_stream_dns_aname_schedule(ngx_stream_dns_aname_t *aname,
    uint32_t n, int64_t time);
static int64_t ngx_stream_dns_aname_refresh(ngx_dns_external_entry_t *e);
static void ngx_stream_dns_aname_ask(ngx_stream_dns_aname_t *aname,
    uint32_t n);
static void ngx_stream_dns_aname_subnet(ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_timeouts(ngx_stream_dns_aname_t *aname);
static ngx_int_t ngx_stream_dns_aname_again(ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_failed(ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_replied(ngx_stream_dns_aname_query_t *q);
static uint32_t ngx_stream_dns_aname_place(ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_release(ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_count(ngx_stream_dns_aname_t *aname);


/* of the process; NULL: no "dns_aname_resolver" */

static ngx_stream_dns_aname_t  *ngx_stream_dns_aname;


ngx_int_t
ngx_stream_dns_aname_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_uint_t               i;
    ngx_stream_dns_aname_t  *aname;

    aname = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_aname_t));
    if (aname == NULL) {
        return NGX_ERROR;
    }

    aname->log = cycle->log;
    aname->conf = cmcf->aname;

    aname->key = ngx_dns_key(cycle->log);
    if (aname->key == NULL) {
        return NGX_ERROR;
    }

    if (ngx_stream_dns_aname_walk(cycle, aname) != NGX_OK) {
        return NGX_ERROR;
    }

    if (aname->conf == NULL || aname->conf->nservers == 0) {
        return NGX_OK;
    }

    aname->queries = ngx_pcalloc(cycle->pool,
                                 NGX_STREAM_DNS_ANAME_QUERIES
                                 * sizeof(ngx_stream_dns_aname_query_t));
    if (aname->queries == NULL) {
        return NGX_ERROR;
    }

    ngx_queue_init(&aname->active);
    ngx_queue_init(&aname->free);

    for (i = 0; i < NGX_STREAM_DNS_ANAME_QUERIES; i++) {
        aname->queries[i].aname = aname;
        ngx_queue_insert_tail(&aname->free, &aname->queries[i].queue);
    }

    if (ngx_stream_dns_aname_query_init(aname) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_stream_dns_aname = aname;

    return NGX_OK;
}


void
ngx_stream_dns_aname_tick(void)
{
    ngx_stream_dns_aname_t  *aname;

    ngx_stream_dns_aname_walk_tick();

    aname = ngx_stream_dns_aname;

    if (aname == NULL) {
        return;
    }

    if (aname->writer == NULL) {
        ngx_stream_dns_aname_open(aname);
        return;
    }

    ngx_stream_dns_aname_timeouts(aname);
    ngx_stream_dns_aname_meet(aname);
    ngx_stream_dns_aname_wants(aname);
    ngx_stream_dns_aname_dues(aname);
    ngx_stream_dns_aname_count(aname);
}


/* becomes the writer if there is no other */

static void
ngx_stream_dns_aname_open(ngx_stream_dns_aname_t *aname)
{
    ngx_int_t  rc;

    if (aname->failed) {
        return;
    }

    if (!aname->locked) {

        if (ngx_stream_dns_control_lock_try(aname->conf->shared->lock,
                                            aname->log)
            != NGX_OK)
        {
            return;
        }

        aname->locked = 1;
    }

    if (aname->opening == NULL) {
        aname->opening = ngx_dns_external_open(aname->conf->shared,
                                               &ngx_stream_dns_memory,
                                               aname->key);
        if (aname->opening == NULL) {
            aname->failed = 1;

            ngx_log_error(NGX_LOG_CRIT, aname->log, 0,
                          "no memory for targets of ANAME, what is known of "
                          "them gets old");
            return;
        }
    }

    do {
        rc = ngx_dns_external_continue(aname->opening);
    } while (rc == NGX_AGAIN && ngx_stream_dns_slice_left());

    if (rc == NGX_OK) {
        aname->writer = aname->opening;
        aname->opening = NULL;
    }
}


/* what the last writer knew will have to be looked at */

static void
ngx_stream_dns_aname_meet(ngx_stream_dns_aname_t *aname)
{
    ngx_uint_t                  i;
    ngx_dns_external_shared_t  *sh;

    sh = aname->conf->shared;

    for (i = 0;
         i < NGX_STREAM_DNS_ANAME_LOOK && aname->met < sh->nentries;
         i++, aname->met++)
    {
        if (ngx_dns_external_entry(sh, aname->met)->key != 0
            && ngx_dns_external_data(aname->writer, (uint32_t) aname->met)
               == NULL)
        {
            ngx_stream_dns_aname_schedule(aname, (uint32_t) aname->met, 0);
        }
    }
}


static void
ngx_stream_dns_aname_wants(ngx_stream_dns_aname_t *aname)
{
    int64_t                    now;
    uint32_t                   n;
    ngx_dns_external_target_t  t;

    now = ngx_time();

    while (ngx_dns_external_want_next(aname->writer, ngx_current_msec, &t)
           == NGX_OK)
    {
        if (!aname->conf->ecs) {
            t.family = 0;
            t.bits = 0;
        }

        if (t.family != 0) {
            n = ngx_stream_dns_aname_generic(aname, &t);

            if (n != NGX_DNS_EXTERNAL_NONE
                && ngx_dns_external_entry(aname->conf->shared, n)->scoped
                   == NGX_DNS_EXTERNAL_SAME)
            {
                continue;
            }
        }

        n = ngx_dns_external_make(aname->writer, &t, now, 1);

        if (n != NGX_DNS_EXTERNAL_NONE
            && ngx_dns_external_data(aname->writer, n) == NULL)
        {
            ngx_dns_external_due(aname->writer, n, NGX_STREAM_DNS_ANAME_NOW);
        }

        if (!ngx_stream_dns_slice_left()) {
            return;
        }
    }
}


/* the entry of a target without network, made and asked for if need be */

static uint32_t
ngx_stream_dns_aname_generic(ngx_stream_dns_aname_t *aname,
    const ngx_dns_external_target_t *t)
{
    uint32_t                   n;
    ngx_dns_external_target_t  generic;

    generic = *t;
    generic.family = 0;
    generic.bits = 0;
    ngx_memzero(generic.network, 16);

    n = ngx_dns_external_get(aname->writer, &generic);

    if (n != NGX_DNS_EXTERNAL_NONE) {
        return n;
    }

    n = ngx_dns_external_make(aname->writer, &generic, ngx_time(), 1);

    if (n != NGX_DNS_EXTERNAL_NONE) {
        ngx_dns_external_due(aname->writer, n, NGX_STREAM_DNS_ANAME_NOW);
    }

    return n;
}


void
ngx_stream_dns_aname_expect(ngx_stream_dns_aname_t *aname,
    const ngx_dns_name_t *name)
{
    uint32_t                    n;
    ngx_uint_t                  i;
    ngx_dns_external_shared_t  *sh;
    ngx_dns_external_target_t   t;

    sh = aname->conf->shared;

    ngx_memzero(&t, sizeof(ngx_dns_external_target_t));
    t.name = *name;

    for (i = 0; i < 2; i++) {
        t.type = (i == 0) ? NGX_DNS_TYPE_A : NGX_DNS_TYPE_AAAA;

        n = ngx_dns_external_get(aname->writer, &t);

        if (n == NGX_DNS_EXTERNAL_NONE) {

            /* those that are asked for come first */

            if (sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES] / 3 * 4
                >= sh->nentries)
            {
                return;
            }

            n = ngx_dns_external_make(aname->writer, &t, ngx_time(), 0);

            if (n == NGX_DNS_EXTERNAL_NONE) {
                return;
            }

            ngx_dns_external_due(aname->writer, n, ngx_current_msec);
        }

        ngx_dns_external_set_fresh(aname->writer, n);
    }
}


static void
ngx_stream_dns_aname_dues(ngx_stream_dns_aname_t *aname)
{
    uint32_t  n;

    while (!ngx_queue_empty(&aname->free)
           && ngx_cycle->free_connection_n > NGX_STREAM_DNS_ANAME_SPARE
           && ngx_stream_dns_slice_left())
    {
        n = ngx_dns_external_due_next(aname->writer, ngx_current_msec);

        if (n == NGX_DNS_EXTERNAL_NONE) {
            return;
        }

        ngx_stream_dns_aname_consider(aname, n);
    }
}


/* whether it is time, and worth it, to ask */

static void
ngx_stream_dns_aname_consider(ngx_stream_dns_aname_t *aname, uint32_t n)
{
    int64_t                    now, at;
    ngx_dns_external_entry_t  *e;

    now = ngx_time();
    e = ngx_dns_external_entry(aname->conf->shared, n);

    if (ngx_dns_external_data(aname->writer, n) != NULL) {
        return;
    }

    if (e->family != 0 && !aname->conf->ecs) {

        /* of the configuration before: networks are not told any more */

        return;
    }

    if (ngx_dns_external_failures(aname->writer, n) != 0 && e->retry > now) {

        if (ngx_dns_external_fresh(aname->writer, n)) {
            ngx_stream_dns_aname_schedule(aname, n, e->retry);
        }

        return;
    }

    if (e->fetched == 0 || e->asked >= e->expires) {
        ngx_stream_dns_aname_ask(aname, n);
        return;
    }

    at = ngx_stream_dns_aname_refresh(e);

    if (now >= at && e->asked > e->fetched) {
        ngx_stream_dns_aname_ask(aname, n);
        return;
    }

    /* whoever asks after it has expired says so */

    if (now < at) {
        ngx_stream_dns_aname_schedule(aname, n, at);

    } else if (now < e->expires - 1) {
        ngx_stream_dns_aname_schedule(aname, n, e->expires - 1);

    } else if (ngx_dns_external_fresh(aname->writer, n)) {

        at = ngx_max(e->expires, e->fetched + NGX_STREAM_DNS_ANAME_IDLE);

        if (now >= at) {
            ngx_stream_dns_aname_ask(aname, n);

        } else {
            ngx_stream_dns_aname_schedule(aname, n, at);
        }
    }
}


/* time: seconds */

static void
ngx_stream_dns_aname_schedule(ngx_stream_dns_aname_t *aname, uint32_t n,
    int64_t time)
{
    int64_t  left;

    left = time - ngx_time();
    left = ngx_max(left, 0);

    ngx_dns_external_due(aname->writer, n, ngx_current_msec + left * 1000);
}


/* after three quarters of its life, a second at least before it ends */

static int64_t
ngx_stream_dns_aname_refresh(ngx_dns_external_entry_t *e)
{
    int64_t  life;

    life = e->expires - e->fetched;

    return e->fetched + ngx_max(1, ngx_min(life * 3 / 4, life - 1));
}


static void
ngx_stream_dns_aname_ask(ngx_stream_dns_aname_t *aname, uint32_t n)
{
    ngx_queue_t                   *item;
    ngx_stream_dns_aname_query_t  *q;

    item = ngx_queue_head(&aname->free);
    q = ngx_queue_data(item, ngx_stream_dns_aname_query_t, queue);

    ngx_queue_remove(item);
    ngx_queue_insert_tail(&aname->active, item);
    aname->nactive++;

    q->entry = n;

    ngx_dns_external_target(aname->writer, n, &q->target);
    ngx_dns_external_set_data(aname->writer, n, q);

    q->query.name = q->target.name.wire;
    q->query.name_len = q->target.name.len;
    q->query.type = (uint16_t) q->target.type;
    q->query.edns = 1;

    ngx_stream_dns_aname_subnet(q);

    if (ngx_stream_dns_aname_query_send(q) != NGX_OK || q->done) {
        ngx_stream_dns_aname_done(q);
    }
}


/*
 * The network as the client's resolver gave it, at first.  Later what is
 * known may be for a larger one: any network in it will do.
 */

static void
ngx_stream_dns_aname_subnet(ngx_stream_dns_aname_query_t *q)
{
    ngx_dns_external_entry_t  *e;

    e = ngx_dns_external_entry(q->aname->conf->shared, q->entry);

    q->query.family = (uint8_t) q->target.family;
    q->query.bits = (uint8_t) q->target.bits;
    q->query.network = q->network;

    ngx_memcpy(q->network, q->target.network, 16);

    if (q->target.family != 0 && e->fetched != 0) {
        q->query.bits = (q->target.family == NGX_DNS_ECS_INET)
                        ? NGX_DNS_EXTERNAL_BITS4 : NGX_DNS_EXTERNAL_BITS6;
    }
}


static void
ngx_stream_dns_aname_timeouts(ngx_stream_dns_aname_t *aname)
{
    ngx_queue_t                   *item, *next;
    ngx_stream_dns_aname_query_t  *q;

    for (item = ngx_queue_head(&aname->active);
         item != ngx_queue_sentinel(&aname->active);
         item = next)
    {
        next = ngx_queue_next(item);
        q = ngx_queue_data(item, ngx_stream_dns_aname_query_t, queue);

        if ((ngx_msec_int_t) (ngx_current_msec - q->deadline) >= 0) {
            ngx_stream_dns_aname_query_timeout(q);
        }
    }
}


void
ngx_stream_dns_aname_done(ngx_stream_dns_aname_query_t *q)
{
    ngx_stream_dns_aname_query_end(q);

    if (q->rc == NGX_OK
        && !q->reply.tc
        && (q->reply.rcode == NGX_DNS_NOERROR
            || q->reply.rcode == NGX_DNS_NXDOMAIN))
    {
        ngx_stream_dns_aname_replied(q);

    } else if (ngx_stream_dns_aname_again(q) == NGX_AGAIN) {
        return;

    } else {
        ngx_stream_dns_aname_failed(q);
    }

    ngx_stream_dns_aname_release(q);
}


/* a server may know nothing of EDNS: NGX_AGAIN: it is asked without */

static ngx_int_t
ngx_stream_dns_aname_again(ngx_stream_dns_aname_query_t *q)
{
    if (q->rc != NGX_OK
        || !q->query.edns
        || (q->reply.rcode != NGX_DNS_FORMERR
            && q->reply.rcode != NGX_DNS_NOTIMP
            && q->reply.rcode != NGX_DNS_BADVERS))
    {
        return NGX_DECLINED;
    }

    q->query.edns = 0;
    q->query.family = 0;

    if (ngx_stream_dns_aname_query_send(q) != NGX_OK || q->done) {
        ngx_stream_dns_aname_query_end(q);
        return NGX_DECLINED;
    }

    return NGX_AGAIN;
}


static void
ngx_stream_dns_aname_failed(ngx_stream_dns_aname_query_t *q)
{
    int64_t                  wait;
    ngx_uint_t               n;
    ngx_stream_dns_aname_t  *aname;

    aname = q->aname;

    n = ngx_dns_external_failures(aname->writer, q->entry);
    wait = (n < 5) ? (int64_t) 1 << n : NGX_STREAM_DNS_ANAME_RETRY;

    ngx_dns_external_fail(aname->writer, q->entry, ngx_time() + wait);
    ngx_dns_external_set_data(aname->writer, q->entry, NULL);

    if (ngx_dns_external_fresh(aname->writer, q->entry)) {
        ngx_stream_dns_aname_schedule(aname, q->entry, ngx_time() + wait);
    }

    aname->conf->shared->stat[NGX_DNS_EXTERNAL_STAT_FAILURES]++;
}


static void
ngx_stream_dns_aname_replied(ngx_stream_dns_aname_query_t *q)
{
    uint32_t                  n;
    ngx_dns_external_data_t   data;
    ngx_stream_dns_aname_t   *aname;

    aname = q->aname;

    aname->conf->shared->stat[NGX_DNS_EXTERNAL_STAT_REPLIES]++;

    data.rcode = q->reply.rcode;
    data.nrr = q->reply.nrr;
    data.ttl = q->reply.ttl;
    data.size = q->reply.size;
    data.rrs = aname->data;

    n = ngx_stream_dns_aname_place(q);

    if (n == NGX_DNS_EXTERNAL_NONE
        || ngx_dns_external_store(aname->writer, n, &data, ngx_time())
           != NGX_OK)
    {
        ngx_stream_dns_aname_failed(q);
        return;
    }

    ngx_dns_external_set_data(aname->writer, q->entry, NULL);

    if (n != q->entry) {
        ngx_dns_external_remove(aname->writer, q->entry);
    }

    if (ngx_dns_external_data(aname->writer, n) == NULL) {
        ngx_stream_dns_aname_schedule(aname, n,
                                      ngx_stream_dns_aname_refresh(
                          ngx_dns_external_entry(aname->conf->shared, n)));
    }
}


/* the entry of the networks that the reply is for */

static uint32_t
ngx_stream_dns_aname_place(ngx_stream_dns_aname_query_t *q)
{
    uint32_t                    n, generic;
    ngx_uint_t                  bits;
    ngx_stream_dns_aname_t     *aname;
    ngx_dns_external_entry_t   *e;
    ngx_dns_external_target_t   t;

    aname = q->aname;

    if (q->target.family == 0) {

        /* what was said of networks is as old as what it replaces */

        e = ngx_dns_external_entry(aname->conf->shared, q->entry);

        if (e->scoped == NGX_DNS_EXTERNAL_SAME) {
            ngx_dns_external_scope(aname->writer, q->entry,
                                   NGX_DNS_EXTERNAL_UNKNOWN, 0, 0);
        }

        return q->entry;
    }

    generic = ngx_stream_dns_aname_generic(aname, &q->target);

    if (generic == NGX_DNS_EXTERNAL_NONE) {
        return q->entry;
    }

    e = ngx_dns_external_entry(aname->conf->shared, generic);

    bits = q->reply.ecs ? q->reply.scope : 0;

    if (bits == 0) {

        if (e->scoped != NGX_DNS_EXTERNAL_DIFFER) {
            ngx_dns_external_scope(aname->writer, generic,
                                   NGX_DNS_EXTERNAL_SAME, 0, 0);
            return generic;
        }

        bits = q->query.bits;
    }

    n = q->entry;

    if (bits != q->target.bits) {

        t = q->target;
        t.bits = bits;

        ngx_memzero(t.network, 16);
        ngx_memcpy(t.network, q->network, (bits + 7) / 8);

        if (bits % 8 != 0) {
            t.network[bits / 8] &= (u_char) (0xff << (8 - bits % 8));
        }

        n = ngx_dns_external_make(aname->writer, &t, ngx_time(), 1);
    }

    if (n != NGX_DNS_EXTERNAL_NONE) {
        ngx_dns_external_scope(aname->writer, generic,
                               NGX_DNS_EXTERNAL_DIFFER, q->target.family,
                               bits);
    }

    return n;
}


static void
ngx_stream_dns_aname_release(ngx_stream_dns_aname_query_t *q)
{
    ngx_queue_remove(&q->queue);
    ngx_queue_insert_head(&q->aname->free, &q->queue);
    q->aname->nactive--;
}


/* what has to be looked for among all entries, some of them at a time */

static void
ngx_stream_dns_aname_count(ngx_stream_dns_aname_t *aname)
{
    int64_t                     now;
    ngx_uint_t                  i;
    ngx_dns_external_entry_t   *e;
    ngx_dns_external_shared_t  *sh;

    sh = aname->conf->shared;
    now = ngx_time();

    sh->stat[NGX_DNS_EXTERNAL_STAT_PENDING] = aname->nactive;

    for (i = 0; i < NGX_STREAM_DNS_ANAME_LOOK; i++) {

        if (aname->look == sh->nentries) {
            sh->stat[NGX_DNS_EXTERNAL_STAT_FAILING] = aname->nfailing;
            sh->stat[NGX_DNS_EXTERNAL_STAT_AGE] = aname->age;

            aname->look = 0;
            aname->nfailing = 0;
            aname->age = 0;

            return;
        }

        e = ngx_dns_external_entry(sh, aname->look);

        if (e->key != 0) {

            aname->nfailing += (e->retry != 0
                                && ngx_dns_external_failures(aname->writer,
                                                  (uint32_t) aname->look)
                                   != 0);

            if (e->fetched != 0
                && now - e->asked < NGX_STREAM_DNS_ANAME_USED)
            {
                aname->age = ngx_max(aname->age, now - e->fetched);
            }
        }

        aname->look++;
    }
}
