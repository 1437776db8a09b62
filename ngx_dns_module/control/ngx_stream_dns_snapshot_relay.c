
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include <pthread.h>
#include <sys/mman.h>

#include "ngx_stream_dns_snapshot_relay.h"


#define NGX_STREAM_DNS_RELAY_STACK  (256 * 1024)
#define NGX_STREAM_DNS_RELAY_LOOK   500     /* microseconds between two */

#define ngx_stream_dns_relay_get(flag)                                        \
    __atomic_load_n(&(flag), __ATOMIC_ACQUIRE)
#define ngx_stream_dns_relay_set(flag, value)                                 \
    __atomic_store_n(&(flag), value, __ATOMIC_RELEASE)


static ngx_int_t ngx_stream_dns_relay_thread(void *(*thread)(void *data),
    void *data);


ngx_int_t
ngx_stream_dns_relay_start(ngx_stream_dns_relay_t *relay,
    void *(*thread)(void *data), void *data)
{
    ngx_uint_t  i;

    ngx_memzero(relay, sizeof(ngx_stream_dns_relay_t));

    for (i = 0; i < 2; i++) {
        if (ngx_stream_dns_relay_resize(&relay->bufs[i],
                                        NGX_STREAM_DNS_RELAY_SIZE)
            != NGX_OK)
        {
            goto failed;
        }
    }

    if (ngx_stream_dns_relay_thread(thread, data) == NGX_OK) {
        return NGX_OK;
    }

failed:

    ngx_stream_dns_relay_end(relay);

    return NGX_ERROR;
}


/* signals are the loop's; SIGXFSZ becomes EFBIG */

static ngx_int_t
ngx_stream_dns_relay_thread(void *(*thread)(void *data), void *data)
{
    int             err;
    sigset_t        all, before;
    pthread_t       tid;
    pthread_attr_t  attr;

    err = pthread_attr_init(&attr);

    if (err == 0) {
        (void) pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        (void) pthread_attr_setstacksize(&attr, NGX_STREAM_DNS_RELAY_STACK);

        sigfillset(&all);
        (void) pthread_sigmask(SIG_SETMASK, &all, &before);

        err = pthread_create(&tid, &attr, thread, data);

        (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void) pthread_attr_destroy(&attr);
    }

    ngx_set_errno(err);

    return err ? NGX_ERROR : NGX_OK;
}


ngx_stream_dns_relay_buf_t *
ngx_stream_dns_relay_to_fill(ngx_stream_dns_relay_t *relay, ngx_uint_t wait)
{
    ngx_stream_dns_relay_buf_t  *buf;

    buf = &relay->bufs[relay->fill];

    while (ngx_stream_dns_relay_get(buf->full)) {

        if (!wait) {
            return NULL;
        }

        (void) usleep(NGX_STREAM_DNS_RELAY_LOOK);
    }

    return buf;
}


ngx_stream_dns_relay_buf_t *
ngx_stream_dns_relay_to_drain(ngx_stream_dns_relay_t *relay, ngx_uint_t wait)
{
    ngx_uint_t                   last;
    ngx_stream_dns_relay_buf_t  *buf;

    buf = &relay->bufs[relay->drain];

    for ( ;; ) {

        /* first: what is said to be the last one is full by then */

        last = ngx_stream_dns_relay_get(relay->last);

        if (ngx_stream_dns_relay_get(buf->full)) {
            return buf;
        }

        if (!wait || last) {
            return NULL;
        }

        (void) usleep(NGX_STREAM_DNS_RELAY_LOOK);
    }
}


void
ngx_stream_dns_relay_filled(ngx_stream_dns_relay_t *relay, ngx_uint_t last)
{
    ngx_stream_dns_relay_set(relay->bufs[relay->fill].full, 1);

    relay->fill ^= 1;

    if (last) {
        ngx_stream_dns_relay_set(relay->last, 1);
    }
}


void
ngx_stream_dns_relay_drained(ngx_stream_dns_relay_t *relay)
{
    relay->bufs[relay->drain].used = 0;

    ngx_stream_dns_relay_set(relay->bufs[relay->drain].full, 0);

    relay->drain ^= 1;
}


ngx_int_t
ngx_stream_dns_relay_resize(ngx_stream_dns_relay_buf_t *buf, size_t size)
{
    size = ngx_align(size, ngx_pagesize);

    if (buf->size == size) {
        return NGX_OK;
    }

    if (buf->p != NULL) {
        (void) munmap(buf->p, buf->size);
        buf->p = NULL;
        buf->size = 0;
    }

    buf->p = mmap(NULL, size, PROT_READ|PROT_WRITE,
                  MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);

    if (buf->p == MAP_FAILED) {
        buf->p = NULL;
        return NGX_ERROR;
    }

    buf->size = size;

    return NGX_OK;
}


void
ngx_stream_dns_relay_over(ngx_stream_dns_relay_t *relay)
{
    ngx_stream_dns_relay_set(relay->over, 1);
}


ngx_uint_t
ngx_stream_dns_relay_is_over(ngx_stream_dns_relay_t *relay)
{
    return ngx_stream_dns_relay_get(relay->over);
}


void
ngx_stream_dns_relay_end(ngx_stream_dns_relay_t *relay)
{
    ngx_uint_t  i;

    for (i = 0; i < 2; i++) {
        if (relay->bufs[i].p != NULL) {
            (void) munmap(relay->bufs[i].p, relay->bufs[i].size);
            relay->bufs[i].p = NULL;
            relay->bufs[i].size = 0;
        }
    }
}
