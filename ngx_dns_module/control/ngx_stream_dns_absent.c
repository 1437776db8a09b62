#include "ngx_stream_dns_snapshot.h"
#include "ngx_stream_dns_sync.h"
#define W __attribute__((weak))
W ngx_int_t ngx_stream_dns_sync_start(ngx_stream_dns_source_t *src) { return NGX_OK; }
W ngx_int_t ngx_stream_dns_sync_write(ngx_stream_dns_source_t *src) { return NGX_OK; }
W void ngx_stream_dns_sync_tick(ngx_stream_dns_source_t *src) {}
W ngx_int_t ngx_stream_dns_snapshot_load(ngx_stream_dns_source_t *src, void (*done)(ngx_stream_dns_source_t *src)) { done(src); return NGX_OK; }
W void ngx_stream_dns_snapshot_tick(ngx_stream_dns_source_t *src) {}
W ngx_dns_shared_t *ngx_dns_shared_init(void *p, size_t size, ngx_uint_t nreaders)
{
    ngx_dns_shared_t  *sh = p;
    sh->epoch = 1; sh->size = size; sh->nreaders = nreaders;
    sh->readers = ngx_align(sizeof(ngx_dns_shared_t), 64);
    return sh;
}
W ngx_dns_reader_t *ngx_dns_shared_reader(ngx_dns_shared_t *sh, ngx_uint_t i, uint64_t pid, uint64_t started)
{
    ngx_dns_reader_t  *r = (ngx_dns_reader_t *) ((u_char *) sh + sh->readers) + i;
    r->epoch = 0; r->pid = pid; r->started = started;
    return r;
}
W ngx_dns_publisher_t *ngx_dns_publisher_open(ngx_dns_shared_t *sh, ngx_dns_memory_t *mem, ngx_dns_key_t *key, ngx_uint_t (*alive)(uint64_t pid, uint64_t started)) { return (ngx_dns_publisher_t *) sh; }
W void ngx_dns_publisher_close(ngx_dns_publisher_t *pub) {}
W void ngx_dns_publish_stat(ngx_dns_publisher_t *pub, ngx_dns_publish_stat_t *st) { ngx_memzero(st, sizeof(*st)); }
W ngx_int_t ngx_dns_publish_work(ngx_dns_publisher_t *pub, size_t octets) { return NGX_OK; }
W ngx_int_t ngx_dns_publish_copy(ngx_dns_publisher_t *to, ngx_dns_shared_t *from, uint64_t *needed) { return NGX_OK; }
W ngx_dns_zone_t *ngx_dns_publish_get(ngx_dns_publisher_t *pub, const u_char *apex) { return NULL; }
