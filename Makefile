# Copyright (C) ngx_dns_module contributors

# make             build/ngx_dns_module.so for the installed nginx
# make install     put it where nginx looks for modules (DESTDIR is obeyed)
# make run         install what is missing, build, start, ask a question
# make run-redis   the same with zones from a Redis, which is started too
# make stop        stop what "make run" or "make run-redis" started
# make test        install what is missing, build and run every test
#                  (SUITES="unit nginx" or T="words of paths" narrow it)
# make test-long   the tests that loop for minutes
# make fuzz        fuzz each target for FUZZ_TIME seconds (FUZZ=name: one)
# make coverage    line coverage of the core by unit tests and corpora
# make bench       compare with other servers (bench/)
# make packages    install every Debian package that any of these needs
# make clean       remove build/

BUILD       := build
TOOLS       := t/tools

NGINX_BIN   ?= $(or $(shell command -v nginx),/usr/sbin/nginx)
NGINX_DEV   ?= /usr/share/nginx/src
MODULES_DIR ?= /usr/lib/nginx/modules

PORT        ?= 5300
JOBS        ?= 2
FUZZ_TIME   ?= 900
FUZZ        ?=

HARDEN      := -fstack-protector-strong -Wformat -Werror=format-security \
               -D_FORTIFY_SOURCE=2
CC_OPT      ?= -g -O2 -fPIC $(HARDEN)
LD_OPT      ?= -Wl,-z,relro -Wl,-z,now -fPIC
SAN_OPT     ?= -g -O1 -fPIC -fno-omit-frame-pointer \
               -fsanitize=address,undefined \
               -fno-sanitize=nonnull-attribute -DNGX_DEBUG_PALLOC=1

DEV_FLAGS   := --with-compat --with-debug --with-threads --with-stream \
               --with-stream_ssl_module --with-http_ssl_module
TEST_FLAGS  := $(DEV_FLAGS) --with-stream_realip_module \
               --with-http_realip_module --with-http_stub_status_module

export NGINX_BIN NGINX_DEV MODULES_DIR PORT JOBS T
export FUZZ_TIME FUZZ CC_OPT LD_OPT SAN_OPT DEV_FLAGS TEST_FLAGS

MODULE      := $(BUILD)/ngx_dns_module.so

.PHONY: all module install uninstall run run-redis stop test test-long fuzz
.PHONY: coverage bench packages clean nginx nginx-asan unit force


all: module

module: $(MODULE)

$(MODULE): force
	@$(TOOLS)/build module

nginx: force
	@$(TOOLS)/build nginx

nginx-asan: force
	@$(TOOLS)/build nginx-asan

install: module
	install -d "$(DESTDIR)$(MODULES_DIR)"
	install -m 644 $(MODULE) "$(DESTDIR)$(MODULES_DIR)/"

uninstall:
	rm -f "$(DESTDIR)$(MODULES_DIR)/ngx_dns_module.so"

run:
	@$(TOOLS)/packages run
	@$(TOOLS)/build module
	@$(TOOLS)/run start

run-redis:
	@$(TOOLS)/packages run redis
	@$(TOOLS)/build module
	@$(TOOLS)/run redis

stop:
	@$(TOOLS)/run stop

test:
	@$(TOOLS)/packages run test
	@$(TOOLS)/test $(SUITES)

test-long:
	@$(TOOLS)/packages run test
	@$(TOOLS)/test long

unit:
	@$(TOOLS)/test unit unit-asan fuzz

fuzz:
	@$(TOOLS)/packages run test fuzz
	@$(TOOLS)/fuzz

coverage:
	@$(TOOLS)/packages run test
	@$(TOOLS)/coverage

bench:
	@$(TOOLS)/packages run test bench
	@$(TOOLS)/build module
	@$(MAKE) --no-print-directory -C bench bench

packages:
	@$(TOOLS)/packages run test fuzz bench

clean:
	@$(TOOLS)/run stop quietly
	rm -rf $(BUILD)

force:
