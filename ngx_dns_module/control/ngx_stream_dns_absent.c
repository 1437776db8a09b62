#include "ngx_stream_dns_snapshot.h"
#include "ngx_stream_dns_sync.h"
#define W __attribute__((weak))
W ngx_int_t ngx_stream_dns_snapshot_load(ngx_stream_dns_source_t *src, void (*done)(ngx_stream_dns_source_t *src)) { done(src); return NGX_OK; }
W void ngx_stream_dns_snapshot_tick(ngx_stream_dns_source_t *src) {}
W void ngx_stream_dns_snapshot_change(ngx_stream_dns_source_t *src) {}
