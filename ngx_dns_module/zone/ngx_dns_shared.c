
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_directory.h"


static ngx_dns_zone_t *ngx_dns_shared_probe(const ngx_dns_shared_t *sh,
    ngx_dns_directory_t *dir, const ngx_dns_name_t *name, ngx_uint_t i);


/*
 * As ngx_dns_directory_find(), but beside a writer: the place is read once,
 * and before the hash that was stored before it.
 */

static ngx_dns_zone_t *
ngx_dns_shared_probe(const ngx_dns_shared_t *sh, ngx_dns_directory_t *dir,
    const ngx_dns_name_t *name, ngx_uint_t i)
{
    size_t                     len;
    uint64_t                   n, hash, place;
    const u_char              *wire;
    ngx_dns_zone_t            *zone;
    ngx_dns_directory_slot_t  *slot;

    wire = name->wire + name->offset[i];
    len = name->len - name->offset[i];
    hash = name->hash[i];

    for (n = ngx_dns_directory_home(dir, hash); /* void */ ;
         n = (n + 1) & dir->mask)
    {
        slot = ngx_dns_directory_slots(dir) + n;
        place = __atomic_load_n(&slot->place, __ATOMIC_ACQUIRE);

        if (place == 0) {
            return NULL;
        }

        if (slot->hash != hash || place == NGX_DNS_DIRECTORY_REMOVED) {
            continue;
        }

        zone = ngx_dns_shared_at(sh, place);

        if (zone->name_len == len
            && ngx_dns_name_same(zone->name, wire, len))
        {
            return zone;
        }
    }
}


ngx_dns_zone_t *
ngx_dns_shared_find(const ngx_dns_shared_t *sh, const ngx_dns_name_t *name,
    ngx_uint_t above)
{
    ngx_uint_t            i, min, max;
    ngx_dns_zone_t       *zone, *own;
    ngx_dns_directory_t  *dir;

    dir = ngx_dns_shared_at(sh, __atomic_load_n(&sh->directory,
                                                __ATOMIC_ACQUIRE));
    min = dir->min_labels;
    max = dir->max_labels;

    i = (name->labels > max) ? name->labels - max : 0;
    own = NULL;

    for ( /* void */ ; i + min <= name->labels; i++) {

        zone = ngx_dns_shared_probe(sh, dir, name, i);

        if (zone != NULL) {

            if (i != 0 || !above) {
                return zone;
            }

            own = zone;
        }
    }

    return own;
}


ngx_dns_shared_t *
ngx_dns_shared_init(void *p, size_t size, ngx_uint_t nreaders)
{
    ngx_dns_shared_t     *sh;
    ngx_dns_directory_t  *dir;

    sh = p;

    if (size < sizeof(ngx_dns_shared_t)) {
        return NULL;
    }

    sh->readers = ngx_align(sizeof(ngx_dns_shared_t), 64);
    sh->log = sh->readers + nreaders * sizeof(ngx_dns_reader_t);
    sh->blocks = sh->log + NGX_DNS_SHARED_LOG;

    if (nreaders > size / sizeof(ngx_dns_reader_t)
        || sh->blocks + ngx_dns_directory_size(NGX_DNS_DIRECTORY_SLOTS) > size)
    {
        return NULL;
    }

    sh->version = NGX_DNS_SHARED_VERSION;
    sh->size = size;
    sh->nreaders = nreaders;
    sh->epoch = 1;

    dir = ngx_dns_shared_at(sh, sh->blocks);
    ngx_dns_directory_init(dir, NGX_DNS_DIRECTORY_SLOTS);

    sh->directory = sh->blocks;
    sh->magic = NGX_DNS_SHARED_MAGIC;

    return sh;
}


/*
 * The writer tells a dead process from the next one in its slot by pid and
 * started, and has to see them before any epoch of the new one.
 */

ngx_dns_reader_t *
ngx_dns_shared_reader(ngx_dns_shared_t *sh, ngx_uint_t i, uint64_t pid,
    uint64_t started)
{
    ngx_dns_reader_t  *reader;

    reader = (ngx_dns_reader_t *) ngx_dns_shared_at(sh, sh->readers) + i;

    __atomic_store_n(&reader->epoch, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&reader->started, started, __ATOMIC_RELAXED);
    __atomic_store_n(&reader->pid, pid, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    return reader;
}
