
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * From stored values to records: what each value gives, and what is said of
 * one that cannot be used.
 */


#include "shim.h"
#include "buildtext.h"


#define A1    "{'ip':'192.0.2.1'}"
#define A2    "{'ip':'192.0.2.2'}"
#define A(r)  "{'a':{'ttl':30,'records':[" r "]}}"

#define FAILED  ", answered with SERVFAIL\n"
#define STATUS  "label \"h\", type A: \"health_check\": \"status\" is not a " \
                "code from 100 to 599, nor a list of up to 64 of them, what " \
                "is wrong is left out\n"


static void test_profiles(void);
static void test_sizes(void);
static void test_octets(void);
static void test_lines(void);
static void test_nsec3(void);
static void test_memory(void);
static void test_digest(void);


static build_t  fields[] = {

    { "types of a label",
      "F www {'a':{'ttl':30,'records':[" A1 "," A2 "]},"
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

    { "CNAME",
      "F www {'cname':{'host':'A.z.test','ttl':7}}\n",
      "www 7 CNAME a.z.test.\n", "" },

    { "names of members without case",
      "F www {'A':{'TTL':30,'Records':[{'IP':'192.0.2.1'}]},"
      "'cNaMe':null}\n",
      "www 30 A 192.0.2.1\n", "" },

    { "unknown members",
      "F www {'a':{'ttl':30,'records':[{'ip':'192.0.2.1','x':[]}],'y':{}},"
      "'disabled':true,'www':[1]}\n",
      "www 30 A 192.0.2.1\n", "" },

    { "the last one of two members",
      "F www {'a':7,'a':{'ttl':1,'ttl':2,'records':[],"
      "'records':[" A1 "]}}\n"
      "F x {'a':7,'A':{'ttl':1,'TTL':2,'records':[" A1 "]}}\n"
      "F y {'A':{'ttl':1,'records':[" A1 "]},'type1':{'ttl':3,'records':["
      A2 "]}}\n",
      "www 2 A 192.0.2.1\n"
      "x 2 A 192.0.2.1\n"
      "y 3 A 192.0.2.2\n", "" },

    { "a name without records",
      "F a \nF b {}\nF c null\nF d {'a':{}}\nF e {'a':{'records':[]}}\n"
      "F f {'a':{'ttl':30,'records':null}}\nF g {'a':null}\n"
      "F h {'cname':{}}\nF i {'aname':{}}\nF j  \n",
      "a NAME\nb NAME\nc NAME\nd NAME\ne NAME\nf NAME\ng NAME\nh NAME\n"
      "i NAME\nj FAILED\n",
      "label \"j\": the value is not JSON" FAILED },

    { "labels",
      "F @ " A(A1) "\n"
      "F a.b.ent " A(A1) "\n"
      "F *.dyn " A(A1) "\n"
      "F sub.* " A(A1) "\n"
      "F WWW " A(A1) "\n"
      "F a\\.b " A(A1) "\n"
      "F \\*.x " A(A1) "\n"
      "F b\303\274cher " A(A1) "\n"
      "F _443._tcp " A(A1) "\n",
      "@ 30 A 192.0.2.1\n"
      "sub.* 30 A 192.0.2.1\n"
      "_443._tcp 30 A 192.0.2.1\n"
      "a\\.b 30 A 192.0.2.1\n"
      "b\\195\\188cher 30 A 192.0.2.1\n"
      "*.dyn 30 A 192.0.2.1\n"
      "a.b.ent 30 A 192.0.2.1\n"
      "www 30 A 192.0.2.1\n"
      "*.x 30 A 192.0.2.1\n", "" },

    { "bad labels",
      "F - " A(A1) "\n"
      "F a..b " A(A1) "\n"
      "F www. " A(A1) "\n"
      "F . " A(A1) "\n"
      "F a\001 " A(A1) "\n"
      "F 0123456789012345678901234567890123456789012345678901234567890123 "
      A(A1) "\n"
      "F a\\300 " A(A1) "\n",
      "",
      "label \"\": the label is empty, left out\n"
      "label \"a..b\": the label is no name: label is empty, left out\n"
      "label \"www.\": the label ends with a dot, labels are relative to the "
      "zone, left out\n"
      "label \".\": the label ends with a dot, labels are relative to the "
      "zone, left out\n"
      "label \"a\\001\": the label has control characters, left out\n"
      "label \"01234567890123456789012345678901234567890123456789012345678901"
      "23\": the label is no name: label is longer than 63 octets, left out\n"
      "label \"a\\300\": the label is no name: escape is neither \\X nor \\DDD "
      "up to 255, left out\n" },

    { "several labels that are one name",
      "F WWW {'a':{'ttl':1,'records':[" A1 "]},'txt':{'records':[{'text':"
      "'x'}]}}\n"
      "F www {'a':{'ttl':2,'records':[" A2 "]}}\n"
      "F wwW {'a':{'ttl':3,'records':[" A2 "]}}\n"
      "F UP {'a':{'ttl':4,'records':[" A2 "]}}\n",
      "up 4 A 192.0.2.2\nwww 2 A 192.0.2.2\n",
      "label \"www\", type A: another label is the same name, left out\n"
      "label \"www\", type TXT: another label is the same name, left out\n"
      "label \"www\", type A: another label is the same name, left out\n" },
};


static build_t  costs[] = {

    { "a field that is not JSON",
      "F www {'a':\nF x {'a':{'records':[" A1 "]}}x\nF y \xff\n"
      "F z {'a':'\xff'}\n",
      "www FAILED\nx FAILED\ny FAILED\nz FAILED\n",
      "label \"www\": the value is not JSON" FAILED
      "label \"x\": the value is not JSON" FAILED
      "label \"y\": the value is not JSON" FAILED
      "label \"z\": the value is not JSON: it has octets that are not UTF-8"
      FAILED },

    { "a field that is no object",
      "F www []\nF x 'a'\nF y 7\nF z true\n",
      "www FAILED\nx FAILED\ny FAILED\nz FAILED\n",
      "label \"www\": the value is not an object" FAILED
      "label \"x\": the value is not an object" FAILED
      "label \"y\": the value is not an object" FAILED
      "label \"z\": the value is not an object" FAILED },

    { "an rrset of the wrong shape",
      "F www {'a':[],'aaaa':'x','txt':{'records':{}},'mx':{'ttl':'300',"
      "'records':[{'host':'a.'}]},'srv':{'ttl':-1,'records':[]},"
      "'ns':{'ttl':1.5,'records':[]},'ptr':{'ttl':true,'domain':'a.'},"
      "'caa':{'ttl':60,'records':[{'tag':'issue','value':''}]}}\n",
      "www FAILED A\n"
      "www FAILED NS\n"
      "www FAILED PTR\n"
      "www FAILED MX\n"
      "www FAILED TXT\n"
      "www FAILED AAAA\n"
      "www FAILED SRV\n"
      "www 60 CAA 0 issue \"\"\n",
      "label \"www\", type A: the value is not an object" FAILED
      "label \"www\", type AAAA: the value is not an object" FAILED
      "label \"www\", type TXT: \"records\" is not a list" FAILED
      "label \"www\", type MX: \"ttl\" is not a number of seconds" FAILED
      "label \"www\", type SRV: \"ttl\" is not a number of seconds" FAILED
      "label \"www\", type NS: \"ttl\" is not a number of seconds" FAILED
      "label \"www\", type PTR: \"ttl\" is not a number of seconds" FAILED },

    { "records that cannot be used",
      "F www {'a':{'ttl':30,'records':["
      A1 ",{'ip':'192.0.2.256'},{'ip':'2001:db8::1'},{'ip':''},{},"
      "{'ip':null},{'ip':7},'192.0.2.1',null,{'ip':'192.0.2.1 '},"
      "{'ip':'192.0.2.1','weight':-1},{'ip':'192.0.2.1','weight':'3'},"
      "{'ip':'\\\\# 4 c0000201'}," A2 "]}}\n",
      "www 30 A 192.0.2.1\nwww 30 A 192.0.2.2\n",
      "label \"www\", type A: record 2: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 3: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 4: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 5: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 6: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 7: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 8: it is not an object, left out\n"
      "label \"www\", type A: record 9: it is not an object, left out\n"
      "label \"www\", type A: record 10: \"ip\" is not an IPv4 address, left "
      "out\n"
      "label \"www\", type A: record 11: \"weight\" is not a number from 0 to "
      "4294967295, left out\n"
      "label \"www\", type A: record 12: \"weight\" is not a number from 0 to "
      "4294967295, left out\n"
      "label \"www\", type A: record 13: \"ip\" is not an IPv4 address, left "
      "out\n" },

    { "no record that can be used",
      "F www {'aaaa':{'records':[{'ip':'192.0.2.1'}]},'a':{'ttl':30,"
      "'records':[" A1 "]}}\n",
      "www 30 A 192.0.2.1\nwww FAILED AAAA\n",
      "label \"www\", type AAAA: record 1: \"ip\" is not an IPv6 address, "
      "left out\n" },

    { "hosts",
      "F www {'ns':{'ttl':1,'records':[{'host':'a.test.'},{'host':'B.test'},"
      "{'host':''},{'host':'  '},{'host':' c.test'},{'host':'c.test.\\t'},"
      "{'host':'bad..name'},{'host':7},{},{'host':'c\\\\.d.test'},"
      "{'host':'two words.test'},{'host':'.'},{'host':'\\u0000.test'}]}}\n",
      "www 1 NS .\n"
      "www 1 NS a.test.\n"
      "www 1 NS b.test.\n"
      "www 1 NS c\\.d.test.\n"
      "www 1 NS two\\032words.test.\n",
      "label \"www\", type NS: record 3: \"host\" is not a name: is empty, "
      "left out\n"
      "label \"www\", type NS: record 4: \"host\" is not a name: has blanks "
      "around it, left out\n"
      "label \"www\", type NS: record 5: \"host\" is not a name: has blanks "
      "around it, left out\n"
      "label \"www\", type NS: record 6: \"host\" is not a name: has control "
      "characters, left out\n"
      "label \"www\", type NS: record 7: \"host\" is not a name: label is "
      "empty, left out\n"
      "label \"www\", type NS: record 8: \"host\" is not a name: is not a "
      "string, left out\n"
      "label \"www\", type NS: record 9: \"host\" is not a name: is missing, "
      "left out\n"
      "label \"www\", type NS: record 13: \"host\" is not a name: has control "
      "characters, left out\n" },

    { "numbers",
      "F www {'mx':{'ttl':1,'records':[{'host':'a.'},{'host':'b.',"
      "'preference':65535},{'host':'c.','preference':65536},{'host':'d.',"
      "'preference':-1},{'host':'e.','preference':'10'},{'host':'f.',"
      "'preference':1.0},{'host':'g.','preference':1.5},{'host':'h.',"
      "'preference':null},{'host':'i.','preference':1e3},{'host':'j.',"
      "'preference':true},{'host':'k.','preference':"
      "99999999999999999999999999}]}}\n",
      "www 1 MX 0 a.\n"
      "www 1 MX 0 h.\n"
      "www 1 MX 1 f.\n"
      "www 1 MX 1000 i.\n"
      "www 1 MX 65535 b.\n",
      "label \"www\", type MX: record 3: \"preference\" is not a number from "
      "0 to 65535, left out\n"
      "label \"www\", type MX: record 4: \"preference\" is not a number from "
      "0 to 65535, left out\n"
      "label \"www\", type MX: record 5: \"preference\" is not a number from "
      "0 to 65535, left out\n"
      "label \"www\", type MX: record 7: \"preference\" is not a number from "
      "0 to 65535, left out\n"
      "label \"www\", type MX: record 10: \"preference\" is not a number from "
      "0 to 65535, left out\n"
      "label \"www\", type MX: record 11: \"preference\" is not a number from "
      "0 to 65535, left out\n" },

    { "SRV",
      "F www {'srv':{'ttl':1,'records':[{'target':'a.'},{'target':'b.',"
      "'port':65536},{'target':'c.','priority':'1'},{'target':''},"
      "{'target':'d.','weight':65535}]}}\n",
      "www 1 SRV 0 0 0 a.\nwww 1 SRV 0 65535 0 d.\n",
      "label \"www\", type SRV: record 2: \"port\" is not a number from 0 to "
      "65535, left out\n"
      "label \"www\", type SRV: record 3: \"priority\" is not a number from 0 "
      "to 65535, left out\n"
      "label \"www\", type SRV: record 4: \"target\" is not a name: is empty, "
      "left out\n" },

    { "CAA",
      "F www {'caa':{'ttl':1,'records':[{'tag':'Issue','value':'a'},"
      "{'tag':'','value':'a'},{'tag':'is sue','value':'a'},{'value':'a'},"
      "{'tag':'iodef'},{'tag':'issue','value':'b','flag':256},"
      "{'tag':'issue','value':';'}]}}\n",
      "www 1 CAA 0 Issue \"a\"\nwww 1 CAA 0 issue \";\"\n",
      "label \"www\", type CAA: record 2: the property tag is empty, "
      "left out\n"
      "label \"www\", type CAA: record 3: a property tag has letters and "
      "digits only, left out\n"
      "label \"www\", type CAA: record 4: \"tag\" is missing, left out\n"
      "label \"www\", type CAA: record 5: \"value\" is missing, left out\n"
      "label \"www\", type CAA: record 6: \"flag\" is not a number from 0 to "
      "255, left out\n" },

    { "TLSA",
      "F _443._tcp {'tlsa':{'ttl':1,'records':[{'usage':3,'selector':1,"
      "'matching_type':1,'certificate':'ABcd'},{'certificate':''},"
      "{'certificate':'abc'},{'certificate':'xy'},{'usage':256,"
      "'certificate':'00'},{'usage':1},{'certificate':7}]}}\n",
      "_443._tcp 1 TLSA 3 1 1 abcd\n",
      "label \"_443._tcp\", type TLSA: record 2: \"certificate\" is not "
      "hexadecimal, left out\n"
      "label \"_443._tcp\", type TLSA: record 3: \"certificate\" is not "
      "hexadecimal, left out\n"
      "label \"_443._tcp\", type TLSA: record 4: \"certificate\" is not "
      "hexadecimal, left out\n"
      "label \"_443._tcp\", type TLSA: record 5: \"usage\" is not a number "
      "from 0 to 255, left out\n"
      "label \"_443._tcp\", type TLSA: record 6: \"certificate\" is missing, "
      "left out\n"
      "label \"_443._tcp\", type TLSA: record 7: \"certificate\" is not a "
      "string, left out\n" },

    { "DS",
      "F sub {'ns':{'ttl':1,'records':[{'host':'ns.'}]},'ds':{'ttl':1,"
      "'records':[{'key_tag':1,'algorithm':13,'digest_type':2,"
      "'digest':'00'},{'key_tag':65536,'digest':'00'}]}}\n",
      "sub 1 NS ns.\nsub FAILED DS\n",
      "label \"sub\", type DS: record 1: the length of the digest does not "
      "fit its type, left out\n"
      "label \"sub\", type DS: record 2: \"key_tag\" is not a number from 0 "
      "to 65535, left out\n" },

    { "TXT",
      "F www {'txt':{'ttl':1,'records':[{'text':''},{'text':'a\\\\b'},"
      "{'text':7},{},{'text':'\\u0000\\u00e4'},{'text':null}]}}\n",
      "www 1 TXT \"\"\n"
      "www 1 TXT \"\\000\\195\\164\"\n"
      "www 1 TXT \"a\\\\b\"\n",
      "label \"www\", type TXT: record 3: \"text\" is not a string, left out\n"
      "label \"www\", type TXT: record 4: \"text\" is missing, left out\n"
      "label \"www\", type TXT: record 6: \"text\" is missing, left out\n" },

    { "a CNAME that cannot be used",
      "F a {'cname':{'host':'','ttl':1},'txt':{'records':[]}}\n"
      "F b {'cname':{'host':'a..b'}}\nF c {'cname':7}\n"
      "F d {'cname':{'host':'x.','ttl':'1'}}\n",
      "a FAILED CNAME\nb FAILED CNAME\nc FAILED CNAME\nd FAILED CNAME\n",
      "label \"a\", type CNAME: record 1: \"host\" is not a name: is empty, "
      "left out\n"
      "label \"b\", type CNAME: record 1: \"host\" is not a name: label is "
      "empty, left out\n"
      "label \"c\", type CNAME: the value is not an object" FAILED
      "label \"d\", type CNAME: \"ttl\" is not a number of seconds" FAILED },

    { "an ANAME that cannot be used",
      "F a {'aname':{'location':''}}\n"
      "F b {'aname':{'location':7},'a':{'ttl':1,'records':[" A1 "]}}\n"
      "F c {'aname':{'location':'x.','ttl':'1'},'aaaa':{'ttl':1,"
      "'records':[{'ip':'::1'}]}}\n"
      "F d {'aname':[]}\n"
      "F e {'aname':{'location':'Y.test','ttl':0}}\n"
      "F f {'aname':{'location':'y.test','ttl':60}}\n",
      "a FAILED A\na FAILED AAAA\n"
      "b 1 A 192.0.2.1\nb FAILED AAAA\n"
      "c FAILED A\nc 1 AAAA ::1\n"
      "d FAILED A\nd FAILED AAAA\n"
      "e ANAME 0 y.test.\n"
      "f ANAME 60 y.test.\n",
      "label \"a\", type ANAME: \"location\" is not a name: is empty" FAILED
      "label \"b\", type ANAME: \"location\" is not a name: is not a string"
      FAILED
      "label \"c\", type ANAME: \"ttl\" is not a number of seconds" FAILED
      "label \"d\", type ANAME: the value is not an object" FAILED },

    { "TTL",
      "F a {'a':{'records':[" A1 "]}}\n"
      "F b {'a':{'ttl':0,'records':[" A1 "]}}\n"
      "F c {'a':{'ttl':2147483647,'records':[" A1 "]}}\n"
      "F d {'a':{'ttl':2147483648,'records':[" A1 "]}}\n"
      "F e {'a':{'ttl':123456789012345678901234567890,'records':[" A1 "]}}\n"
      "F f {'a':{'ttl':null,'records':[" A1 "]}}\n",
      "a 3600 A 192.0.2.1\nb 0 A 192.0.2.1\nc 2147483647 A 192.0.2.1\n"
      "d 2147483647 A 192.0.2.1\ne 2147483647 A 192.0.2.1\n"
      "f 3600 A 192.0.2.1\n",
      "label \"d\", type A: \"ttl\" is larger than 2147483647, which is used\n"
      "label \"e\", type A: \"ttl\" is larger than 2147483647, which is "
      "used\n" },
};


static build_t  keys[] = {

    { "L4",
      "L www\nL @\nL A.b\n"
      "R www A {'ttl':30,'records':[" A1 "]}\n"
      "R www CNAME \n"
      "R @ ANAME {'location':'t.test.'}\n"
      "R A.b PTR {'ttl':1,'domain':'p.test'}\n"
      "R www TXT null\n",
      "@ NAME\n@ ANAME -1 t.test.\n"
      "a.b 1 PTR p.test.\na.b NAME\n"
      "www 30 A 192.0.2.1\nwww NAME\n", "" },

    { "L4, types",
      "R www a {}\nR www Aaaa {}\nR www TYPE1 {}\nR www X'Y {}\n"
      "R www aname {}\nR www TYPE65280 {'ttl':1,'records':[{'rdata':"
      "'\\\\# 1 00'}]}\nR www TYPE065281 {}\n",
      "www 1 TYPE65280 \\# 1 00\n",
      "label \"www\": \"a\" is not the name of a type, left out\n"
      "label \"www\": \"Aaaa\" is not the name of a type, left out\n"
      "label \"www\": \"TYPE1\" is not the name of a type, left out\n"
      "label \"www\": \"X\\034Y\" is not the name of a type, left out\n"
      "label \"www\": \"aname\" is not the name of a type, left out\n"
      "label \"www\": \"TYPE065281\" is not the name of a type, left out\n" },

    { "L4, a value that is not JSON",
      "L www\nR www A {\nR www MX []\nR www CNAME x\n",
      "www FAILED A\nwww FAILED CNAME\nwww FAILED MX\nwww NAME\n",
      "label \"www\", type A: the value is not JSON" FAILED
      "label \"www\", type MX: the value is not an object" FAILED
      "label \"www\", type CNAME: the value is not JSON" FAILED },

    { "a wrong type in Redis",
      "W www A\nW x -\nW - -\nW y ANAME\nW z b\n",
      "www FAILED A\nx FAILED\ny FAILED A\ny FAILED AAAA\n",
      "label \"www\", type A: the value has a wrong type in Redis" FAILED
      "label \"x\": the value has a wrong type in Redis" FAILED
      ": the config has a wrong type in Redis, the default one is used\n"
      "label \"y\", type ANAME: the value has a wrong type in Redis" FAILED
      "label \"z\": \"b\" is not the name of a type, left out\n" },
};


static build_t  others[] = {

    { "types that the layouts lack",
      "F www {'https':{'ttl':1,'records':[{'rdata':'1 . alpn=h2'}]},"
      "'sshfp':{'ttl':2,'records':[{'rdata':'1 1 "
      "0123456789012345678901234567890123456789'}]},"
      "'naptr':{'ttl':3,'records':[{'rdata':'1 2 \\'s\\' \\'\\' \\'\\' "
      "x.test'}]},"
      "'loc':{'ttl':4,'records':[{'rdata':'52 N 4 E 0m'}]},"
      "'uri':{'ttl':5,'records':[{'rdata':'1 2 \\'http://x/\\''}]},"
      "'TYPE65281':{'ttl':6,'records':[{'rdata':'\\\\# 2 abcd'}]}}\n"
      "R x SVCB {'ttl':1,'records':[{'rdata':'1 t.test'}]}\n",
      "www 4 LOC 52 0 0.000 N 4 0 0.000 E 0.00m 1.00m 10000.00m 10.00m\n"
      "www 3 NAPTR 1 2 \"s\" \"\" \"\" x.test.\n"
      "www 2 SSHFP 1 1 0123456789012345678901234567890123456789\n"
      "www 1 HTTPS 1 . alpn=\"h2\"\n"
      "www 5 URI 1 2 \"http://x/\"\n"
      "www 6 TYPE65281 \\# 2 abcd\n"
      "x 1 SVCB 1 t.test.\n", "" },

    { "rdata that cannot be used",
      "F www {'https':{'ttl':1,'records':[{'rdata':'1 . nosuch=1'},"
      "{'rdata':'1 .'},{'rdata':7},{},7,{'rdata':'1 . alpn=h2\\nx'},"
      "{'rdata':''}]},'sshfp':{'records':[{'rdata':'x'}]}}\n",
      "www FAILED SSHFP\nwww 1 HTTPS 1 .\n",
      "label \"www\", type HTTPS: record 1: \"rdata\": \"nosuch=1\" is not "
      "a parameter that is known, nor like key123=value, left out\n"
      "label \"www\", type HTTPS: record 3: \"rdata\" is not a string, left "
      "out\n"
      "label \"www\", type HTTPS: record 4: \"rdata\" is missing, left out\n"
      "label \"www\", type HTTPS: record 5: it is not an object, left out\n"
      "label \"www\", type HTTPS: record 6: \"rdata\": more than one line, "
      "left out\n"
      "label \"www\", type HTTPS: record 7: \"rdata\": no number, left out\n"
      "label \"www\", type SSHFP: record 1: \"rdata\": \"x\" is not a number "
      "from 0 to 255, left out\n" },

    { "odd octets in a message",
      "F a\303\244\001 {}\n"
      "F x {'sshfp':{'records':[{'rdata':'\303\244\\u0001'}]}}\n",
      "x FAILED SSHFP\n",
      "label \"a\\195\\164\\001\": the label has control characters, left "
      "out\n"
      "label \"x\", type SSHFP: record 1: \"rdata\": \"\?\?\?\" is not a "
      "number from 0 to 255, left out\n" },

    { "rdata of types that the layouts have",
      "F www {'a':{'ttl':1,'records':[{'rdata':'192.0.2.9'},"
      "{'rdata':'192.0.2.8','ip':'192.0.2.7'}]},'mx':{'ttl':2,'records':["
      "{'rdata':'7 mx'}]}}\n"
      "F x {'cname':{'ttl':3,'records':[{'rdata':'t.test.'},{'rdata':'u.'}]}}"
      "\n",
      "www 1 A 192.0.2.7\nwww 1 A 192.0.2.9\nwww 2 MX 7 mx.\n"
      "x 3 CNAME t.test.\n",
      "label \"x\", type CNAME: record 2: only one is allowed, left out\n" },

    { "types that cannot be given",
      "F www {'soa':{},'any':{},'axfr':{},'opt':{},'type65535':{},"
      "'type0':{},'tsig':null}\n",
      "www NAME\n",
      "label \"www\", type SOA: records of this type cannot be given, left "
      "out\n"
      "label \"www\", type ANY: records of this type cannot be given, left "
      "out\n"
      "label \"www\", type AXFR: records of this type cannot be given, left "
      "out\n"
      "label \"www\", type OPT: records of this type cannot be given, left "
      "out\n"
      "label \"www\", type TYPE65535: records of this type cannot be given, "
      "left out\n"
      "label \"www\", type TYPE0: records of this type cannot be given, left "
      "out\n"
      "label \"www\", type TSIG: records of this type cannot be given, left "
      "out\n" },

    { "DNAME",
      "F d {'dname':{'ttl':1,'records':[{'rdata':'t.test.'},{'rdata':"
      "'u.test.'}]}}\n",
      "d 1 DNAME t.test.\n",
      "label \"d\", type DNAME: record 2: only one is allowed, left out\n" },

    { "too many iterations",
      "F @ {'nsec3param':{'ttl':1,'records':[{'rdata':'1 0 151 -'},"
      "{'rdata':'1 0 150 -'}]}}\n",
      "@ 1 NSEC3PARAM 1 0 150 -\n",
      "label \"@\", type NSEC3PARAM: record 1: more than 150 iterations, left "
      "out\n" },
};


static build_t  conflicts[] = {

    { "CNAME beside other types",
      "F www {'a':{'ttl':1,'records':[" A1 "," A2 "],'filter':{'count':"
      "'single'}},'txt':{'records':[{'text':'x'}]},'cname':{'ttl':1,'host':"
      "'t.test.'},'aaaa':{'records':7},'aname':{'location':'u.'},"
      "'dname':{'records':[{'rdata':'d.'}]}}\n"
      "F b.www {'a':{'ttl':1,'records':[" A1 "]}}\n"
      "F x {'cname':{'ttl':1,'host':'t.test.'},'nsec':{'ttl':1,'records':["
      "{'rdata':'a. CNAME'}]},'key':{'ttl':1,'records':[{'rdata':"
      "'0 3 5 AA=='}]}}\n",
      "www 1 CNAME t.test.\n"
      "b.www 1 A 192.0.2.1\n"
      "x 1 CNAME t.test.\n"
      "x 1 KEY 0 3 5 AA==\n"
      "x 1 NSEC a. CNAME\n",
      "label \"www\", type AAAA: \"records\" is not a list" FAILED
      "label \"www\", type A: the label has a CNAME, left out\n"
      "label \"www\", type TXT: the label has a CNAME, left out\n"
      "label \"www\", type ANAME: the label has a CNAME, left out\n"
      "label \"www\", type DNAME: the label has a CNAME, left out\n" },

    { "CNAME beside other types, L4",
      "L www\nR www TXT {'ttl':1,'records':[{'text':'x'}]}\n"
      "R www CNAME {'ttl':1,'host':'t.test.'}\nR www MX {\n",
      "www 1 CNAME t.test.\nwww NAME\n",
      "label \"www\", type MX: the value is not JSON" FAILED
      "label \"www\", type TXT: the label has a CNAME, left out\n" },

    { "CNAME at the apex",
      "F @ {'cname':{'ttl':1,'host':'t.test.'},'ns':{'ttl':2,'records':["
      "{'host':'ns.'}]},'a':{'ttl':3,'records':[" A1 "]}}\n",
      "@ 3 A 192.0.2.1\n@ 2 NS ns.\n",
      "label \"@\", type CNAME: no CNAME can be at the apex, left out\n" },

    { "CNAME at the apex, flattened",
      "F @ {'cname':{'ttl':1,'host':'t.test.'},'ns':{'ttl':2,'records':["
      "{'host':'ns.'}]},'a':{'ttl':3,'records':[" A1 "]},'mx':{'ttl':4,"
      "'records':[{'host':'mx.'}]},'aaaa':7,'aname':{'location':'x.'}}\n"
      "C {'cname_flattening':true}\n",
      "@ 2 NS ns.\n@ 1 CNAME t.test.\n@ 4 MX 0 mx.\n",
      "label \"@\", type AAAA: the value is not an object" FAILED
      "label \"@\", type A: the label has a CNAME, left out\n"
      "label \"@\", type ANAME: the label has a CNAME, left out\n" },

    { "a CNAME at the apex that cannot be used",
      "F @ {'cname':{'host':''},'ns':{'ttl':2,'records':[{'host':'ns.'}]}}\n",
      "@ 2 NS ns.\n",
      "label \"@\", type CNAME: record 1: \"host\" is not a name: is empty, "
      "left out\n" },

    { "a CNAME at the apex that cannot be used, flattened",
      "F @ {'cname':{'host':''},'ns':{'ttl':2,'records':[{'host':'ns.'}]}}\n"
      "C {'cname_flattening':true}\n",
      "@ FAILED A\n@ 2 NS ns.\n@ FAILED AAAA\n",
      "label \"@\", type CNAME: record 1: \"host\" is not a name: is empty, "
      "left out\n" },

    { "NS and DNAME",
      "F *.a {'ns':{'ttl':1,'records':[{'host':'ns.'}]}}\n"
      "F *.b {'dname':{'ttl':1,'records':[{'rdata':'t.'}]},'txt':{'ttl':1,"
      "'records':[{'text':'x'}]}}\n"
      "F c {'ns':{'ttl':1,'records':[{'host':'ns.'}]},'dname':{'ttl':1,"
      "'records':[{'rdata':'t.'}]}}\n"
      "F x.c " A(A1) "\n"
      "F d {'dname':{'ttl':1,'records':[{'rdata':'t.'}]}}\n"
      "F x.d " A(A1 "," A2) "\n"
      "F y.x.d {}\n"
      "F z.d {'aname':{'location':'x.'}}\n",
      "*.a NAME\n"
      "*.b 1 TXT \"x\"\n*.b NAME\n"
      "c 1 NS ns.\n"
      "x.c 30 A 192.0.2.1\n"
      "d 1 DNAME t.\n",
      "label \"*.a\", type NS: this type cannot be at a wildcard, left out\n"
      "label \"*.b\", type DNAME: this type cannot be at a wildcard, left "
      "out\n"
      "label \"c\", type DNAME: the label has NS, left out\n"
      "label \"x.d\", type A: it is below a DNAME, left out\n"
      "label \"z.d\", type ANAME: it is below a DNAME, left out\n" },

    { "DNAME at the apex",
      "F @ {'dname':{'ttl':1,'records':[{'rdata':'t.'}]},'ns':{'ttl':1,"
      "'records':[{'host':'ns.'}]}}\nF www " A(A1) "\n",
      "@ 1 NS ns.\n@ 1 DNAME t.\n",
      "label \"www\", type A: it is below a DNAME, left out\n" },
};


static build_t  choices[] = {

    { "a set without a choice",
      "F www {'a':{'ttl':30,'records':[{'ip':'192.0.2.1','weight':3,"
      "'country':'DE','asn':1}],'filter':{'count':'multi','order':'none',"
      "'geo_filter':'none','no_match':'none'},'health_check':{'enable':false,"
      "'port':'x'}}}\n"
      "F x {'a':{'ttl':30,'records':[" A1 "],'filter':null,"
      "'health_check':null}}\n"
      "F y {'a':{'ttl':30,'records':[" A1 "],'filter':{},"
      "'health_check':{}}}\n"
      "F z {'a':{'records':[],'filter':{'count':'single'}}}\n",
      "www 30 A 192.0.2.1\nx 30 A 192.0.2.1\ny 30 A 192.0.2.1\nz NAME\n", "" },

    { "a choice",
      "F edge {'a':{'ttl':30,'filter':{'count':'single','order':'weighted',"
      "'geo_filter':'country'},'health_check':{'enable':true,'protocol':"
      "'https','uri':'/up','port':443,'timeout':800,'up_count':3,"
      "'down_count':-3},'records':[{'ip':'198.51.100.9','country':''},"
      "{'ip':'192.0.2.11','country':['De','at'],'weight':1},"
      "{'ip':'192.0.2.10','country':'de','weight':3}]}}\n",
      "edge 30 A 192.0.2.10\nedge 30 A 192.0.2.11\nedge 30 A 198.51.100.9\n"
      "edge CHOICE A count 1 order 1 steps 4 flags 4 each 10000 [2 w3 DE] "
      "[1 w1 DE AT] [0 w0]\n"
      "edge PROBE A https 443 flags 0 up 3 down 3 timeout 800 each 0 host <> "
      "uri </up> match <>\n", "" },

    { "systems",
      "F edge {'aaaa':{'ttl':30,'filter':{'count':'multi','order':'rr',"
      "'geo_filter':'ASN+country','no_match':'none'},'health_check':{"
      "'enable':true,'all_down':'none','interval':5,'down_count':4},"
      "'records':[{'ip':'2001:db8::1','asn':64500},{'ip':'2001:db8::2',"
      "'asn':[64501,0]},{'ip':'2001:db8::3','asn':'AS64502'},"
      "{'ip':'2001:db8::4','asn':0},{'ip':'2001:db8::5','asn':[]},"
      "{'ip':'2001:db8::6','asn':['as4294967295',null],'country':['',null,"
      "'FR']},{'ip':'2001:db8::7','asn':'64500'},{'ip':'2001:db8::8','asn':"
      "-1},{'ip':'2001:db8::9','asn':4294967296},{'ip':'2001:db8::a',"
      "'country':7},{'ip':'2001:db8::b','country':'DEU'},"
      "{'ip':'2001:db8::c','asn':''},{'ip':'2001:db8::d','asn':'AS'}]}}\n",
      "edge 30 AAAA 2001:db8::1\n"
      "edge 30 AAAA 2001:db8::2\n"
      "edge 30 AAAA 2001:db8::3\n"
      "edge 30 AAAA 2001:db8::4\n"
      "edge 30 AAAA 2001:db8::5\n"
      "edge 30 AAAA 2001:db8::6\n"
      "edge 30 AAAA 2001:db8::b\n"
      "edge 30 AAAA 2001:db8::c\n"
      "edge CHOICE AAAA count 0 order 2 steps 6 flags 7 each 5000"
      " [0 w0 64500] [1 w0 64501 0] [2 w0 64502] [3 w0] [4 w0]"
      " [5 w0 ** ** FR 4294967295 0] [6 w0 \?\?] [7 w0]\n"
      "edge PROBE AAAA http 80 flags 0 up 3 down 4 timeout 1000 each 5000 "
      "host <> uri </> match <>\n",
      "label \"edge\", type AAAA: record 7: \"asn\" is not the number of a "
      "system, nor a list of them, left out\n"
      "label \"edge\", type AAAA: record 8: \"asn\" is not the number of a "
      "system, nor a list of them, left out\n"
      "label \"edge\", type AAAA: record 9: \"asn\" is not the number of a "
      "system, nor a list of them, left out\n"
      "label \"edge\", type AAAA: record 10: \"country\" is not a code of two "
      "letters, nor a list of them, left out\n"
      "label \"edge\", type AAAA: \"country\": not a code of two letters, it "
      "matches nobody\n"
      "label \"edge\", type AAAA: record 13: \"asn\" is not the number of a "
      "system, nor a list of them, left out\n" },

    { "forms of one address",
      "F a {'a':{'ttl':1,'filter':{'order':'rr'},'records':[{'ip':'192.0.2.10',"
      "'country':'DE','asn':64500}]}}\n"
      "F b {'a':{'ttl':1,'filter':{'order':'rr'},'records':[{'ip':'192.0.2.10',"
      "'country':['DE'],'asn':[64500]}]}}\n"
      "F c {'a':{'ttl':1,'filter':{'order':'rr'},'records':[{'ip':'192.0.2.10',"
      "'Country':['DE'],'ASN':64500}]}}\n"
      "F d {'a':{'ttl':1,'filter':{'order':'rr'},'records':[{'ip':'192.0.2.10',"
      "'country':'','asn':0}]}}\n"
      "F e {'a':{'ttl':1,'filter':{'order':'rr'},'records':[{'ip':'192.0.2.10'"
      "}]}}\n",
      "a 1 A 192.0.2.10\n"
      "a CHOICE A count 0 order 2 steps 0 flags 0 [0 w0 DE 64500]\n"
      "b 1 A 192.0.2.10\n"
      "b CHOICE A count 0 order 2 steps 0 flags 0 [0 w0 DE 64500]\n"
      "c 1 A 192.0.2.10\n"
      "c CHOICE A count 0 order 2 steps 0 flags 0 [0 w0 DE 64500]\n"
      "d 1 A 192.0.2.10\n"
      "d CHOICE A count 0 order 2 steps 0 flags 0 [0 w0]\n"
      "e 1 A 192.0.2.10\n"
      "e CHOICE A count 0 order 2 steps 0 flags 0 [0 w0]\n", "" },

    { "the same address twice",
      "F a {'a':{'ttl':1,'filter':{'order':'weighted'},'records':["
      "{'ip':'192.0.2.2','weight':1},{'ip':'192.0.2.1','weight':2},"
      "{'ip':'192.0.2.2','weight':3},{'ip':'192.0.2.3','weight':4}]}}\n",
      "a 1 A 192.0.2.1\na 1 A 192.0.2.2\na 1 A 192.0.2.2\na 1 A 192.0.2.3\n"
      "a CHOICE A count 0 order 1 steps 0 flags 0 [1 w2] [0 w1] [3 w4]\n", "" },

    { "filters that cannot be read",
      "F a {'a':{'ttl':1,'filter':'single','records':[" A1 "]}}\n"
      "F b {'a':{'ttl':1,'health_check':[],'records':[" A1 "]}}\n"
      "F c {'a':{'ttl':1,'filter':{'count':'one','order':7,'geo_filter':''},"
      "'health_check':{'enable':'yes'},'records':[" A1 "]}}\n"
      "F d {'a':{'ttl':1,'health_check':{'enable':true,'port':65536,"
      "'timeout':'1','uri':null,'up_count':-1,'down_count':"
      "-65536,'interval':1.5},'records':[" A1 "]}}\n"
      "F e {'a':{'ttl':1,'health_check':{'enable':true,'protocol':'ping'},"
      "'records':[" A1 "]}}\n"
      "F f {'a':{'ttl':1,'health_check':{'enable':true,'protocol':7},"
      "'records':[" A1 "]}}\n"
      "F g {'a':{'ttl':1,'health_check':{'enable':true,'protocol':'TCP',"
      "'uri':'/'},'records':[" A1 "]}}\n"
      "F h {'a':{'ttl':1,'health_check':{'enable':true,'protocol':'',"
      "'uri':'up','host':'a b','match':7,'status':[200,'x',600],"
      "'verify':1,'all_down':'many'},'records':[" A1 "]}}\n",
      "a FAILED A\nb FAILED A\nc 1 A 192.0.2.1\nd 1 A 192.0.2.1\n"
      "d CHOICE A count 0 order 0 steps 0 flags 4 each 10000 [0 w0]\n"
      "d PROBE A http 80 flags 0 up 3 down 3 timeout 1000 each 0 host <> "
      "uri </> match <>\n"
      "e 1 A 192.0.2.1\nf 1 A 192.0.2.1\ng 1 A 192.0.2.1\nh 1 A 192.0.2.1\n"
      "h CHOICE A count 0 order 0 steps 0 flags 4 each 10000 [0 w0]\n"
      "h PROBE A http 80 flags 0 up 3 down 3 timeout 1000 each 0 host <> "
      "uri </> match <> 200\n",
      "label \"a\", type A: \"filter\" is not an object" FAILED
      "label \"b\", type A: \"health_check\" is not an object" FAILED
      "label \"c\", type A: \"filter\": \"count\" is none of the known words, "
      "the default is used\n"
      "label \"c\", type A: \"filter\": \"order\" is none of the known words, "
      "the default is used\n"
      "label \"c\", type A: \"health_check\": \"enable\" is neither true nor "
      "false, it is off\n"
      "label \"d\", type A: \"health_check\": \"port\" is not a number from 0 "
      "to 65535, the default is used\n"
      "label \"d\", type A: \"health_check\": \"timeout\" is not a number "
      "from 0 to 4294967295, the default is used\n"
      "label \"d\", type A: \"health_check\": \"up_count\" is not a number "
      "from 0 to 65535, the default is used\n"
      "label \"d\", type A: \"health_check\": \"down_count\" is not a number "
      "from 0 to 65535, the default is used\n"
      "label \"d\", type A: \"health_check\": \"interval\" is not a number "
      "from 0 to 4294967, the default is used\n"
      "label \"e\", type A: \"health_check\": \"protocol\" is none of http, "
      "https, and tcp, nothing is checked\n"
      "label \"f\", type A: \"health_check\": \"protocol\" is none of http, "
      "https, and tcp, nothing is checked\n"
      "label \"g\", type A: \"health_check\": there is no port, nothing is "
      "checked\n"
      "label \"h\", type A: \"health_check\": \"all_down\" is none of the "
      "known words, the default is used\n"
      "label \"h\", type A: \"health_check\": \"verify\" is neither true nor "
      "false, it is off\n"
      "label \"h\", type A: \"health_check\": \"host\" has blanks or control "
      "characters, the default is used\n"
      "label \"h\", type A: \"health_check\": \"uri\" does not begin with a "
      "slash, the default is used\n"
      "label \"h\", type A: \"health_check\": \"match\" is not a string of up "
      "to 1024 octets, the default is used\n"
      STATUS STATUS },

    { "unknown steps",
      "F i {'a':{'ttl':1,'filter':{'geo_filter':'asn+planet'},'records':["
      A1 "]}}\n"
      "F j {'a':{'ttl':1,'filter':{'geo_filter':'planet'},'records':["
      A1 "]}}\n",
      "i 1 A 192.0.2.1\n"
      "i CHOICE A count 0 order 0 steps 2 flags 0 [0 w0]\n"
      "j 1 A 192.0.2.1\n",
      "label \"i\", type A: \"filter\": \"geo_filter\" is not made of the "
      "known words, the others are used\n"
      "label \"j\", type A: \"filter\": \"geo_filter\" is not made of the "
      "known words, the default is used\n" },

    { "records with bad members",
      "F k {'a':{'ttl':1,'records':[{'ip':'192.0.2.2','priority':65536},"
      A1 ",{'ip':'192.0.2.3','priority':'1'},{'ip':'192.0.2.4',"
      "'priority':-1},{'ip':'192.0.2.5','continent':7},{'ip':'192.0.2.6',"
      "'network':[7]}]}}\n",
      "k 1 A 192.0.2.1\n",
      "label \"k\", type A: record 1: \"priority\" is not a number from 0 to "
      "65535, left out\n"
      "label \"k\", type A: record 3: \"priority\" is not a number from 0 to "
      "65535, left out\n"
      "label \"k\", type A: record 4: \"priority\" is not a number from 0 to "
      "65535, left out\n"
      "label \"k\", type A: record 5: \"continent\" is not a code of two "
      "letters, nor a list of them, left out\n"
      "label \"k\", type A: record 6: \"network\" is not a name, nor a list "
      "of them, left out\n" },

    { "places and groups",
      "F a {'a':{'ttl':1,'filter':{'order':'Sticky','geo_filter':"
      "'location+Network+continent'},'records':[{'ip':'192.0.2.1','continent':"
      "'eu','network':'office'},{'ip':'192.0.2.2','continent':['NA','',null],"
      "'network':['','OFFICE','a']},{'ip':'192.0.2.3','continent':'',"
      "'network':null},{'ip':'192.0.2.4','continent':'XX','priority':7}]}}\n"
      "F b {'a':{'ttl':1,'records':[{'ip':'192.0.2.1','priority':1},"
      "{'ip':'192.0.2.2'}]}}\n"
      "F c {'a':{'ttl':1,'records':[{'ip':'192.0.2.1','priority':1},"
      "{'ip':'192.0.2.2','priority':1}]}}\n",
      "a 1 A 192.0.2.1\na 1 A 192.0.2.2\na 1 A 192.0.2.3\na 1 A 192.0.2.4\n"
      "a CHOICE A count 0 order 3 steps 19 flags 0 "
      "[0 w0 in EU net aa8eba31] "
      "[1 w0 in NA in ** in ** net 0 net aa8eba31 net e40c292c] [2 w0] "
      "[3 w0 p7 in \?\?]\n"
      "b 1 A 192.0.2.1\nb 1 A 192.0.2.2\n"
      "b CHOICE A count 0 order 0 steps 0 flags 0 [0 w0 p1] [1 w0]\n"
      "c 1 A 192.0.2.1\nc 1 A 192.0.2.2\n",
      "label \"a\", type A: \"continent\": not a code of a continent, it "
      "matches nobody\n" },

    { "who wants to know",
      "F a {'a':{'ttl':1,'health_check':{'enable':true},'records':[" A1 "]}}\n"
      "C {'domain_id':'d-1'}\n",
      "@ ID d-1\n"
      "a 1 A 192.0.2.1\n"
      "a CHOICE A count 0 order 0 steps 0 flags 4 each 10000 [0 w0]\n"
      "a PROBE A http 80 flags 0 up 3 down 3 timeout 1000 each 0 host <> uri "
      "</> match <>\n", "" },

    { "nobody",
      "C {'domain_id':'d-1'}\nF a " A(A1) "\n", "a 30 A 192.0.2.1\n", "" },

    { "how to check",
      "F a {'a':{'ttl':1,'health_check':{'enable':true,'protocol':'https',"
      "'host':'www.example.com.','verify':true,'status':[200,404],'match':"
      "'all well','uri':'/up?a=1','interval':2,'timeout':10,'up_count':1,"
      "'down_count':2},'records':[" A1 "]}}\n"
      "F b {'a':{'ttl':1,'health_check':{'enable':true,'protocol':'tcp',"
      "'port':25,'status':204,'verify':true,'host':'x','match':'y'},"
      "'records':[" A1 "]}}\n"
      "F c {'a':{'ttl':1,'health_check':{'enable':true,'protocol':'http',"
      "'status':204,'verify':true,'port':0,'timeout':0,'up_count':0,"
      "'down_count':0,'interval':0},'records':[" A1 "]}}\n",
      "a 1 A 192.0.2.1\n"
      "a CHOICE A count 0 order 0 steps 0 flags 4 each 2000 [0 w0]\n"
      "a PROBE A https 443 flags 1 up 1 down 2 timeout 10 each 2000 host "
      "<www.example.com> uri </up?a=1> match <all well> 200 404\n"
      "b 1 A 192.0.2.1\n"
      "b CHOICE A count 0 order 0 steps 0 flags 4 each 10000 [0 w0]\n"
      "b PROBE A tcp 25 flags 0 up 3 down 3 timeout 1000 each 0 host <> uri "
      "<> match <>\n"
      "c 1 A 192.0.2.1\n"
      "c CHOICE A count 0 order 0 steps 0 flags 4 each 10000 [0 w0]\n"
      "c PROBE A http 80 flags 0 up 3 down 3 timeout 1000 each 0 host <> uri "
      "</> match <> 204\n", "" },
};


static void
test_profiles(void)
{
    static build_t  redins[] = {
        { "redins: a missing or zero TTL is the maximum",
          "F a {'a':{'records':[" A1 "]}}\n"
          "F b {'a':{'ttl':0,'records':[" A1 "]}}\n"
          "F c {'a':{'ttl':5000,'records':[" A1 "]}}\n"
          "F d {'aname':{'location':'x.'}}\n",
          "a 3600 A 192.0.2.1\nb 3600 A 192.0.2.1\nc 5000 A 192.0.2.1\n"
          "d ANAME -1 x.\n", "" }
    };

    static build_t  limited[] = {
        { "redins: that of dns_max_ttl",
          "F a {'a':{'records':[" A1 "]}}\nF b {'a':{'ttl':0,'records':["
          A1 "]}}\n",
          "a 77 A 192.0.2.1\nb 77 A 192.0.2.1\n", "" }
    };

    static build_t  z42[] = {
        { "z42: a missing TTL is 0",
          "F a {'a':{'records':[" A1 "]}}\n"
          "F b {'a':{'ttl':5,'records':[" A1 "]}}\n"
          "F d {'aname':{'location':'x.'}}\n",
          "a 0 A 192.0.2.1\nb 5 A 192.0.2.1\nd ANAME -1 x.\n", "" }
    };

    static build_t  strict[] = {
        { "strict: a missing TTL is dns_default_ttl",
          "F a {'a':{'records':[" A1 "]}}\n", "a 60 A 192.0.2.1\n", "" }
    };

    build_conf.profile = NGX_DNS_PROFILE_REDINS;
    build_all(redins, 1);
    build_conf.max_ttl = 77;
    build_all(limited, 1);

    build_conf.profile = NGX_DNS_PROFILE_Z42;
    build_all(z42, 1);

    build_conf.profile = NGX_DNS_PROFILE_STRICT;
    build_conf.default_ttl = 60;
    build_all(strict, 1);

    build_conf.default_ttl = 3600;
    build_conf.max_ttl = 0xffffffff;
}


/* one TXT of n octets, or n addresses; what comes out begins with want */

static void
check_size(const char *name, const char *head, size_t n, const char *want,
    const char *messages)
{
    char    *p;
    size_t   i;

    static char  input[BUILD_TEXT];

    p = input + sprintf(input, "%s", head);

    if (strchr(head, 'x') != NULL) {
        memset(p, 'y', n);
        p += n;
        p += sprintf(p, "'}]}}");

    } else {
        for (i = 0; i < n; i++) {
            p += sprintf(p, "%s{'ip':'10.0.%d.%d'}", i ? "," : "",
                         (int) (i >> 8), (int) (i & 255));
        }

        p += sprintf(p, "]}}");
    }

    build_octets(input, p - input);

    if (!tap_ok(strncmp(build_out, want, strlen(want)) == 0, "%s, %zu", name,
                n))
    {
        printf("# got %.100s\n", build_out);
    }

    tap_is_str(build_messages, messages, "%s, %zu, messages", name, n);

    build_free();
}


static void
test_sizes(void)
{
    const char  *a, *single, *txt;

    a = "F a {'a':{'ttl':1,'records':[";
    single = "F a {'a':{'ttl':1,'filter':{'count':'single'},'records':[";
    txt = "F x {'txt':{'ttl':1,'records':[{'text':'";

    /* 12 + 10 + 4 octets, and 16 of each record */

    check_size("addresses", a, 4094, "a 1 A 10.0.0.0\n", "");
    check_size("addresses", a, 4095, "a 1 A 10.0.0.0\n",
               "label \"a\", type A: the rrset is larger than any message"
               FAILED);
    tap_ok(strstr(build_out, "a FAILED A\n") != NULL, "it failed");

    /* 24 octets of each record in a note */

    check_size("one of addresses", single, 2731, "a 1 A 10.0.0.0\n",
               "label \"a\", type A: too many weights and places for one "
               "rrset" FAILED);
    check_size("one of addresses", single, 2730, "a 1 A 10.0.0.0\n", "");
    tap_ok(strstr(build_out, "a CHOICE A count 1") != NULL, "with its choice");

    check_size("text", txt, 65238, "x 1 TXT \"yyy", "");
    check_size("text", txt, 65279, "x FAILED TXT\n",
               "label \"x\", type TXT: the rrset is larger than any message"
               FAILED);
    check_size("text", txt, 65280, "x FAILED TXT\n",
               "label \"x\", type TXT: record 1: \"text\" is longer than "
               "65279 octets, left out\n");
}


static void
test_octets(void)
{
    char        *p;
    size_t       i, n;

    static char        input[8 * 1024 * 1024];
    static const char  escaped[] = "F x {'a\\u0000b':7,'a\\u0000':7}";
    static const char  endless[] = "F x {'a':{'ttl':1e400,'records':[" A1
                                   "]}}";

    /* texts are cut every 255 octets, and never get an empty string more */

    for (n = 254; n <= 512; n++) {

        if (n > 256 && n < 509) {
            continue;
        }

        p = input + sprintf(input, "F x {'txt':{'records':[{'text':'");
        memset(p, 'y', n);
        p += n;
        p += sprintf(p, "'}]}}");

        build_octets(input, p - input);

        for (p = build_out, i = 0; *p != '\0'; p++) {
            i += (*p == '"');
        }

        tap_is_int(i, 2 * ((n + 254) / 255), "strings of %zu octets", n);
        build_free();
    }

    /* nesting without an end, octets that are none, huge numbers */

    p = input + sprintf(input, "F x ");
    memset(p, '[', 100000);
    build_octets(input, p + 100000 - input);
    tap_is_str(build_out, "x FAILED\n", "nesting");
    build_free();

    build_octets("F x {'a\0b':7}\n", 14);
    tap_is_str(build_out, "x FAILED\n", "a zero octet in a name");
    build_free();

    build_octets(escaped, sizeof(escaped) - 1);
    tap_is_str(build_out, "x NAME\n", "the same with an escape");
    build_free();

    build_octets(endless, sizeof(endless) - 1);
    tap_is_str(build_out, "x 2147483647 A 192.0.2.1\n",
               "a number without limits");
    build_free();

    p = input + sprintf(input, "F x ");
    memset(p, ' ', 5000000);
    p += 5000000;
    p += sprintf(p, "{}");
    build_octets(input, p - input);
    tap_is_str(build_out, "x FAILED\n", "a value that is too large");
    tap_is_str(build_messages, "label \"x\": the value is larger than 4 MiB"
               FAILED, "a value that is too large, messages");
    build_free();

    /* more types than anybody has */

    p = input + sprintf(input, "F x {");

    for (i = 0; i < 100; i++) {
        p += sprintf(p, "%s'type%d':{}", i ? "," : "", 40000 + (int) i);
    }

    p += sprintf(p, "}");
    build_octets(input, p - input);
    tap_is_str(build_out, "x NAME\n", "many types");
    tap_is_str(build_messages, "label \"x\": more than 96 types, 4 are left "
               "out\n", "many types, messages");
    build_free();
}


/* the line as a whole, and how many of them there are */

static void
test_lines(void)
{
    char   *p;
    int     i;

    static char  input[BUILD_TEXT];
    static char  line[] = "label \"0\", type A: record 1: \"ip\" is not an "
                          "IPv4 address, left out\n";

    p = input;

    for (i = 0; i < 20; i++) {
        p += sprintf(p, "F %d {'a':{'records':[{}]}}\n", i);
    }

    build_octets(input, p - input);

    tap_is_int(build_warnings, 20, "20 lines");
    tap_is_int(build_bad, 20, "20 values left out");
    tap_ok(strncmp(build_messages, line, sizeof(line) - 1) == 0, "a line");
    build_free();

    p += sprintf(p, "F 20 {'a':{'records':[{}]}}\n"
                    "F 21 {'a':{'records':[{},{}]}}\n");

    build_octets(input, p - input);

    tap_is_int(build_warnings, 21, "20 lines and one that counts the rest");
    tap_is_int(build_bad, 23, "23 values left out");
    tap_ok(strstr(build_messages, ": 3 more warnings are not shown\n")
           != NULL, "the rest is counted");
    build_free();
}


/* in L4 the owner of an NSEC3 is in the set of labels, but it is no name */

static void
test_nsec3(void)
{
    uint32_t          *index;
    ngx_dns_node_t    *node;

    static const char  values[] = "L 0p9mhaveqvm6t7vbl5lop2u3t2rp3tom\n"
        "R 0p9mhaveqvm6t7vbl5lop2u3t2rp3tom NSEC3 {'ttl':1,'records':[{"
        "'rdata':'1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr A'}]}\n"
        "L www\n";

    build_octets(values, sizeof(values) - 1);
    tap_is_str(build_messages, "", "NSEC3");

    /* canonical order: apex, NSEC3, www */

    index = ngx_dns_zone_at(build_zone, build_zone->index);
    node = ngx_dns_zone_at(build_zone, index[1]);

    tap_is_int(build_zone->nnodes, 3, "three nodes");
    tap_is_int(node->flags, NGX_DNS_NODE_NSEC3, "it is no name");

    build_free();
}


static ngx_uint_t  maps;                /* that are left before they fail */


static void *
failing_map(void *data, size_t size)
{
    if (maps == 0) {
        return NULL;
    }

    maps--;

    return memory_map(data, size);
}


/* whenever memory ends: an error, and all is given back */

static void
test_memory(void)
{
    char         *p;
    ngx_uint_t    i, failed, lost;

    static char              input[BUILD_TEXT];
    static ngx_dns_memory_t  failing = { failing_map, memory_unmap,
                                         memory_trim, NULL };

    p = input;
    p += sprintf(p, "C {'dnssec':true}\nK 0 z. DNSKEY 256 3 8 AAAA\n"
                    "K 1 Private-key-format: v1.3 Algorithm: 8\n"
                    "K 2 z. DNSKEY 257 3 8 AAAA\n"
                    "K 3 Private-key-format: v1.3 Algorithm: 8\n"
                    "F a {'cname':{'host':'b.'},'txt':{'records':[]}}\n"
                    "F @ {'cname':{'host':''}}\n"
                    "F *.x {'ns':{'records':[{'host':'b.'}]}}\n"
                    "F b {'a':{'filter':{'order':'rr'},'records':[" A1 "]}}\n"
                    "F c {'txt':{'ttl':1,'records':[{'text':'");
    memset(p, 'y', 40000);
    p += 40000;
    p += sprintf(p, "'}]}}\n");

    build_memory = &failing;
    failed = 0;
    lost = 0;

    for (i = 0; i < 100; i++) {
        maps = i;
        build_octets(input, p - input);

        if (build_zone == NULL) {
            failed++;
        }

        build_free();
        lost += (memory_blocks != 0);

        if (maps != 0) {
            break;
        }
    }

    build_memory = &memory;

    tap_ok(failed > 10 && failed == i - 1, "%d places without memory",
           (int) failed);
    tap_is_int(lost, 0, "nothing is lost");
}


static uint64_t
digest(ngx_uint_t kind, const char *name, size_t nlen, const char *value,
    size_t vlen)
{
    ngx_str_t  n, v;

    n.data = (u_char *) name;
    n.len = nlen;
    v.data = (u_char *) value;
    v.len = vlen;

    return ngx_dns_build_digest(kind, &n, &v);
}


static void
test_digest(void)
{
    size_t        i, k, n;
    static char   text[64];

    static uint64_t  seen[64];

    tap_ok(digest('f', "www", 3, "{}", 2) == digest('f', "www", 3, "{}", 2),
           "the same digest");
    tap_ok(digest('f', "www", 3, "{}", 2) != digest('k', "www", 3, "{}", 2),
           "kinds differ");
    tap_ok(digest('f', "ab", 2, "c", 1) != digest('f', "a", 1, "bc", 2),
           "where the name ends");

    n = 0;

    for (i = 0; i < 64; i++) {
        seen[i] = digest('f', "www", 3, text, i);

        for (k = 0; k < i; k++) {
            n += (seen[k] == seen[i]);
        }
    }

    tap_is_int(n, 0, "zero octets differ by their number");

    /* it must not change from one version to the next without need */

    tap_ok(digest('f', "www", 3, "0123456789", 10)
           == 0x599fbcb04dbcb63bULL,
           "a known digest");
}


#define build_table(t)  build_all(t, sizeof(t) / sizeof(build_t))


int
main(void)
{
    build_table(fields);
    build_table(costs);
    build_table(keys);
    build_table(others);
    build_table(conflicts);
    build_table(choices);

    test_profiles();
    test_sizes();
    test_octets();
    test_lines();
    test_nsec3();
    test_memory();
    test_digest();

    return tap_done();
}
