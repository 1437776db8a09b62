
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_health_conf.h"


#define NGX_STREAM_DNS_REDIS_PORT    6379
#define NGX_STREAM_DNS_NAME_SIZE     64     /* octets of a zone's name */
#define NGX_STREAM_DNS_SECRET_SIZE   4096   /* octets of a password file */
#define NGX_STREAM_DNS_TTL_MAX       0x7fffffff
#define NGX_STREAM_DNS_PROFILE_TTL   3600   /* seconds, "profile=redins" */


typedef char *(*ngx_stream_dns_param_pt)(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);

/* a parameter of "dns_redis": "name=value" */

typedef struct {
    ngx_str_t                  name;
    ngx_stream_dns_param_pt    handler;
    ngx_uint_t                 offset;      /* in ngx_stream_dns_source_t */
} ngx_stream_dns_param_t;


static char *ngx_stream_dns_param(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *arg, uint32_t *seen);
static char *ngx_stream_dns_param_text(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_word(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_msec(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_period(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_zone(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_db(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_password_file(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_profile(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_stale(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_stale_ede(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);
static char *ngx_stream_dns_param_empty(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset);

static ngx_stream_dns_source_t *ngx_stream_dns_source_create(ngx_conf_t *cf);
static ngx_int_t ngx_stream_dns_source_address(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *address);
static ngx_int_t ngx_stream_dns_source_add(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf, ngx_stream_dns_source_t *src);
static char *ngx_stream_dns_source_finish(ngx_conf_t *cf,
    ngx_stream_dns_source_conf_t *sc);
static uint64_t ngx_stream_dns_source_signature(ngx_stream_dns_source_t *src);
static uint64_t ngx_stream_dns_source_mix(uint64_t hash, const void *data,
    size_t len);


static ngx_stream_dns_param_t  ngx_stream_dns_params[] = {

    { ngx_string("zone"), ngx_stream_dns_param_zone, 0 },

    { ngx_string("db"), ngx_stream_dns_param_db, 0 },

    { ngx_string("user"), ngx_stream_dns_param_word,
      offsetof(ngx_stream_dns_source_t, user) },

    { ngx_string("password"), ngx_stream_dns_param_text,
      offsetof(ngx_stream_dns_source_t, password) },

    { ngx_string("password_file"), ngx_stream_dns_param_password_file, 0 },

    { ngx_string("prefix"), ngx_stream_dns_param_text,
      offsetof(ngx_stream_dns_source_t, prefix) },

    { ngx_string("suffix"), ngx_stream_dns_param_text,
      offsetof(ngx_stream_dns_source_t, suffix) },

    { ngx_string("key"), ngx_stream_dns_param_word,
      offsetof(ngx_stream_dns_source_t, key) },

    { ngx_string("profile"), ngx_stream_dns_param_profile, 0 },

    { ngx_string("poll"), ngx_stream_dns_param_period,
      offsetof(ngx_stream_dns_source_t, poll) },

    { ngx_string("timeout"), ngx_stream_dns_param_period,
      offsetof(ngx_stream_dns_source_t, timeout) },

    { ngx_string("stale"), ngx_stream_dns_param_stale, 0 },

    { ngx_string("stale_ede"), ngx_stream_dns_param_stale_ede, 0 },

    { ngx_string("empty"), ngx_stream_dns_param_empty, 0 },

    { ngx_string("snapshot"), ngx_stream_dns_param_msec,
      offsetof(ngx_stream_dns_source_t, snapshot) },

    { ngx_null_string, NULL, 0 }
};


char *
ngx_stream_dns_control_redis(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    char                     *rv;
    uint32_t                  seen;
    ngx_str_t                *value;
    ngx_uint_t                i;
    ngx_stream_dns_source_t  *src;

    value = cf->args->elts;

    src = ngx_stream_dns_source_create(cf);
    if (src == NULL) {
        return NGX_CONF_ERROR;
    }

    if (ngx_stream_dns_source_address(cf, src, &value[1]) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    seen = 0;

    for (i = 2; i < cf->args->nelts; i++) {

        rv = ngx_stream_dns_param(cf, src, &value[i], &seen);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    if (src->name.len == 0) {
        return "needs the parameter \"zone=name:size\"";
    }

    return (ngx_stream_dns_source_add(cf, cmcf, src) == NGX_OK)
           ? NGX_CONF_OK : NGX_CONF_ERROR;
}


static ngx_stream_dns_source_t *
ngx_stream_dns_source_create(ngx_conf_t *cf)
{
    ngx_stream_dns_source_t  *src;

    src = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_source_t));
    if (src == NULL) {
        return NULL;
    }

    src->region = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_region_t));
    if (src->region == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     src->db = 0;
     *     src->user = { 0, NULL };
     *     src->password = { 0, NULL };
     *     src->stale = 0;
     *     src->drop = 0;
     *     src->build.profile = NGX_DNS_PROFILE_STRICT;
     *     src->region->stale_ede = 0;
     */

    ngx_str_set(&src->prefix, "");
    ngx_str_set(&src->suffix, "");
    ngx_str_set(&src->key, "redins");

    src->poll = 10000;
    src->timeout = 1000;
    src->snapshot = 30000;

    src->conf_file = cf->conf_file->file.name.data;
    src->conf_line = cf->conf_file->line;

    return src;
}


/* a host name is resolved later, without blocking */

static ngx_int_t
ngx_stream_dns_source_address(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *address)
{
    ngx_url_t  u;

    ngx_memzero(&u, sizeof(ngx_url_t));

    u.url = *address;
    u.default_port = NGX_STREAM_DNS_REDIS_PORT;
    u.no_resolve = 1;

    if (ngx_parse_url(cf->pool, &u) != NGX_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "%s in address \"%V\" of \"dns_redis\"",
                           (u.err != NULL) ? u.err : "error", address);
        return NGX_ERROR;
    }

    src->address = *address;
    src->port = u.port;

    if (u.naddrs != 0) {
        src->addr = u.addrs[0];
        return NGX_OK;
    }

    src->host.len = u.host.len;

    src->host.data = ngx_pnalloc(cf->pool, u.host.len + 1);
    if (src->host.data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_cpystrn(src->host.data, u.host.data, u.host.len + 1);

    return NGX_OK;
}


/* seen: a bit for each parameter that has been given */

static char *
ngx_stream_dns_param(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *arg, uint32_t *seen)
{
    char                    *rv;
    ngx_str_t                value;
    ngx_uint_t               i;
    ngx_stream_dns_param_t  *param;

    for (i = 0; ngx_stream_dns_params[i].name.len != 0; i++) {

        param = &ngx_stream_dns_params[i];

        if (arg->len <= param->name.len
            || ngx_strncmp(arg->data, param->name.data, param->name.len) != 0
            || arg->data[param->name.len] != '=')
        {
            continue;
        }

        if (*seen & ((uint32_t) 1 << i)) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "duplicate parameter \"%V\" of \"dns_redis\"",
                               &param->name);
            return NGX_CONF_ERROR;
        }

        *seen |= (uint32_t) 1 << i;

        value.data = arg->data + param->name.len + 1;
        value.len = arg->len - param->name.len - 1;

        rv = param->handler(cf, src, &value, param->offset);

        if (rv == NGX_CONF_OK || rv == NGX_CONF_ERROR) {
            return rv;
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "parameter \"%V\" of \"dns_redis\" %s",
                           (param->offset
                            == offsetof(ngx_stream_dns_source_t, password))
                           ? &param->name : arg, rv);

        return NGX_CONF_ERROR;
    }

    /* what is not known may be a password with a slip of the pen */

    for (i = 0; i < arg->len && arg->data[i] != '='; i++) { /* void */ }

    arg->len = i;

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid parameter \"%V\" of \"dns_redis\"", arg);

    return NGX_CONF_ERROR;
}


static char *
ngx_stream_dns_param_text(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    ngx_str_t  *text;

    text = (ngx_str_t *) ((u_char *) src + offset);

    if (offset == offsetof(ngx_stream_dns_source_t, password)) {

        if (value->len == 0) {
            return "is empty";
        }

        if (text->len != 0) {
            return "is given beside \"password_file\"";
        }
    }

    *text = *value;

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_word(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    ngx_str_t  *text;

    text = (ngx_str_t *) ((u_char *) src + offset);

    if (value->len == 0) {
        return "is empty";
    }

    *text = *value;

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_msec(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    ngx_int_t    n;
    ngx_msec_t  *msec;

    msec = (ngx_msec_t *) ((u_char *) src + offset);

    n = ngx_parse_time(value, 0);

    if (n == NGX_ERROR) {
        return "has an invalid time";
    }

    *msec = n;

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_period(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    char        *rv;
    ngx_msec_t  *msec;

    msec = (ngx_msec_t *) ((u_char *) src + offset);

    rv = ngx_stream_dns_param_msec(cf, src, value, offset);

    if (rv == NGX_CONF_OK && *msec < 10) {
        return "is less than 10 milliseconds";
    }

    return rv;
}


/* the name is part of that of a file */

static char *
ngx_stream_dns_param_zone(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    u_char     *p, *last;
    ssize_t     size;
    ngx_str_t   text;

    last = value->data + value->len;
    p = ngx_strlchr(value->data, last, ':');

    if (p == NULL || p == value->data) {
        return "is not of the form \"zone=name:size\"";
    }

    text.data = p + 1;
    text.len = last - text.data;

    size = ngx_parse_size(&text);

    if (size == NGX_ERROR) {
        return "has an invalid size";
    }

    if (size < NGX_STREAM_DNS_SHARED_MIN) {
        return "has a size of less than 1m";
    }

    src->size = size;
    src->name.len = p - value->data;

    if (src->name.len > NGX_STREAM_DNS_NAME_SIZE) {
        return "has a name longer than 64 characters";
    }

    for (p = value->data; p < value->data + src->name.len; p++) {
        if ((*p < '0' || *p > '9')
            && (*p < 'A' || *p > 'Z') && (*p < 'a' || *p > 'z')
            && *p != '_' && *p != '-' && (*p != '.' || p == value->data))
        {
            return "has a name with other characters than letters, digits, "
                   "\"-\", \"_\", and \".\"";
        }
    }

    src->name.data = ngx_pnalloc(cf->pool, src->name.len + 1);
    if (src->name.data == NULL) {
        return NGX_CONF_ERROR;
    }

    (void) ngx_cpystrn(src->name.data, value->data, src->name.len + 1);

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_db(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    ngx_int_t  n;

    n = ngx_atoi(value->data, value->len);

    if (n == NGX_ERROR || n > 0x7fffffff) {
        return "is not the number of a database";
    }

    src->db = n;

    return NGX_CONF_OK;
}


/*
 * Read by the master, with its rights.  Neither the text nor a part of it is
 * ever logged.
 */

static char *
ngx_stream_dns_param_password_file(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *value, ngx_uint_t offset)
{
    u_char     *p;
    ssize_t     n;
    ngx_fd_t    fd;
    ngx_str_t   path;

    if (value->len == 0) {
        return "is empty";
    }

    if (src->password.len != 0) {
        return "is given beside \"password\"";
    }

    /* the signaller may have no right to read it, nor a need to */

    if (ngx_process == NGX_PROCESS_SIGNALLER) {
        return NGX_CONF_OK;
    }

    path = *value;

    if (ngx_conf_full_name(cf->cycle, &path, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    fd = ngx_open_file(path.data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", &path);
        return NGX_CONF_ERROR;
    }

    p = ngx_pcalloc(cf->pool, NGX_STREAM_DNS_SECRET_SIZE);
    if (p == NULL) {
        (void) ngx_close_file(fd);
        return NGX_CONF_ERROR;
    }

    n = read(fd, p, NGX_STREAM_DNS_SECRET_SIZE - 1);

    if (n == -1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_read_fd_n " \"%V\" failed", &path);
        (void) ngx_close_file(fd);
        return NGX_CONF_ERROR;
    }

    (void) ngx_close_file(fd);

    src->password.data = p;

    while (*p != '\0' && *p != CR && *p != LF) {
        p++;
    }

    *p = '\0';
    src->password.len = p - src->password.data;

    return (src->password.len != 0) ? NGX_CONF_OK
                                    : "names a file without a first line";
}


static char *
ngx_stream_dns_param_profile(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    if (ngx_strcmp(value->data, "strict") == 0) {
        src->build.profile = NGX_DNS_PROFILE_STRICT;

    } else if (ngx_strcmp(value->data, "redins") == 0) {
        src->build.profile = NGX_DNS_PROFILE_REDINS;

    } else if (ngx_strcmp(value->data, "z42") == 0) {
        src->build.profile = NGX_DNS_PROFILE_Z42;

    } else {
        return "is none of \"strict\", \"redins\", and \"z42\"";
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_stale(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    ngx_int_t  n;

    n = ngx_parse_time(value, 1);

    if (n == NGX_ERROR) {
        return "has an invalid time";
    }

    src->stale = n;

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_stale_ede(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    if (ngx_strcmp(value->data, "on") == 0) {
        src->region->stale_ede = 1;

    } else if (ngx_strcmp(value->data, "off") != 0) {
        return "is neither \"on\" nor \"off\"";
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_param_empty(ngx_conf_t *cf, ngx_stream_dns_source_t *src,
    ngx_str_t *value, ngx_uint_t offset)
{
    if (ngx_strcmp(value->data, "drop") == 0) {
        src->drop = 1;

    } else if (ngx_strcmp(value->data, "keep") != 0) {
        return "is neither \"keep\" nor \"drop\"";
    }

    return NGX_CONF_OK;
}


/* to those of the configuration and of the level where it stands */

static ngx_int_t
ngx_stream_dns_source_add(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf, ngx_stream_dns_source_t *src)
{
    ngx_uint_t                      i;
    ngx_stream_dns_source_t       **sp;
    ngx_stream_dns_region_t       **region;
    ngx_stream_dns_source_conf_t   *sc;

    sp = cmcf->control.sources.elts;

    for (i = 0; i < cmcf->control.sources.nelts; i++) {

        if (sp[i]->name.len != src->name.len
            || ngx_strcmp(sp[i]->name.data, src->name.data) != 0)
        {
            continue;
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "duplicate zone \"%V\" of \"dns_redis\", "
                           "the other one is in %s:%ui",
                           &src->name, sp[i]->conf_file, sp[i]->conf_line);
        return NGX_ERROR;
    }

    sp = ngx_array_push(&cmcf->control.sources);
    sc = ngx_array_push(&cmcf->confs);

    if (sp == NULL || sc == NULL) {
        return NGX_ERROR;
    }

    *sp = src;

    sc->source = src;
    sc->dscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_dns_module);
    sc->cscf = ngx_stream_conf_get_module_srv_conf(cf,
                                                   ngx_stream_core_module);

    if (sc->dscf->sources == NULL) {
        sc->dscf->sources = ngx_array_create(cf->pool, 2,
                                           sizeof(ngx_stream_dns_region_t *));
        if (sc->dscf->sources == NULL) {
            return NGX_ERROR;
        }
    }

    region = ngx_array_push(sc->dscf->sources);
    if (region == NULL) {
        return NGX_ERROR;
    }

    *region = src->region;

    src->region->name = src->name;

    return ngx_stream_dns_control_shared_add(cf, src);
}


char *
ngx_stream_dns_control_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    char                          *rv;
    ngx_uint_t                     i;
    ngx_stream_dns_source_conf_t  *sc;

    rv = ngx_stream_dns_health_finish(cf, cmcf);

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    sc = cmcf->confs.elts;

    for (i = 0; i < cmcf->confs.nelts; i++) {

        if (cmcf->path == NULL) {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"dns_redis\" in %s:%ui needs \"dns_state_path\"",
                          sc[i].source->conf_file, sc[i].source->conf_line);
            return NGX_CONF_ERROR;
        }

        /* checks that do not say how often they want to be made */

        sc[i].source->build.interval = (uint32_t) cmcf->health.interval;

        rv = ngx_stream_dns_source_finish(cf, &sc[i]);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_source_finish(ngx_conf_t *cf, ngx_stream_dns_source_conf_t *sc)
{
    ngx_resolver_t           *resolver;
    ngx_stream_dns_source_t  *src;

    src = sc->source;

    /* the values of "stream" itself have not been merged with anything */

    src->build.default_ttl = (sc->dscf->default_ttl == NGX_CONF_UNSET)
                             ? 3600 : (uint32_t) sc->dscf->default_ttl;

    src->build.max_ttl = (sc->dscf->max_ttl == NGX_CONF_UNSET)
                         ? NGX_STREAM_DNS_TTL_MAX
                         : (uint32_t) sc->dscf->max_ttl;

    if (src->build.profile == NGX_DNS_PROFILE_REDINS
        && src->build.max_ttl == NGX_STREAM_DNS_TTL_MAX)
    {
        src->build.max_ttl = NGX_STREAM_DNS_PROFILE_TTL;
    }

    src->signature = ngx_stream_dns_source_signature(src);

    if (src->host.len == 0) {
        return NGX_CONF_OK;
    }

    resolver = sc->cscf->resolver;

    if (resolver == NULL || resolver->connections.nelts == 0) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "no resolver defined to resolve \"%V\" of \"dns_redis\" "
                      "in %s:%ui",
                      &src->host, src->conf_file, src->conf_line);
        return NGX_CONF_ERROR;
    }

    src->resolver = resolver;
    src->resolver_timeout = (sc->cscf->resolver_timeout
                             == NGX_CONF_UNSET_MSEC)
                            ? 30000 : sc->cscf->resolver_timeout;

    return NGX_CONF_OK;
}


/* of all that makes the zones what they are */

static uint64_t
ngx_stream_dns_source_signature(ngx_stream_dns_source_t *src)
{
    uint64_t    hash;
    ngx_str_t  *text[5];
    ngx_uint_t  i;

    text[0] = &src->address;
    text[1] = &src->user;
    text[2] = &src->prefix;
    text[3] = &src->suffix;
    text[4] = &src->key;

    hash = 0xcbf29ce484222325;

    for (i = 0; i < 5; i++) {
        hash = ngx_stream_dns_source_mix(hash, &text[i]->len, sizeof(size_t));
        hash = ngx_stream_dns_source_mix(hash, text[i]->data, text[i]->len);
    }

    hash = ngx_stream_dns_source_mix(hash, &src->db, sizeof(ngx_uint_t));

    return ngx_stream_dns_source_mix(hash, &src->build,
                                     sizeof(ngx_dns_build_conf_t));
}


/* FNV-1a, 64 bits */

static uint64_t
ngx_stream_dns_source_mix(uint64_t hash, const void *data, size_t len)
{
    size_t         i;
    const u_char  *p;

    p = data;

    for (i = 0; i < len; i++) {
        hash = (hash ^ p[i]) * 0x100000001b3;
    }

    return hash;
}
