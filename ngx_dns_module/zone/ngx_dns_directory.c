
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_directory.h"


void
ngx_dns_directory_init(ngx_dns_directory_t *dir, uint64_t slots)
{
    dir->magic = NGX_DNS_DIRECTORY_MAGIC;
    dir->shift = 64 - __builtin_ctzl(slots);
    dir->mask = slots - 1;
    dir->min_labels = NGX_DNS_LABELS_MAX + 1;
    dir->max_labels = 0;
}


ngx_dns_directory_slot_t *
ngx_dns_directory_find(const ngx_dns_shared_t *sh, ngx_dns_directory_t *dir,
    uint64_t hash, const u_char *name, size_t len)
{
    uint64_t                   i;
    ngx_dns_zone_t            *zone;
    ngx_dns_directory_slot_t  *slot;

    for (i = ngx_dns_directory_home(dir, hash); /* void */ ;
         i = (i + 1) & dir->mask)
    {
        slot = ngx_dns_directory_slots(dir) + i;

        if (slot->place == 0) {
            return NULL;
        }

        if (slot->hash != hash || slot->place == NGX_DNS_DIRECTORY_REMOVED) {
            continue;
        }

        zone = ngx_dns_shared_at(sh, slot->place);

        if (zone->name_len == len
            && ngx_dns_name_same(zone->name, name, len))
        {
            return slot;
        }
    }
}


ngx_dns_directory_slot_t *
ngx_dns_directory_add(ngx_dns_directory_t *dir, uint64_t hash, uint64_t place,
    ngx_uint_t *again)
{
    uint64_t                   i;
    ngx_dns_directory_slot_t  *slot;

    i = ngx_dns_directory_home(dir, hash);
    slot = ngx_dns_directory_slots(dir) + i;

    while (slot->place > NGX_DNS_DIRECTORY_REMOVED) {
        i = (i + 1) & dir->mask;
        slot = ngx_dns_directory_slots(dir) + i;
    }

    *again = (slot->place == NGX_DNS_DIRECTORY_REMOVED);

    slot->hash = hash;
    __atomic_store_n(&slot->place, place, __ATOMIC_RELEASE);

    return slot;
}


/*
 * Where nothing follows, a reader may as well stop at the slot, and at
 * removed ones in front of it.
 */

ngx_uint_t
ngx_dns_directory_remove(ngx_dns_directory_t *dir,
    ngx_dns_directory_slot_t *slot)
{
    uint64_t                   i;
    ngx_uint_t                 n;
    ngx_dns_directory_slot_t  *slots;

    slots = ngx_dns_directory_slots(dir);
    i = slot - slots;

    slot->place = NGX_DNS_DIRECTORY_REMOVED;

    if (slots[(i + 1) & dir->mask].place != 0) {
        return 0;
    }

    for (n = 0; slots[i].place == NGX_DNS_DIRECTORY_REMOVED; n++) {
        slots[i].place = 0;
        i = (i - 1) & dir->mask;
    }

    return n;
}


/*
 * In a run without a free slot, from the one where keys such as this belong,
 * is the next key, if there is a larger one in that run at all: what lies
 * behind a free slot belongs behind it.  Slots that slipped over the end are
 * met where they belong only, after the others.
 */

ngx_dns_directory_slot_t *
ngx_dns_directory_next(ngx_dns_directory_t *dir, uint64_t key)
{
    uint64_t                   i, n, k, home, best;
    ngx_dns_directory_slot_t  *slot, *found;

    found = NULL;
    best = 0;
    i = key >> dir->shift;

    for (n = i; n <= 2 * dir->mask + 1; n++) {

        slot = ngx_dns_directory_slots(dir) + (n & dir->mask);

        if (slot->place == 0) {

            if (found != NULL || n > dir->mask) {
                break;
            }

            continue;
        }

        if (slot->place == NGX_DNS_DIRECTORY_REMOVED) {
            continue;
        }

        k = ngx_dns_name_spread(slot->hash);
        home = k >> dir->shift;

        if (k > key && home <= n && (found == NULL || k < best)
            && (n <= dir->mask || home > (n & dir->mask)))
        {
            found = slot;
            best = k;
        }
    }

    return found;
}
