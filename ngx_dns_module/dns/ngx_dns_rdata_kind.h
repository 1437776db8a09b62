
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_RDATA_KIND_H_INCLUDED_
#define _NGX_DNS_RDATA_KIND_H_INCLUDED_


/*
 * What the kinds of fields (ngx_dns_rd_e) share, for ngx_dns_rdata*.c only.
 * A kind has three functions over one context:
 *
 * scan   text to wire: reads words, writes at pos up to last
 * check  wire: moves pos over the field, which ends before last; names in it
 *        become lower case if the type wants it; on failure sets err
 * print  wire to text: moves pos over a field that was checked, and writes
 *        text; fails if there is no room or the field has no text form
 *
 * Each returns NGX_OK or NGX_ERROR.
 */


#include "ngx_dns_rdata.h"


typedef struct {
    ngx_uint_t       type;

    u_char          *start;             /* of RDATA */
    u_char          *pos;
    u_char          *last;

    ngx_dns_scan_t  *scan;

    u_char          *text;              /* next octet to print */
    u_char          *text_last;

    const char      *err;
} ngx_dns_rd_t;


typedef ngx_int_t (*ngx_dns_rd_pt)(ngx_dns_rd_t *rd);

typedef struct {
    ngx_dns_rd_pt    scan;
    ngx_dns_rd_pt    check;
    ngx_dns_rd_pt    print;
} ngx_dns_rd_kind_t;


/* scan: reserves room for n octets */
ngx_int_t ngx_dns_rd_room(ngx_dns_rd_t *rd, size_t n);

/* check: wants n octets more */
ngx_int_t ngx_dns_rd_need(ngx_dns_rd_t *rd, size_t n);
ngx_int_t ngx_dns_rd_fail(ngx_dns_rd_t *rd, const char *err);

/* print: text as it is; words of ngx_sprintf */
ngx_int_t ngx_dns_rd_put(ngx_dns_rd_t *rd, const u_char *text, size_t len);
ngx_int_t ngx_dns_rd_printf(ngx_dns_rd_t *rd, const char *fmt, ...);


/* ngx_dns_rdata_number.c */

ngx_int_t ngx_dns_rd_u8_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u8_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u8_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u16_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u16_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u16_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u32_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u32_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_u32_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_ttl_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_time_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_time_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_type_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_type_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_alg_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_cert_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_scheme_scan(ngx_dns_rd_t *rd);


/* ngx_dns_rdata_address.c */

/*
 * Reads an address, followed by an octet that cannot be part of it; dst gets
 * 4 or 16 octets.  Returns the octet behind, or NULL.
 */
u_char *ngx_dns_rd_inet(u_char *p, u_char *dst);
u_char *ngx_dns_rd_inet6(u_char *p, u_char *dst);
ngx_int_t ngx_dns_rd_put_inet6(ngx_dns_rd_t *rd, const u_char *a);

ngx_int_t ngx_dns_rd_a_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_a_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_a_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_aaaa_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_aaaa_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_aaaa_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_groups_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_groups_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_groups_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_eui48_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_eui48_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_eui48_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_eui64_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_eui64_print(ngx_dns_rd_t *rd);


/* ngx_dns_rdata_string.c */

ngx_int_t ngx_dns_rd_name_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_name_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_name_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_names_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_names_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_names_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_string_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_string_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_string_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_optstring_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_optstring_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_strings_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_strings_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_strings_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_digits_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_digits_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_float_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_float_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_tag_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_tag_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_tag_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_text_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_text_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_text_print(ngx_dns_rd_t *rd);

/* octets as a quoted string, and what is between the quotes */
ngx_int_t ngx_dns_rd_put_quoted(ngx_dns_rd_t *rd, const u_char *p, size_t len);
ngx_int_t ngx_dns_rd_put_escaped(ngx_dns_rd_t *rd, const u_char *p,
    size_t len);


/* ngx_dns_rdata_data.c */

ngx_int_t ngx_dns_rd_hex_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hex_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hex_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_digest_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_digest_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_base64_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_base64_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_optbase64_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_optbase64_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_data_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_data_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_salt_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_salt_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_salt_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hash_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hash_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hash_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hip_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hip_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hip_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_nsap_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_nsap_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_atma_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_atma_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_atma_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_opaque_scan(ngx_dns_rd_t *rd);

/*
 * The words up to the end of the entry, joined, as hexadecimal digits; or
 * one word.  pos moves behind the octets.
 */
ngx_int_t ngx_dns_rd_hex_rest(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_hex_word(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
ngx_int_t ngx_dns_rd_base64_word(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
ngx_int_t ngx_dns_rd_put_hex(ngx_dns_rd_t *rd, const u_char *p, size_t len);
ngx_int_t ngx_dns_rd_put_base64(ngx_dns_rd_t *rd, const u_char *p,
    size_t len);

/* value of a hexadecimal digit, 16 or more for other octets */
ngx_uint_t ngx_dns_rd_hex_digit(u_char ch);


/* ngx_dns_rdata_bitmap.c */

ngx_int_t ngx_dns_rd_bitmap_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_bitmap_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_bitmap_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_nxt_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_nxt_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_nxt_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_wks_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_wks_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_wks_print(ngx_dns_rd_t *rd);


/* ngx_dns_rdata_loc.c, _apl.c, _gateway.c, _svcb.c */

ngx_int_t ngx_dns_rd_loc_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_loc_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_loc_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_apl_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_apl_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_apl_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_ipseckey_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_ipseckey_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_ipseckey_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_amtrelay_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_amtrelay_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_amtrelay_print(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_svcb_scan(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_svcb_check(ngx_dns_rd_t *rd);
ngx_int_t ngx_dns_rd_svcb_print(ngx_dns_rd_t *rd);


#endif /* _NGX_DNS_RDATA_KIND_H_INCLUDED_ */
