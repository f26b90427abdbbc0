#ifndef TILL_CCURL_SHIM_H
#define TILL_CCURL_SHIM_H
#include <curl/curl.h>
#endif
