
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_HEALTH_WRITE_H_INCLUDED_
#define _NGX_DNS_HEALTH_WRITE_H_INCLUDED_


#include "ngx_dns_health.h"


/*
 * The writer's side of a table of states: one process at a time, by a lock
 * that is the caller's business.  It may die at any instruction.  Slots may
 * move: pointers to them are good until the next remove.
 */

#define NGX_DNS_HEALTH_COUNT_MAX  32767     /* results in a row that count */


/*
 * Makes an empty table of size octets at zeroed memory p, aligned to 8.
 * NULL: size is too small.
 */
ngx_dns_health_t *ngx_dns_health_init(void *p, size_t size);

/*
 * Counts what is there and ends what another writer had begun: to be called
 * by who becomes the writer.
 */
void ngx_dns_health_open(ngx_dns_health_t *h);

/* The slot of a target, or NULL. */
ngx_dns_health_slot_t *ngx_dns_health_slot(ngx_dns_health_t *h, uint64_t id);

/*
 * The slot of a target, made (unknown, never checked) if there is none.
 * NULL: the table is full, which it is when three quarters are in use.
 */
ngx_dns_health_slot_t *ngx_dns_health_insert(ngx_dns_health_t *h,
    uint64_t id);

/* The target does not exist any more. */
void ngx_dns_health_remove(ngx_dns_health_t *h, uint64_t id);

/*
 * Copies all targets of another table.  Returns how many found no room.  A
 * writer may go on with the other one meanwhile.
 */
uint64_t ngx_dns_health_copy(ngx_dns_health_t *h,
    const ngx_dns_health_t *from);

/*
 * The word of a state after another result.
 *
 * word        before
 * good        1: the check succeeded
 * up_count    results in a row that turn it up, and down: 1 to
 * down_count  NGX_DNS_HEALTH_COUNT_MAX, what is not is made so
 *
 * A target that is unknown is up after one good result.
 */
uint64_t ngx_dns_health_result(uint64_t word, ngx_uint_t good,
    ngx_uint_t up_count, ngx_uint_t down_count);

/*
 * The word of a state when it is known from somebody else: run results in a
 * row were good, or (< 0) bad; 0: it is unknown.
 */
uint64_t ngx_dns_health_heard(uint64_t word, ngx_int_t run,
    ngx_uint_t up_count, ngx_uint_t down_count);


#endif /* _NGX_DNS_HEALTH_WRITE_H_INCLUDED_ */
