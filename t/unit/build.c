
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * From stored values to records: what each value gives and what is said
 * about it.
 */


#include "shim.h"
#include "buildtext.h"


static build_t  values[] = {

    { "an address",
      "F www {'a':{'ttl':30,'records':[{'ip':'192.0.2.1'}]}}\n",
      "www 30 A 192.0.2.1\n", "" },

    { "types of a label",
      "F www {'a':{'ttl':30,'records':[{'ip':'192.0.2.1'},{'ip':'192.0.2.2'}]},"
      "'aaaa':{'ttl':31,'records':[{'ip':'2001:DB8::1'}]},"
      "'txt':{'ttl':32,'records':[{'text':'a b'}]},"
      "'ns':{'ttl':33,'records':[{'host':'NS1.Z.test'}]},"
      "'mx':{'ttl':34,'records':[{'host':'mx.z.test.','preference':10}]},"
      "'srv':{'ttl':35,'records':[{'target':'s.z.test','priority':1,"
      "'weight':2,'port':3}]},"
      "'caa':{'ttl':36,'records':[{'tag':'issue','value':'ca.test',"
      "'flag':128}]},"
      "'ptr':{'domain':'p.z.test','ttl':37},"
      "'tlsa':{'ttl':38,'records':[{'usage':3,'selector':1,"
      "'matching_type':1,'certificate':'00ff'}]},"
      "'ds':{'ttl':39,'records':[{'key_tag':4711,'algorithm':13,"
      "'digest_type':255,'digest':'00FF'}]},"
      "'aname':{'location':'T.z.test.'}}\n",
      "www 30 A 192.0.2.1\n"
      "www 30 A 192.0.2.2\n"
      "www 33 NS ns1.z.test.\n"
      "www 37 PTR p.z.test.\n"
      "www 34 MX 10 mx.z.test.\n"
      "www 32 TXT \"a b\"\n"
      "www 31 AAAA 2001:db8::1\n"
      "www 35 SRV 1 2 3 s.z.test.\n"
      "www 39 DS 4711 13 255 00ff\n"
      "www 38 TLSA 3 1 1 00ff\n"
      "www 36 CAA 128 issue \"ca.test\"\n"
      "www ANAME -1 t.z.test.\n", "" },
};


int
main(void)
{
    build_all(values, sizeof(values) / sizeof(build_t));

    return tap_done();
}
