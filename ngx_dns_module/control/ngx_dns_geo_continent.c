
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_GEO)
#include "ngx_dns_geo_record.h"


typedef struct {
    char         continent[3];
    const char  *countries;             /* two letters and a blank each */
} ngx_dns_geo_continent_t;


static const ngx_dns_geo_continent_t  ngx_dns_geo_lands[] = {

    { "AF",
      "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH "
      "GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG "
      "RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM "
      "ZW" },

    { "AN",
      "AQ BV GS HM TF" },

    { "AS",
      "AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR "
      "JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH "
      "PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE" },

    { "EU",
      "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB "
      "GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT "
      "NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK" },

    { "NA",
      "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT "
      "HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT US "
      "VC VG VI" },

    { "OC",
      "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB "
      "TK TO TV UM VU WF WS" },

    { "SA",
      "AR BO BR CL CO EC FK GF GY PE PY SR UY VE" }
};


uint32_t
ngx_dns_geo_continent(uint32_t country)
{
    size_t       n;
    ngx_uint_t   i;
    const char  *p;

    n = sizeof(ngx_dns_geo_lands) / sizeof(ngx_dns_geo_lands[0]);

    for (i = 0; i < n; i++) {

        for (p = ngx_dns_geo_lands[i].countries; ; p += 3) {

            if (ngx_dns_get16((u_char *) p) == country) {
                return ngx_dns_get16((u_char *)
                                     ngx_dns_geo_lands[i].continent);
            }

            if (p[2] == '\0') {
                break;
            }
        }
    }

    return 0;
}

#endif
