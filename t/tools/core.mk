# Copyright (C) ngx_dns_module contributors

# Builds the core outside of nginx, with every unit test and fuzz target.
#
# FLAVOR  names build/core/FLAVOR/, where all goes
# FLAGS   compiler and linker flags of the flavor
# MAIN    the main() of fuzz targets, empty if the flavor brings its own
# TREE    the nginx tree whose headers and string functions are used
#
# A floor sees the headers of the floors below it and its own, no others.

FLAVOR  ?= plain
FLAGS   ?= -O2
MAIN    ?= t/fuzz/main.c
TREE    ?= build/nginx

# the feature tests of nginx's configure say which libraries there are
REDIS   := $(shell grep -s NGX_DNS_REDIS $(TREE)/objs/ngx_auto_config.h)
GEO     := $(shell grep -s NGX_DNS_GEO $(TREE)/objs/ngx_auto_config.h)
LIBS    ?= -lcrypto $(if $(REDIS),-lhiredis -ljansson) \
           $(if $(GEO),-lmaxminddb) -lm

OUT     := build/core/$(FLAVOR)
M       := ngx_dns_module

WARN    := -W -Wall -Wpointer-arith -Wno-unused-parameter -Werror
NGXINC  := -isystem $(TREE)/src/core -isystem $(TREE)/src/event \
           -isystem $(TREE)/src/event/modules -isystem $(TREE)/src/os/unix \
           -isystem $(TREE)/objs
CFLAGS  := -g $(FLAGS) $(WARN) $(NGXINC) -MMD -MP

INC_dns    := -I $(M)/dns
INC_zone   := $(INC_dns) -I $(M)/zone
INC_answer := $(INC_zone) -I $(M)/answer
INC_pure   := $(INC_answer) -I $(M)/control

# the pure files of the control plane are built and tested as the core is

CORE    := $(foreach d,dns zone answer,$(sort $(wildcard $(M)/$(d)/*.c))) \
           $(sort $(wildcard $(M)/control/ngx_dns_*.c))
SYSTEM  := ngx_string ngx_array ngx_queue ngx_rbtree
UNITS   := $(filter-out shim,$(basename $(notdir $(wildcard t/unit/*.c))))
FUZZERS := $(filter-out main,$(basename $(notdir $(wildcard t/fuzz/*.c))))

COREOBJ := $(CORE:$(M)/%.c=$(OUT)/%.o)
LIB     := $(OUT)/core.a
SYSOBJ  := $(SYSTEM:%=$(OUT)/nginx/%.o) $(OUT)/unit/shim.o
MAINOBJ := $(MAIN:t/fuzz/%.c=$(OUT)/fuzz/%.o)

UNITBIN := $(UNITS:%=$(OUT)/unit/%)
FUZZBIN := $(FUZZERS:%=$(OUT)/fuzz/%)

.PHONY: all core unit fuzz
.SECONDARY:
.DELETE_ON_ERROR:

all: unit fuzz
core: $(COREOBJ)
unit: $(UNITBIN)
fuzz: $(FUZZBIN)

$(UNITBIN): $(OUT)/unit/%: $(OUT)/unit/%.o $(LIB)
	$(CC) $(FLAGS) -o $@ $^ $(LIBS)

$(FUZZBIN): $(OUT)/fuzz/%: $(OUT)/fuzz/%.o $(MAINOBJ) $(LIB)
	$(CC) $(FLAGS) $(LINK) -o $@ $^ $(LIBS)

$(LIB): $(COREOBJ) $(SYSOBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(OUT)/dns/%.o: $(M)/dns/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(INC_dns) -c -o $@ $<

$(OUT)/zone/%.o: $(M)/zone/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(INC_zone) -c -o $@ $<

$(OUT)/answer/%.o: $(M)/answer/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(INC_answer) -c -o $@ $<

$(OUT)/control/%.o: $(M)/control/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(INC_pure) -c -o $@ $<

$(OUT)/unit/%.o: t/unit/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(INC_pure) -I t/unit -c -o $@ $<

$(OUT)/fuzz/%.o: t/fuzz/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(INC_pure) -I t/unit -I t/fuzz -c -o $@ $<

$(OUT)/nginx/%.o: $(TREE)/src/core/%.c
	@mkdir -p $(@D)
	$(CC) -g $(SYSFLAGS) $(NGXINC) -MMD -MP -c -o $@ $<

-include $(wildcard $(OUT)/*/*.d)
