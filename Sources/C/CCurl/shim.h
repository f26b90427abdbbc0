#ifndef TILL_CCURL_SHIM_H
#define TILL_CCURL_SHIM_H
#include <curl/curl.h>
#include <curl/multi.h>

/* Swift calls no variadic C function, and libcurl sets everything through two of them. */

static inline CURLcode till_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }

static inline CURLcode till_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode till_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode till_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode till_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

/* libcurl copies the bytes. */
static inline CURLcode till_curl_set_blob(
    CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob;
    blob.data = (void *)bytes;
    blob.len = count;
    blob.flags = CURL_BLOB_COPY;
    return curl_easy_setopt(easy, option, &blob);
}

/* For bytes that libcurl copies at once. */
static inline CURLcode till_curl_set_copied(CURL *easy, CURLoption option, const void *bytes) {
    return curl_easy_setopt(easy, option, bytes);
}

static inline CURLcode till_curl_set_headers(CURL *easy, struct curl_slist *list) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

static inline CURLcode till_curl_set_data_callback(
    CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode till_curl_set_socket_callback(CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLMcode till_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline long till_curl_info_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline void *till_curl_private(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

/* The result of a finished transfer, which stands in a union. */
static inline CURLcode till_curl_result(const CURLMsg *message) { return message->data.result; }

#endif
