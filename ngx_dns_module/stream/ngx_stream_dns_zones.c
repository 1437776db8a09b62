
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_load.h"
#include "ngx_stream_dns_pools.h"
#include "ngx_stream_dns_zones.h"


#define NGX_STREAM_DNS_MAX_REFUSED  10      /* zones, then reading stops */


/* a compiled zone by path, name and default TTL; one per configuration */

typedef struct {
    ngx_str_node_t               sn;
    ngx_stream_dns_file_zone_t  *fz;
} ngx_stream_dns_file_node_t;


/* a zone of a server by its apex */

typedef struct {
    ngx_str_node_t               sn;
    ngx_stream_dns_zone_conf_t  *conf;
} ngx_stream_dns_apex_node_t;


/* the work on one server */

typedef struct {
    ngx_conf_t                  *cf;
    ngx_stream_dns_srv_conf_t   *dscf;
    ngx_dns_conf_t              *dcf;
    ngx_dns_conf_t              *old;       /* NULL at the first start */
    ngx_dns_pools_t             *pools;
    ngx_rbtree_t                 apexes;
    ngx_rbtree_node_t            sentinel;
    ngx_array_t                  zones;     /* ngx_dns_zone_t * */
} ngx_stream_dns_zones_t;


static ngx_int_t ngx_stream_dns_zones_init(ngx_stream_dns_zones_t *zs,
    ngx_conf_t *cf, ngx_stream_dns_srv_conf_t *dscf);
static ngx_int_t ngx_stream_dns_zones_glob(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc);
static ngx_int_t ngx_stream_dns_zones_match(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc, ngx_str_t *path);
static void ngx_stream_dns_zones_name(ngx_str_t *name, ngx_str_t *path);
static ngx_int_t ngx_stream_dns_zones_apex(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc);
static ngx_stream_dns_zone_conf_t *ngx_stream_dns_zones_find(
    ngx_stream_dns_zones_t *zs, ngx_str_t *apex);
static ngx_int_t ngx_stream_dns_zones_add(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc);
static ngx_stream_dns_file_zone_t *ngx_stream_dns_zones_get(
    ngx_stream_dns_zones_t *zs, ngx_stream_dns_zone_conf_t *zc);
static ngx_int_t ngx_stream_dns_zones_readable(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc);


char *
ngx_stream_dns_zones(ngx_conf_t *cf, ngx_stream_dns_srv_conf_t *dscf)
{
    ngx_uint_t                   i, n;
    ngx_stream_dns_zones_t       zs;
    ngx_stream_dns_zone_conf_t  *zc;
    ngx_stream_core_srv_conf_t  *cscf;

    if (ngx_stream_dns_zones_init(&zs, cf, dscf) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    zc = NULL;
    n = 0;

    if (dscf->zone_confs != NULL) {
        zc = dscf->zone_confs->elts;
        n = dscf->zone_confs->nelts;
    }

    /* the zones with a name of their own come first: patterns skip them */

    for (i = 0; i < n; i++) {
        if (!zc[i].pattern
            && ngx_stream_dns_zones_add(&zs, &zc[i]) != NGX_OK)
        {
            return NGX_CONF_ERROR;
        }
    }

    for (i = 0; i < n; i++) {
        if (zc[i].pattern
            && ngx_stream_dns_zones_glob(&zs, &zc[i]) != NGX_OK)
        {
            return NGX_CONF_ERROR;
        }
    }

    if (zs.dcf->failed != 0) {
        return NGX_CONF_ERROR;
    }

    if (zs.apexes.root == &zs.sentinel && dscf->sources == NULL) {
        cscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_core_module);

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"dns\" without zones: every query will be refused "
                      "by the server in %s:%ui",
                      cscf->file_name, cscf->line);
    }

    if (zs.zones.nelts == 0) {
        return NGX_CONF_OK;
    }

    dscf->answer.zones = ngx_dns_zones_create(cf->pool, zs.zones.elts,
                                              zs.zones.nelts, dscf->key);

    return (dscf->answer.zones == NULL) ? NGX_CONF_ERROR : NGX_CONF_OK;
}


static ngx_int_t
ngx_stream_dns_zones_init(ngx_stream_dns_zones_t *zs, ngx_conf_t *cf,
    ngx_stream_dns_srv_conf_t *dscf)
{
    ngx_cycle_t                 *old;
    ngx_stream_dns_main_conf_t  *dmcf;

    dmcf = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_dns_module);

    if (ngx_stream_dns_pools_settle(cf, dmcf) != NGX_OK) {
        return NGX_ERROR;
    }

    zs->cf = cf;
    zs->dscf = dscf;
    zs->dcf = (ngx_dns_conf_t *) ngx_get_conf(cf->cycle->conf_ctx,
                                              ngx_dns_module);
    zs->old = NULL;
    zs->pools = dmcf->pools;

    old = cf->cycle->old_cycle;

    if (old != NULL && old->conf_ctx != NULL) {
        zs->old = (ngx_dns_conf_t *) ngx_get_conf(old->conf_ctx,
                                                  ngx_dns_module);
    }

    ngx_rbtree_init(&zs->apexes, &zs->sentinel, ngx_str_rbtree_insert_value);

    return ngx_array_init(&zs->zones, cf->temp_pool, 16,
                          sizeof(ngx_dns_zone_t *));
}


static ngx_int_t
ngx_stream_dns_zones_glob(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc)
{
    ngx_int_t   rc;
    ngx_str_t   path;
    ngx_glob_t  gl;

    ngx_memzero(&gl, sizeof(ngx_glob_t));

    gl.pattern = zc->path.data;
    gl.log = zs->cf->log;
    gl.test = 1;

    if (ngx_open_glob(&gl) != NGX_OK) {
        ngx_log_error(NGX_LOG_EMERG, zs->cf->log, ngx_errno,
                      ngx_open_glob_n " \"%V\" failed in %s:%ui",
                      &zc->path, zc->conf_file, zc->conf_line);
        return NGX_ERROR;
    }

    rc = NGX_OK;

    while (rc == NGX_OK && ngx_read_glob(&gl, &path) == NGX_OK) {
        rc = ngx_stream_dns_zones_match(zs, zc, &path);
    }

    ngx_close_glob(&gl);

    return rc;
}


static ngx_int_t
ngx_stream_dns_zones_match(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *pattern, ngx_str_t *path)
{
    ngx_file_info_t              fi;
    ngx_stream_dns_zone_conf_t  *zc, *found;

    if (ngx_file_info(path->data, &fi) != NGX_FILE_ERROR && ngx_is_dir(&fi)) {
        return NGX_OK;
    }

    zc = ngx_palloc(zs->cf->temp_pool, sizeof(ngx_stream_dns_zone_conf_t));
    if (zc == NULL) {
        return NGX_ERROR;
    }

    *zc = *pattern;

    zc->path.len = path->len;

    zc->path.data = ngx_pnalloc(zs->cf->temp_pool, path->len + 1);
    if (zc->path.data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(zc->path.data, path->data, path->len);
    zc->path.data[path->len] = '\0';

    ngx_stream_dns_zones_name(&zc->name, &zc->path);

    if (ngx_stream_dns_zones_apex(zs, zc) != NGX_OK) {
        return NGX_ERROR;
    }

    found = ngx_stream_dns_zones_find(zs, &zc->apex);

    if (found != NULL
        && (!found->pattern
            || ngx_strcmp(found->path.data, zc->path.data) == 0))
    {
        return NGX_OK;
    }

    return ngx_stream_dns_zones_add(zs, zc);
}


/* the name of a file without its last suffix; points into path */

static void
ngx_stream_dns_zones_name(ngx_str_t *name, ngx_str_t *path)
{
    u_char  *p, *base, *last;

    last = path->data + path->len;
    base = last;

    while (base > path->data && base[-1] != '/') {
        base--;
    }

    name->data = base;
    name->len = last - base;

    for (p = last - 1; p > base; p--) {
        if (*p == '.') {
            name->len = p - base;
            return;
        }
    }
}


static ngx_int_t
ngx_stream_dns_zones_apex(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc)
{
    const char  *err;

    zc->apex.data = ngx_pnalloc(zs->cf->temp_pool, NGX_DNS_NAME_MAX);
    if (zc->apex.data == NULL) {
        return NGX_ERROR;
    }

    zc->apex.len = ngx_dns_name_from_text(zc->apex.data, &zc->name, NULL,
                                          &err);

    if (zc->apex.len == 0) {
        ngx_log_error(NGX_LOG_EMERG, zs->cf->log, 0,
                      "no zone name in \"%V\": %s, in %s:%ui",
                      &zc->path, err, zc->conf_file, zc->conf_line);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_stream_dns_zone_conf_t *
ngx_stream_dns_zones_find(ngx_stream_dns_zones_t *zs, ngx_str_t *apex)
{
    uint32_t                     hash;
    ngx_stream_dns_apex_node_t  *an;

    hash = ngx_crc32_long(apex->data, apex->len);

    an = (ngx_stream_dns_apex_node_t *)
             ngx_str_rbtree_lookup(&zs->apexes, apex, hash);

    return (an == NULL) ? NULL : an->conf;
}


static ngx_int_t
ngx_stream_dns_zones_add(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc)
{
    ngx_dns_zone_t              **zone;
    ngx_stream_dns_zone_conf_t   *found;
    ngx_stream_dns_apex_node_t   *an;
    ngx_stream_dns_file_zone_t   *fz;

    found = ngx_stream_dns_zones_find(zs, &zc->apex);

    if (found != NULL) {
        ngx_log_error(NGX_LOG_EMERG, zs->cf->log, 0,
                      "duplicate zone \"%V\" of file \"%V\" in %s:%ui, "
                      "the first is of file \"%V\" in %s:%ui",
                      &zc->name, &zc->path, zc->conf_file, zc->conf_line,
                      &found->path, found->conf_file, found->conf_line);
        return NGX_ERROR;
    }

    an = ngx_palloc(zs->cf->temp_pool, sizeof(ngx_stream_dns_apex_node_t));
    if (an == NULL) {
        return NGX_ERROR;
    }

    an->sn.node.key = ngx_crc32_long(zc->apex.data, zc->apex.len);
    an->sn.str = zc->apex;
    an->conf = zc;

    ngx_rbtree_insert(&zs->apexes, &an->sn.node);

    if (ngx_process == NGX_PROCESS_SIGNALLER) {
        return ngx_stream_dns_zones_readable(zs, zc);
    }

    fz = ngx_stream_dns_zones_get(zs, zc);

    if (fz == NULL) {

        /* go on: the operator wants to hear of all of them at once */

        zs->dcf->failed++;

        return (zs->dcf->failed < NGX_STREAM_DNS_MAX_REFUSED) ? NGX_OK
                                                              : NGX_ERROR;
    }

    zone = ngx_array_push(&zs->zones);
    if (zone == NULL) {
        return NGX_ERROR;
    }

    *zone = fz->zone;

    return NGX_OK;
}


/*
 * The compiled zone: of this configuration if another server has it already,
 * of the last one if its files have not changed, else from its file.
 */

static ngx_stream_dns_file_zone_t *
ngx_stream_dns_zones_get(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc)
{
    u_char                      *p;
    uint32_t                     hash;
    ngx_str_t                    key;
    ngx_stream_dns_load_t        load;
    ngx_stream_dns_file_node_t  *fn, *old;
    ngx_stream_dns_file_zone_t  *fz;

    key.len = zc->path.len + 1 + NGX_TIME_T_LEN + 1 + zc->apex.len;

    key.data = ngx_pnalloc(zs->cf->pool, key.len);
    if (key.data == NULL) {
        return NULL;
    }

    p = ngx_sprintf(key.data, "%V %T ", &zc->path, zs->dscf->default_ttl);
    p = ngx_cpymem(p, zc->apex.data, zc->apex.len);

    key.len = p - key.data;
    hash = ngx_crc32_long(key.data, key.len);

    fn = (ngx_stream_dns_file_node_t *)
             ngx_str_rbtree_lookup(&zs->dcf->zones, &key, hash);

    if (fn != NULL) {
        return fn->fz;
    }

    /* the node first: with it the cleanup knows what to give back */

    fn = ngx_palloc(zs->cf->pool, sizeof(ngx_stream_dns_file_node_t));
    if (fn == NULL) {
        return NULL;
    }

    fn->sn.node.key = hash;
    fn->sn.str = key;

    old = NULL;

    if (zs->old != NULL) {
        old = (ngx_stream_dns_file_node_t *)
                  ngx_str_rbtree_lookup(&zs->old->zones, &key, hash);
    }

    if (old != NULL
        && ngx_stream_dns_load_unchanged(old->fz, zs->pools) == NGX_OK)
    {
        fz = old->fz;
        fz->refs++;

    } else {
        load.name = &zc->name;
        load.apex = zc->apex.data;
        load.path = &zc->path;
        load.default_ttl = (uint32_t) zs->dscf->default_ttl;
        load.key = zs->dscf->key;
        load.pools = zs->pools;
        load.log = zs->cf->log;

        fz = ngx_stream_dns_load(&load, (old == NULL) ? NULL : old->fz);
        if (fz == NULL) {
            return NULL;
        }
    }

    fn->fz = fz;

    ngx_rbtree_insert(&zs->dcf->zones, &fn->sn.node);

    return fz;
}


static ngx_int_t
ngx_stream_dns_zones_readable(ngx_stream_dns_zones_t *zs,
    ngx_stream_dns_zone_conf_t *zc)
{
    ngx_fd_t  fd;

    fd = ngx_open_file(zc->path.data, NGX_FILE_RDONLY|NGX_FILE_NONBLOCK,
                       NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        ngx_log_error(NGX_LOG_EMERG, zs->cf->log, ngx_errno,
                      ngx_open_file_n " \"%V\" failed in %s:%ui",
                      &zc->path, zc->conf_file, zc->conf_line);
        return NGX_ERROR;
    }

    (void) ngx_close_file(fd);

    return NGX_OK;
}


void
ngx_stream_dns_zones_cleanup(void *data)
{
    ngx_dns_conf_t *dcf = data;

    ngx_rbtree_node_t           *node;
    ngx_stream_dns_file_node_t  *fn;

    if (dcf->zones.root == &dcf->sentinel) {
        return;
    }

    node = ngx_rbtree_min(dcf->zones.root, &dcf->sentinel);

    while (node != NULL) {
        fn = (ngx_stream_dns_file_node_t *) node;
        node = ngx_rbtree_next(&dcf->zones, node);

        ngx_stream_dns_load_release(fn->fz);
    }
}
