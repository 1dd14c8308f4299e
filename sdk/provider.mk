# SPDX-License-Identifier: Apache-2.0 OR MIT
# rhost/provider.mk - builds and installs a provider plugin outside of rhost's tree. All of a
# Makefile (GNU make) is:
#
#     NAME = zfs
#     SOURCES = zfs.c pool.c
#     include $(shell pkg-config --variable=providermk rhost)
#
# `make` makes zfs.so, `make check` runs the *.bats that are beside it, `make install` puts it where
# rhost looks (DESTDIR is honoured), `make clean` removes what was made. A library that the plugin needs is named by PACKAGES, for pkg-config, or by
# LIBS. A file zfs.types, where the plugin declares data types with names of their own, is installed
# beside it. SOURCES may be C++ as well (.cc, .cpp, .cxx). CC, CXX, CPPFLAGS, CFLAGS, CXXFLAGS and LDFLAGS
# are yours, as ever.

ifndef NAME
$(error NAME is not set: it is what the plugin is called)
endif
ifndef SOURCES
$(error SOURCES is not set: it is what the plugin is compiled from)
endif

PKG_CONFIG ?= pkg-config
INSTALL ?= install
BATS ?= bats
CFLAGS ?= -O2 -g -Wall -Wextra
CXXFLAGS ?= -O2 -g -Wall -Wextra
PACKAGES ?=
LIBS ?=

rhost_plugindir := $(shell $(PKG_CONFIG) --variable=plugindir rhost)
rhost_cppflags := $(shell $(PKG_CONFIG) --cflags rhost $(PACKAGES)) -D_GNU_SOURCE
rhost_libs := $(if $(strip $(PACKAGES)),$(shell $(PKG_CONFIG) --libs $(PACKAGES)))
rhost_cxx := $(filter %.cc %.cpp %.cxx,$(SOURCES))
rhost_unknown := $(filter-out %.c $(rhost_cxx),$(SOURCES))
ifneq ($(rhost_unknown),)
$(error SOURCES has $(rhost_unknown), expected files in C (.c) or C++ (.cc, .cpp, .cxx))
endif
rhost_objects := $(addsuffix .o,$(basename $(SOURCES)))
rhost_map := $(dir $(lastword $(MAKEFILE_LIST)))plugin.map
rhost_types := $(wildcard $(NAME).types)
rhost_tests := $(wildcard *.bats)

# A plugin exports its one entry, and needs nothing that it does not link to: what is missing is
# found when it is built, and not when somebody's machine is to be configured.
rhost_cflags := -std=gnu11 -fPIC -fvisibility=hidden
rhost_cxxflags := -std=gnu++17 -fPIC -fvisibility=hidden -Wno-missing-field-initializers
rhost_ldflags := -shared -Wl,-z,defs -Wl,-z,now -Wl,--version-script=$(rhost_map)
rhost_link := $(if $(rhost_cxx),$(CXX) $(CXXFLAGS),$(CC) $(CFLAGS))

.DEFAULT_GOAL := all
.PHONY: all check install uninstall clean

all: $(NAME).so

$(NAME).so: $(rhost_objects)
	$(rhost_link) $(LDFLAGS) $(rhost_ldflags) -o $@ $(rhost_objects) $(rhost_libs) $(LIBS)

%.o: %.c
	$(CC) $(rhost_cppflags) $(CPPFLAGS) $(rhost_cflags) $(CFLAGS) -MMD -MP -c -o $@ $<

%.o: %.cc
	$(CXX) $(rhost_cppflags) $(CPPFLAGS) $(rhost_cxxflags) $(CXXFLAGS) -MMD -MP -c -o $@ $<

%.o: %.cpp
	$(CXX) $(rhost_cppflags) $(CPPFLAGS) $(rhost_cxxflags) $(CXXFLAGS) -MMD -MP -c -o $@ $<

%.o: %.cxx
	$(CXX) $(rhost_cppflags) $(CPPFLAGS) $(rhost_cxxflags) $(CXXFLAGS) -MMD -MP -c -o $@ $<

check: $(NAME).so
	$(if $(rhost_tests),$(BATS) $(rhost_tests))

install: $(NAME).so
	$(INSTALL) -d $(DESTDIR)$(rhost_plugindir)
	$(INSTALL) -m 755 $(NAME).so $(DESTDIR)$(rhost_plugindir)
	$(if $(rhost_types),$(INSTALL) -m 644 $(rhost_types) $(DESTDIR)$(rhost_plugindir))

uninstall:
	rm -f $(DESTDIR)$(rhost_plugindir)/$(NAME).so $(DESTDIR)$(rhost_plugindir)/$(NAME).types

clean:
	rm -f $(NAME).so $(rhost_objects) $(rhost_objects:.o=.d)

-include $(rhost_objects:.o=.d)
