
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


/*
 * The log of changes is a ring of entries, two octets of length in front of
 * each.  Positions count all octets ever written.  An entry is there when
 * log_head is stored behind it.
 */

#define NGX_DNS_CHANGELOG_HEAD  2


static void ngx_dns_changelog_write(ngx_dns_shared_t *sh, uint64_t pos,
    const u_char *p, size_t n);
static void ngx_dns_changelog_read(ngx_dns_shared_t *sh, uint64_t pos,
    u_char *p, size_t n);


uint64_t
ngx_dns_publish_log_append(ngx_dns_publisher_t *pub, ngx_str_t *entry)
{
    u_char             head[NGX_DNS_CHANGELOG_HEAD];
    uint64_t           pos;
    ngx_dns_shared_t  *sh;

    sh = pub->sh;
    pos = sh->log_head;

    if (entry->len > 65535
        || entry->len + NGX_DNS_CHANGELOG_HEAD
           > NGX_DNS_SHARED_LOG - (pos - sh->log_tail))
    {
        return 0;
    }

    head[0] = entry->len >> 8;
    head[1] = entry->len;

    ngx_dns_changelog_write(sh, pos, head, NGX_DNS_CHANGELOG_HEAD);
    pos += NGX_DNS_CHANGELOG_HEAD;

    ngx_dns_changelog_write(sh, pos, entry->data, entry->len);
    pos += entry->len;

    __atomic_store_n(&sh->log_head, pos, __ATOMIC_RELEASE);

    return pos;
}


void
ngx_dns_publish_log_done(ngx_dns_publisher_t *pub, uint64_t pos)
{
    if (pos > pub->sh->log_tail && pos <= pub->sh->log_head) {
        pub->sh->log_tail = pos;
    }
}


ngx_int_t
ngx_dns_publish_log_read(ngx_dns_publisher_t *pub, uint64_t *pos, u_char *buf,
    size_t size, ngx_str_t *entry)
{
    u_char             head[NGX_DNS_CHANGELOG_HEAD];
    size_t             len;
    uint64_t           left;
    ngx_dns_shared_t  *sh;

    sh = pub->sh;

    if (*pos < sh->log_tail) {
        *pos = sh->log_tail;
    }

    if (*pos >= sh->log_head) {
        return NGX_DECLINED;
    }

    left = sh->log_head - *pos;

    if (left < NGX_DNS_CHANGELOG_HEAD || left > NGX_DNS_SHARED_LOG) {
        return NGX_ERROR;
    }

    ngx_dns_changelog_read(sh, *pos, head, NGX_DNS_CHANGELOG_HEAD);
    len = head[0] << 8 | head[1];

    if (len > size || len > left - NGX_DNS_CHANGELOG_HEAD) {
        return NGX_ERROR;
    }

    ngx_dns_changelog_read(sh, *pos + NGX_DNS_CHANGELOG_HEAD, buf, len);
    *pos += NGX_DNS_CHANGELOG_HEAD + len;

    entry->data = buf;
    entry->len = len;

    return NGX_OK;
}


static void
ngx_dns_changelog_write(ngx_dns_shared_t *sh, uint64_t pos, const u_char *p,
    size_t n)
{
    size_t   at, part;
    u_char  *log;

    log = ngx_dns_shared_at(sh, sh->log);
    at = pos % NGX_DNS_SHARED_LOG;
    part = ngx_min(n, NGX_DNS_SHARED_LOG - at);

    ngx_memcpy(log + at, p, part);
    ngx_memcpy(log, p + part, n - part);
}


static void
ngx_dns_changelog_read(ngx_dns_shared_t *sh, uint64_t pos, u_char *p,
    size_t n)
{
    size_t   at, part;
    u_char  *log;

    log = ngx_dns_shared_at(sh, sh->log);
    at = pos % NGX_DNS_SHARED_LOG;
    part = ngx_min(n, NGX_DNS_SHARED_LOG - at);

    ngx_memcpy(p, log + at, part);
    ngx_memcpy(p + part, log, n - part);
}
