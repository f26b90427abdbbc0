#ifndef TILL_CEPOLL_SHIM_H
#define TILL_CEPOLL_SHIM_H
/* Swift's module of the C library leaves this header out. */
#ifdef __linux__
#include <sys/epoll.h>
#endif
#endif
