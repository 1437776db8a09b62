
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_dns_choice.h"
#include "ngx_stream_dns_geoip.h"
#include "ngx_stream_dns_memory.h"


#define NGX_STREAM_DNS_GEOIP_SHARED  (64 * 1024)        /* octets */
#define NGX_STREAM_DNS_GEOIP_TAIL    (128 * 1024)       /* with metadata */


static ngx_stream_dns_geoip_conf_t *ngx_stream_dns_geoip_get(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);
static void ngx_stream_dns_geoip_cleanup(void *data);

#if (NGX_DNS_GEO)
static ngx_int_t ngx_stream_dns_geoip_add(ngx_conf_t *cf,
    ngx_stream_dns_geoip_conf_t *gcf, ngx_str_t *path);
static ngx_int_t ngx_stream_dns_geoip_check(ngx_conf_t *cf, ngx_str_t *path);
static const char *ngx_stream_dns_geoip_tail(ngx_conf_t *cf, ngx_fd_t fd);
static ngx_int_t ngx_stream_dns_geoip_shared_init(ngx_shm_zone_t *zone,
    void *data);
#endif

static char *ngx_stream_dns_network_line(ngx_conf_t *cf, ngx_command_t *dummy,
    void *conf);
static ngx_int_t ngx_stream_dns_network_cidr(ngx_conf_t *cf, ngx_str_t *text,
    ngx_dns_geo_net_t *net);
static const char *ngx_stream_dns_network_v6(ngx_cidr_t *cidr,
    ngx_dns_geo_net_t *net);
static char *ngx_stream_dns_network_twice(ngx_conf_t *cf,
    ngx_stream_dns_geoip_conf_t *gcf);


#if (NGX_DNS_GEO)

/* the tag of the shared memory */

static ngx_uint_t  ngx_stream_dns_geoip_tag;

#endif


static ngx_stream_dns_geoip_conf_t *
ngx_stream_dns_geoip_get(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_pool_cleanup_t           *cln;
    ngx_stream_dns_main_conf_t   *dmcf;
    ngx_stream_dns_geoip_conf_t  *gcf;

    if (cmcf->geoip != NULL) {
        return cmcf->geoip;
    }

    gcf = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_geoip_conf_t));
    if (gcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&gcf->geo.files, cf->pool, 4,
                       sizeof(ngx_stream_dns_geo_file_t))
        != NGX_OK
        || ngx_array_init(&gcf->geo.names, cf->pool, 4,
                          sizeof(ngx_dns_explain_network_t))
           != NGX_OK
        || ngx_array_init(&gcf->names, cf->pool, 4,
                          sizeof(ngx_stream_dns_network_t))
           != NGX_OK
        || ngx_array_init(&gcf->nets, cf->pool, 16,
                          sizeof(ngx_dns_geo_net_t))
           != NGX_OK)
    {
        return NULL;
    }

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_stream_dns_geoip_cleanup;
    cln->data = gcf;

    dmcf = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_dns_module);
    dmcf->geo = &gcf->geo;

    cmcf->geoip = gcf;

    return gcf;
}


static void
ngx_stream_dns_geoip_cleanup(void *data)
{
    ngx_stream_dns_geoip_conf_t *gcf = data;

    if (gcf->geo.networks != NULL) {
        ngx_stream_dns_memory_free(gcf->geo.networks, gcf->geo.size);
    }
}


char *
ngx_stream_dns_geoip(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
#if (NGX_DNS_GEO)
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    ngx_str_t                    *value, name;
    ngx_uint_t                    i;
    ngx_stream_dns_geoip_conf_t  *gcf;

    gcf = ngx_stream_dns_geoip_get(cf, cmcf);
    if (gcf == NULL) {
        return NGX_CONF_ERROR;
    }

    if (gcf->geo.shm_zone == NULL) {
        gcf->conf_file = cf->conf_file->file.name.data;
        gcf->conf_line = cf->conf_file->line;

        ngx_str_set(&name, "ngx_dns_geoip");

        gcf->geo.shm_zone = ngx_shared_memory_add(cf, &name,
                                                 NGX_STREAM_DNS_GEOIP_SHARED,
                                                 &ngx_stream_dns_geoip_tag);
        if (gcf->geo.shm_zone == NULL) {
            return NGX_CONF_ERROR;
        }

        gcf->geo.shm_zone->init = ngx_stream_dns_geoip_shared_init;
        gcf->geo.shm_zone->data = &gcf->geo;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        if (ngx_stream_dns_geoip_add(cf, gcf, &value[i]) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
#else
    return "needs libmaxminddb, without which the module was built";
#endif
}


#if (NGX_DNS_GEO)

static ngx_int_t
ngx_stream_dns_geoip_add(ngx_conf_t *cf, ngx_stream_dns_geoip_conf_t *gcf,
    ngx_str_t *path)
{
    size_t                      n;
    ngx_str_t                   full;
    ngx_uint_t                  i;
    ngx_stream_dns_geo_file_t  *file;

    full = *path;

    if (ngx_conf_full_name(cf->cycle, &full, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    file = gcf->geo.files.elts;

    for (i = 0; i < gcf->geo.files.nelts; i++) {
        if (ngx_strcmp(file[i].path.data, full.data) == 0) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "duplicate \"dns_geoip\" file \"%V\"", &full);
            return NGX_ERROR;
        }
    }

    if (gcf->geo.files.nelts == NGX_STREAM_DNS_GEO_FILES) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "more than %d files of \"dns_geoip\"",
                           NGX_STREAM_DNS_GEO_FILES);
        return NGX_ERROR;
    }

    file = ngx_array_push(&gcf->geo.files);
    if (file == NULL) {
        return NGX_ERROR;
    }

    file->path = full;
    file->id = 0xcbf29ce484222325;

    for (n = 0; n < full.len; n++) {
        file->id = (file->id ^ full.data[n]) * 0x100000001b3;
    }

    if (file->id == 0) {
        file->id = 1;
    }

    /* the signaller needs none of it */

    return (ngx_process == NGX_PROCESS_SIGNALLER)
           ? NGX_OK : ngx_stream_dns_geoip_check(cf, &full);
}


/* that it may be a database; what is in it is the control process's */

static ngx_int_t
ngx_stream_dns_geoip_check(ngx_conf_t *cf, ngx_str_t *path)
{
    ngx_fd_t     fd;
    const char  *failed;

    fd = open((const char *) path->data, O_RDONLY|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "open() \"%V\" failed", path);
        return NGX_ERROR;
    }

    failed = ngx_stream_dns_geoip_tail(cf, fd);

    if (failed != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" is no database of places: %s", path,
                           failed);
    }

    (void) close(fd);

    return (failed == NULL) ? NGX_OK : NGX_ERROR;
}


static const char *
ngx_stream_dns_geoip_tail(ngx_conf_t *cf, ngx_fd_t fd)
{
    off_t             at;
    u_char           *p;
    size_t            i, n;
    ssize_t           got;
    const char       *failed;
    ngx_file_info_t   fi;

    static const u_char  marker[] = "\xab\xcd\xef" "MaxMind.com";

    if (ngx_fd_info(fd, &fi) == NGX_FILE_ERROR || !ngx_is_file(&fi)) {
        return "it is no regular file";
    }

    p = ngx_alloc(NGX_STREAM_DNS_GEOIP_TAIL, cf->log);
    if (p == NULL) {
        return "no memory";
    }

    at = ngx_max(ngx_file_size(&fi) - NGX_STREAM_DNS_GEOIP_TAIL, 0);
    n = 0;

    do {
        got = pread(fd, p + n, NGX_STREAM_DNS_GEOIP_TAIL - n, at + n);
        n += (got > 0) ? got : 0;
    } while (got > 0 && n < NGX_STREAM_DNS_GEOIP_TAIL);

    failed = "it has no metadata of MaxMind's format";

    for (i = sizeof(marker) - 1; i <= n; i++) {
        if (ngx_memcmp(p + n - i, marker, sizeof(marker) - 1) == 0) {
            failed = NULL;
            break;
        }
    }

    ngx_free(p);

    return failed;
}


/* may belong to a reload that fails: what is there stays as it is */

static ngx_int_t
ngx_stream_dns_geoip_shared_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t              *shpool;
    ngx_stream_dns_geo_conf_t    *geo, *old;
    ngx_stream_dns_geo_shared_t  *shared;

    geo = zone->data;
    old = data;

    if (old != NULL) {
        geo->shared = old->shared;
        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (zone->shm.exists) {
        geo->shared = shpool->data;
        return NGX_OK;
    }

    shared = ngx_slab_calloc(shpool, sizeof(ngx_stream_dns_geo_shared_t));

    if (shared == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "no memory in zone \"%V\"", &zone->shm.name);
        return NGX_ERROR;
    }

    shared->generation = 2;

    if (ngx_stream_dns_control_lock_init(shared->lock, zone->shm.log)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    shpool->data = shared;
    geo->shared = shared;

    return NGX_OK;
}

#endif


char *
ngx_stream_dns_network(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    char                         *rv;
    uint32_t                      id;
    ngx_str_t                    *value;
    ngx_uint_t                    i;
    ngx_conf_t                    save;
    ngx_stream_dns_network_t     *net;
    ngx_dns_explain_network_t    *name;
    ngx_stream_dns_geoip_conf_t  *gcf;

    gcf = ngx_stream_dns_geoip_get(cf, cmcf);
    if (gcf == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    if (value[1].len == 0) {
        return "has an empty name";
    }

    id = ngx_dns_network_id(value[1].data, value[1].len);
    net = gcf->names.elts;

    for (i = 0; i < gcf->names.nelts; i++) {

        if (net[i].id != id) {
            continue;
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"dns_network\" \"%V\" %s that in %s:%ui",
                           &value[1],
                           (net[i].name.len == value[1].len
                            && ngx_strncasecmp(net[i].name.data,
                                               value[1].data, value[1].len)
                               == 0)
                           ? "has the name of"
                           : "needs another name: it is taken for",
                           net[i].conf_file, net[i].conf_line);
        return NGX_CONF_ERROR;
    }

    net = ngx_array_push(&gcf->names);
    name = ngx_array_push(&gcf->geo.names);

    if (net == NULL || name == NULL) {
        return NGX_CONF_ERROR;
    }

    name->name = value[1];
    name->id = id;

    net->name = value[1];
    net->id = id;
    net->conf_file = cf->conf_file->file.name.data;
    net->conf_line = cf->conf_file->line;

    save = *cf;
    cf->handler = ngx_stream_dns_network_line;
    cf->handler_conf = (char *) gcf;

    rv = ngx_conf_parse(cf, NULL);

    *cf = save;

    return rv;
}


static char *
ngx_stream_dns_network_line(ngx_conf_t *cf, ngx_command_t *dummy, void *conf)
{
    ngx_str_t                    *value;
    ngx_uint_t                    i;
    ngx_dns_geo_net_t            *net;
    ngx_stream_dns_network_t     *name;
    ngx_stream_dns_geoip_conf_t  *gcf;

    gcf = (ngx_stream_dns_geoip_conf_t *) cf->handler_conf;
    value = cf->args->elts;

    if (ngx_strcmp(value[0].data, "include") == 0) {

        if (cf->args->nelts != 2) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid number of parameters of \"include\"");
            return NGX_CONF_ERROR;
        }

        return ngx_conf_include(cf, dummy, conf);
    }

    name = gcf->names.elts;
    name += gcf->names.nelts - 1;

    for (i = 0; i < cf->args->nelts; i++) {

        net = ngx_array_push(&gcf->nets);
        if (net == NULL) {
            return NGX_CONF_ERROR;
        }

        net->value = name->id;
        net->file = cf->conf_file->file.name.data;
        net->line = (uint32_t) cf->conf_file->line;

        if (ngx_stream_dns_network_cidr(cf, &value[i], net) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_stream_dns_network_cidr(ngx_conf_t *cf, ngx_str_t *text,
    ngx_dns_geo_net_t *net)
{
    ngx_int_t    rc;
    ngx_cidr_t   cidr;
    const char  *failed;

    rc = ngx_ptocidr(text, &cidr);

    if (rc == NGX_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid network \"%V\"",
                           text);
        return NGX_ERROR;
    }

    if (rc == NGX_DONE) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "low address bits of \"%V\" are meaningless",
                           text);
    }

    net->v6 = 0;
    failed = NULL;

    if (cidr.family == AF_INET) {
        net->start = ntohl(cidr.u.in.addr);
        net->bits = (uint8_t) __builtin_popcount(cidr.u.in.mask);

    } else {
        failed = ngx_stream_dns_network_v6(&cidr, net);
    }

    if (failed != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "network \"%V\" %s", text,
                           failed);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static const char *
ngx_stream_dns_network_v6(ngx_cidr_t *cidr, ngx_dns_geo_net_t *net)
{
#if (NGX_HAVE_INET6)
    u_char      *addr;
    ngx_uint_t   i, bits;

    bits = 0;

    for (i = 0; i < 16; i++) {
        bits += __builtin_popcount(cidr->u.in6.mask.s6_addr[i]);
    }

    addr = cidr->u.in6.addr.s6_addr;

    if (bits >= 96 && IN6_IS_ADDR_V4MAPPED(&cidr->u.in6.addr)) {
        net->start = ngx_dns_get32(addr + 12);
        net->bits = (uint8_t) (bits - 96);
        return NULL;
    }

    if (bits > 64) {
        return "is smaller than a /64";
    }

    net->v6 = 1;
    net->bits = (uint8_t) bits;
    net->start = (uint64_t) ngx_dns_get32(addr) << 32
                 | ngx_dns_get32(addr + 4);

    return NULL;
#else
    return "is not supported: nginx was built without IPv6";
#endif
}


char *
ngx_stream_dns_geoip_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    char                         *rv;
    ngx_stream_dns_geoip_conf_t  *gcf;

    gcf = cmcf->geoip;

    if (gcf == NULL) {
        return NGX_CONF_OK;
    }

    if (gcf->geo.files.nelts != 0) {

        if (cmcf->path == NULL) {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"dns_geoip\" in %s:%ui needs \"dns_state_path\"",
                          gcf->conf_file, gcf->conf_line);
            return NGX_CONF_ERROR;
        }

        gcf->geo.dir.len = cmcf->path->name.len + sizeof("/geo") - 1;

        gcf->geo.dir.data = ngx_pnalloc(cf->pool, gcf->geo.dir.len + 1);
        if (gcf->geo.dir.data == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_sprintf(gcf->geo.dir.data, "%V/geo%Z", &cmcf->path->name);
    }

    if (gcf->nets.nelts == 0) {
        return NGX_CONF_OK;
    }

    ngx_dns_geo_nets_sort(gcf->nets.elts, gcf->nets.nelts);

    rv = ngx_stream_dns_network_twice(cf, gcf);

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    if (ngx_dns_geo_nets(gcf->nets.elts, gcf->nets.nelts,
                         &ngx_stream_dns_memory, &gcf->geo.networks,
                         &gcf->geo.size)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_network_twice(ngx_conf_t *cf, ngx_stream_dns_geoip_conf_t *gcf)
{
    ngx_uint_t          i;
    ngx_dns_geo_net_t  *net;

    net = gcf->nets.elts;

    for (i = 1; i < gcf->nets.nelts; i++) {

        if (net[i].start != net[i - 1].start || net[i].v6 != net[i - 1].v6
            || net[i].bits != net[i - 1].bits)
        {
            continue;
        }

        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "the network in %s:%uD is that in %s:%uD, too",
                      net[i].file, net[i].line,
                      net[i - 1].file, net[i - 1].line);

        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}
