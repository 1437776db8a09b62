
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_SYNCER_H_INCLUDED_
#define _NGX_STREAM_DNS_SYNCER_H_INCLUDED_


#include "ngx_stream_dns_redis.h"
#include "ngx_stream_dns_snapshot.h"
#include "ngx_stream_dns_sync.h"


/*
 * What the files of the synchronization share.  One object for a source, one
 * for each of its zones, one for each zone that is being read.
 *
 *     sync.c     life: connections, means, contact, handover
 *     means.c    how changes are heard of
 *     heard.c    names of keys: which zone is concerned
 *     list.c     the list of zones, comparisons, the scan of key names
 *     sweep.c    what is done to all zones, in slices
 *     table.c    the zones by apex, and what is known of their keys
 *     read.c     the transactions that read zones
 *     content.c  a reply to the records of a zone (runs in threads too)
 *     apply.c    a zone that was read: unchanged, gone, or published
 *     job.c      large zones: threads, and copies in slices
 */

#define NGX_STREAM_DNS_GATHER       4       /* ms that changes are gathered */
#define NGX_STREAM_DNS_WINDOW       1024    /* zones that are read at a time */
#define NGX_STREAM_DNS_WINDOW_SIZE  (8 * 1024 * 1024)   /* octets of them */
#define NGX_STREAM_DNS_MANY         64      /* keys of an MGET */
#define NGX_STREAM_DNS_MANY_SIZE    8192    /* octets of them, about */
#define NGX_STREAM_DNS_PROBE        32      /* labels whose types are tried */
#define NGX_STREAM_DNS_PROBES       256     /* of a zone that was published */
#define NGX_STREAM_DNS_UNLISTED     10000   /* zones whose keys are noted */
#define NGX_STREAM_DNS_TAIL_MAX     2048    /* octets of label and type */
#define NGX_STREAM_DNS_RECENT       256     /* octets of tails in which the
                                               same one is looked for */
#define NGX_STREAM_DNS_TEXT_MAX     8192    /* octets of messages of a zone */


typedef struct ngx_stream_dns_sync_s       ngx_stream_dns_sync_t;
typedef struct ngx_stream_dns_zone_s       ngx_stream_dns_zone_t;
typedef struct ngx_stream_dns_read_s       ngx_stream_dns_read_t;
typedef struct ngx_stream_dns_job_s        ngx_stream_dns_job_t;


typedef enum {
    NGX_STREAM_DNS_ZONE_IDLE = 0,
    NGX_STREAM_DNS_ZONE_WANTED,             /* in a queue: to be read */
    NGX_STREAM_DNS_ZONE_BUSY                /* being read, built, copied */
} ngx_stream_dns_zone_e;

typedef enum {
    NGX_STREAM_DNS_LAYOUT_UNKNOWN = 0,
    NGX_STREAM_DNS_LAYOUT_HASH,             /* L1, L2 */
    NGX_STREAM_DNS_LAYOUT_SET               /* L4 */
} ngx_stream_dns_layout_e;


/*
 * Names of string keys of L4, without what all keys of the zone have in
 * common: "www:A".  Each has its length in front, 2 octets.  A label that is
 * known to have none is there as "www:".  May hold more than exist, and one
 * twice.
 */

typedef struct {
    u_char                    *data;
    uint32_t                   len;
    uint32_t                   size;
} ngx_stream_dns_tails_t;


struct ngx_stream_dns_zone_s {
    ngx_stream_dns_zone_t     *next;        /* of its bucket */
    ngx_queue_t                queue;       /* if wanted */
    ngx_queue_t                order;       /* if pos or again are set */

    uint64_t                   pos;         /* of the log: in front of the
                                               oldest change; 0: none */
    uint64_t                   heard;       /* of it: microseconds */
    uint64_t                   again_pos;   /* of changes while busy */
    uint64_t                   again_heard;
    ngx_msec_t                 due;         /* gathered until then */

    ngx_stream_dns_tails_t     tails;

    uint32_t                   hash;
    uint32_t                   messages;    /* hash of the last ones */
    uint32_t                   bad;         /* values left out */
    uint32_t                   compare;     /* the round that waits for it */
    uint32_t                   generation;  /* of the list that had it */
    uint32_t                   spelled;     /* the same: spelled like this */

    unsigned                   state:2;
    unsigned                   layout:2;
    unsigned                   listed:1;
    unsigned                   once_more:1; /* busy when it was chosen */
    unsigned                   again:1;
    unsigned                   gone:1;      /* to be freed when not busy */
    unsigned                   keys:1;      /* DNSSEC keys are wanted */
    unsigned                   tailed:1;    /* tails were all there was */
    unsigned                   moved:1;     /* what is published was a hash */
    unsigned                   doubted:1;   /* all its keys were gone */
    unsigned                   failed:1;    /* a reply was an error */
    unsigned                   full:1;      /* there was no room */
    unsigned                   starved:1;   /* there was no memory */
    unsigned                   hidden:1;    /* MGET did not find a key */
    unsigned                   tries:3;     /* that failed, one by one */

    uint16_t                   member_len;
    u_char                     apex_len;
    u_char                     data[1];     /* apex, then member */
};

#define ngx_stream_dns_zone_member(z)  ((z)->data + (z)->apex_len)

/* 1: it is counted in sync->comparing */
#define ngx_stream_dns_zone_compared(sync, z)                                \
    ((sync)->comparison && (z)->compare == (sync)->round)


typedef enum {
    NGX_STREAM_DNS_SWEEP_NONE = 0,
    NGX_STREAM_DNS_SWEEP_DELIST,            /* what is listed no more */
    NGX_STREAM_DNS_SWEEP_CHOOSE             /* what is to be compared */
} ngx_stream_dns_sweep_e;


/* where SSCAN or SCAN go on, while a transaction is being sent */

typedef struct {
    ngx_uint_t                 held;
    size_t                     len;
    u_char                     data[32];
} ngx_stream_dns_cursor_t;


struct ngx_stream_dns_sync_s {
    ngx_stream_dns_source_t   *src;
    ngx_stream_dns_redis_t    *data;
    ngx_stream_dns_redis_t    *note;
    ngx_int_t                  ident;       /* after 3 pointers */

    ngx_dns_key_t             *key;
    ngx_dns_memory_t           memory;      /* scratch of small zones */
    u_char                    *scratch;
    size_t                     scratch_size;
    size_t                     scratch_used;
    size_t                     scratch_last;

    ngx_str_t                  base;        /* prefix, key, ":zones" */
    u_char                    *name;        /* room to make a key */
    size_t                     name_size;
    u_char                    *names;       /* the same for many */

    ngx_event_t                work;        /* posted: a slice */
    ngx_event_t                timer;       /* gathered changes are due */
    ngx_event_t                second;
    ngx_event_t                setup;       /* pause before the next try */
    ngx_event_t                taking;      /* posted: zones of the last one */
    uint64_t                   taken;       /* of them, so far */
    ngx_uint_t                 starved;     /* 1: there was no memory */
    ngx_event_t                sweeping;    /* posted: the next slice */
    ngx_uint_t                 sweep;       /* NGX_STREAM_DNS_SWEEP_... */
    ngx_uint_t                 swept;       /* buckets, so far */
    ngx_msec_t                 pause;
    ngx_str_t                 *said;        /* the word the log has */

    /* how changes are heard of */

    ngx_uint_t                 writer;
    ngx_uint_t                 means;       /* NGX_STREAM_DNS_MEANS_... */
    ngx_uint_t                 logged;      /* the means logged last */
    ngx_uint_t                 step;        /* of setting up */
    ngx_uint_t                 hears;       /* 1: changes are heard of */
    ngx_uint_t                 polls;       /* 1: but not for sure */
    ngx_uint_t                 tracked;     /* 1: tracking is on */
    ngx_uint_t                 noinfo;      /* 1: no CLIENT TRACKINGINFO */
    int64_t                    client;      /* CLIENT ID of note */
    ngx_uint_t                 ping;        /* answers that are missing */
    ngx_msec_t                 polled;
    uint64_t                   handover;    /* that this process asked for */
    uint64_t                   handing;     /* that it answers */
    ngx_str_t                  keys;        /* heard before it was writer */
    size_t                     keys_size;
    ngx_uint_t                 keys_lost;
    ngx_uint_t                 log_lost;    /* 1: there was no room in it */

    /* zones */

    ngx_stream_dns_zone_t    **buckets;
    ngx_uint_t                 nbuckets;
    ngx_uint_t                 nzones;
    ngx_uint_t                 nlisted;
    uint64_t                   bad;         /* sum of the zones' */

    ngx_queue_t                changed;     /* zones, first */
    ngx_queue_t                compare;     /* zones, after them */
    ngx_queue_t                retry;       /* zones, a second later */
    ngx_queue_t                full;        /* zones, when there is room */
    uint64_t                   full_free;   /* octets that were not enough */
    ngx_uint_t                 full_again;  /* 1: some would have been */
    ngx_msec_t                 full_since;
    ngx_queue_t                order;       /* zones, oldest change first */
    ngx_stream_dns_zone_t     *ordered;     /* put among them last, or NULL */

    /* comparison */

    ngx_uint_t                 comparison;  /* 1: one is running */
    uint32_t                   round;       /* its number */
    ngx_uint_t                 comparing;   /* zones of it to be done */
    ngx_uint_t                 compared;    /* 1: they are all chosen */
    ngx_uint_t                 restart;     /* 1: once more after it */
    ngx_uint_t                 rebuild;     /* 1: whatever the digests */
    ngx_msec_t                 started;
    ngx_uint_t                 in_step;
    ngx_uint_t                 replayed;    /* 1: went on from the log */

    /* the list of zones; keys */

    ngx_uint_t                 list_dirty;
    ngx_uint_t                 listing;     /* 1: SSCAN is running */
    ngx_uint_t                 listed;      /* members met so far */
    ngx_stream_dns_cursor_t    list_cursor;
    ngx_msec_t                 list_begun;
    ngx_msec_t                 list_next;   /* not before */
    uint64_t                   list_pos;    /* as of zones */
    uint64_t                   list_again;
    uint32_t                   generation;
    uint32_t                   refused;     /* sum over bad members, now */
    uint32_t                   refused_last;
    ngx_uint_t                 list_failed;
    ngx_uint_t                 list_doubted;    /* 1: it was empty */
    ngx_uint_t                 list_before; /* members of the one before */
    ngx_uint_t                 doubt_lines; /* logged in this second */
    ngx_uint_t                 doubt_more;

    ngx_uint_t                 layout;      /* of the zone read last */
    ngx_uint_t                 sets;        /* 1: there are zones of L4 */
    ngx_uint_t                 complete;    /* 1: tails are all there is */
    ngx_uint_t                 scanning;    /* 1: SCAN is running */
    ngx_stream_dns_cursor_t    scan_cursor;
    ngx_uint_t                 spoiled;     /* 1: and missed something */
    ngx_uint_t                 noscan;      /* 1: it is refused */
    ngx_uint_t                 nomany;      /* 1: MGET is */
    ngx_uint_t                 unlisted;

    /* reading */

    ngx_uint_t                 reading;     /* zones */
    size_t                     reading_size;
    ngx_stream_dns_read_t     *sender;      /* its commands are not all out */
    ngx_queue_t                replies;     /* read, to be applied */
    ngx_uint_t                 readable;    /* 1: data is connected, and
                                               changes are heard of */
    ngx_str_t                  queued;      /* error of the transaction */
    u_char                     queued_text[128];

    /* large zones, and those that wait for room */

    ngx_queue_t                jobs;
    ngx_uint_t                 threads;
    ngx_uint_t                 copies;      /* that go on */
    ngx_event_t                job_timer;
};


/* A zone that is being read. */

struct ngx_stream_dns_read_s {
    ngx_stream_dns_sync_t     *sync;
    ngx_stream_dns_zone_t     *zone;
    ngx_queue_t                queue;       /* of replies */
    ngx_dns_datum_t    *reply;       /* of EXEC, taken */
    size_t                     size;        /* octets expected */

    unsigned                   layout:2;    /* what was asked for */
    unsigned                   keys:1;
    unsigned                   second:1;    /* under the second name */
    unsigned                   scanned:1;   /* tails are all there is */
    unsigned                   trusted:1;   /* at labels that have some */
    unsigned                   many:1;      /* tails by MGET */

    ngx_str_t                  error;       /* of a command, first 128 */
    u_char                     error_text[128];

    u_char                    *sent;        /* tail to be sent next */
    ngx_stream_dns_tails_t     tails;       /* that are asked for */
};

/* places in the reply of EXEC */

#define NGX_STREAM_DNS_READ_HASH    0       /* TYPE */
#define NGX_STREAM_DNS_READ_SET     1       /* TYPE */
#define NGX_STREAM_DNS_READ_CONFIG  2
#define NGX_STREAM_DNS_READ_DATA    3       /* HGETALL or SMEMBERS */
#define NGX_STREAM_DNS_READ_REST    4       /* keys, then tails */


/* What comes of a reply: content.c, without any state of the process. */

typedef enum {
    NGX_STREAM_DNS_CONTENT_BUILT = 0,       /* zone, size, bad */
    NGX_STREAM_DNS_CONTENT_SAME,            /* the digest is that of last */
    NGX_STREAM_DNS_CONTENT_NONE,            /* no key of it exists */
    NGX_STREAM_DNS_CONTENT_WRONG,           /* of another type than it may */
    NGX_STREAM_DNS_CONTENT_LAYOUT,          /* ask for layout, or for keys */
    NGX_STREAM_DNS_CONTENT_LABELS,          /* there are unknown labels */
    NGX_STREAM_DNS_CONTENT_HIDDEN,          /* ask by GET */
    NGX_STREAM_DNS_CONTENT_REFUSED,         /* by the compiler */
    NGX_STREAM_DNS_CONTENT_ERROR,           /* an error reply: error */
    NGX_STREAM_DNS_CONTENT_MEMORY
} ngx_stream_dns_content_e;

typedef struct {
    /* given */

    ngx_stream_dns_read_t     *read;
    ngx_dns_build_conf_t      *conf;
    ngx_dns_key_t             *key;
    ngx_dns_memory_t          *mem;
    const ngx_dns_zone_t      *last;        /* published, or NULL */
    ngx_uint_t                 rebuild;     /* whatever the digest */

    /* found */

    ngx_uint_t                 result;      /* ngx_stream_dns_content_e */
    ngx_uint_t                 layout;      /* to ask for */
    ngx_uint_t                 keys;        /* to ask for */
    ngx_stream_dns_tails_t     unknown;     /* labels */
    ngx_uint_t                 nunknown;
    ngx_stream_dns_tails_t     tails;       /* that exist */
    ngx_str_t                  error;       /* in the reply */

    ngx_dns_zone_t            *zone;        /* of mem */
    size_t                     zone_size;
    ngx_uint_t                 bad;

    ngx_dns_reporter_t         rep;
    uint32_t                   messages;    /* hash over all of them */
    ngx_uint_t                 nmessages;
    size_t                     text_len;
    u_char                     text[NGX_STREAM_DNS_TEXT_MAX];
                                            /* lines, each ends with '\0' */
} ngx_stream_dns_content_t;


/* sync.c */

uint64_t ngx_stream_dns_sync_now(void);     /* microseconds */
void ngx_stream_dns_sync_post(ngx_stream_dns_sync_t *sync);

/* Looks at the list and the zones that are wanted in left milliseconds. */
void ngx_stream_dns_sync_alarm(ngx_stream_dns_sync_t *sync,
    ngx_msec_t left);

void ngx_stream_dns_sync_applied(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_sync_heard_of(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_sync_compared(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_sync_contact(ngx_stream_dns_sync_t *sync);

/*
 * What has been heard is not all there was: both connections are made anew,
 * then everything is compared.
 */
void ngx_stream_dns_sync_lost(ngx_stream_dns_sync_t *sync,
    const char *reason);

/*
 * An error reply that concerns more than a key ("LOADING ..."): the same,
 * after a pause.  NGX_DECLINED: it does not.
 */
ngx_int_t ngx_stream_dns_sync_error(ngx_stream_dns_sync_t *sync,
    ngx_str_t *error);

/* means.c */

void ngx_stream_dns_means_begin(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_means_message(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
void ngx_stream_dns_means_ping(ngx_stream_dns_sync_t *sync, uint64_t n);

/* heard.c */

void ngx_stream_dns_heard(ngx_stream_dns_sync_t *sync, ngx_str_t *key);
void ngx_stream_dns_heard_all(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_heard_replay(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_heard_scanned(ngx_stream_dns_sync_t *sync,
    ngx_str_t *key);

/* list.c */

void ngx_stream_dns_list_begin(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_scan_begin(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_list_resume(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_list_swept(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_compare_begin(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_compare_check(ngx_stream_dns_sync_t *sync);

/* sweep.c */

void ngx_stream_dns_sweep_begin(ngx_stream_dns_sync_t *sync,
    ngx_uint_t sweep);
void ngx_stream_dns_sweep_event(ngx_event_t *ev);

/* table.c */

ngx_int_t ngx_stream_dns_table_init(ngx_stream_dns_sync_t *sync);
ngx_stream_dns_zone_t *ngx_stream_dns_table_find(ngx_stream_dns_sync_t *sync,
    const u_char *apex, size_t len);
ngx_stream_dns_zone_t *ngx_stream_dns_table_add(ngx_stream_dns_sync_t *sync,
    const u_char *apex, size_t len, ngx_str_t *member);
void ngx_stream_dns_table_remove(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);
ngx_int_t ngx_stream_dns_tails_add(ngx_stream_dns_tails_t *tails,
    ngx_str_t *tail);
ngx_int_t ngx_stream_dns_tails_copy(ngx_stream_dns_tails_t *to,
    ngx_stream_dns_tails_t *from);
void ngx_stream_dns_tails_free(ngx_stream_dns_tails_t *tails);

/* read.c */

void ngx_stream_dns_zone_want(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_msec_t due);
void ngx_stream_dns_zone_wait(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);
void ngx_stream_dns_zone_changed(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, uint64_t pos);
void ngx_stream_dns_zone_done(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);
void ngx_stream_dns_read_work(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_read_again(ngx_stream_dns_read_t *read,
    ngx_uint_t second);
void ngx_stream_dns_read_lost(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_read_free(ngx_stream_dns_read_t *read);

/* content.c */

void ngx_stream_dns_content(ngx_stream_dns_content_t *ct);

/* apply.c */

ngx_int_t ngx_stream_dns_apply_init(ngx_stream_dns_sync_t *sync);
void ngx_stream_dns_apply(ngx_stream_dns_read_t *read);
void ngx_stream_dns_apply_prepare(ngx_stream_dns_content_t *ct,
    ngx_stream_dns_read_t *read, ngx_dns_memory_t *mem);
ngx_int_t ngx_stream_dns_apply_content(ngx_stream_dns_content_t *ct);
void ngx_stream_dns_apply_sound(ngx_stream_dns_content_t *ct);
void ngx_stream_dns_apply_end(ngx_stream_dns_content_t *ct, ngx_int_t rc,
    uint64_t needed);
void ngx_stream_dns_apply_done(ngx_stream_dns_content_t *ct);
void ngx_stream_dns_apply_retry(ngx_stream_dns_content_t *ct);
void ngx_stream_dns_apply_free(ngx_stream_dns_content_t *ct);
void ngx_stream_dns_apply_gone(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);
void ngx_stream_dns_apply_removed(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);

/* job.c */

ngx_int_t ngx_stream_dns_job_read(ngx_stream_dns_read_t *read);
ngx_int_t ngx_stream_dns_job_publish(ngx_stream_dns_content_t *ct);
void ngx_stream_dns_job_timer(ngx_event_t *ev);


#endif /* _NGX_STREAM_DNS_SYNCER_H_INCLUDED_ */
