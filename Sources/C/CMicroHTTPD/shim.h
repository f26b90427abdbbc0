#ifndef TILL_CMICROHTTPD_SHIM_H
#define TILL_CMICROHTTPD_SHIM_H
#include <stdint.h>
#include <stddef.h>
#include <microhttpd.h>
#endif
