#ifndef TILL_COPENSSL_SHIM_H
#define TILL_COPENSSL_SHIM_H
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* Only what Swift cannot call itself: stacks and memory BIOs are macros in OpenSSL. */

static inline STACK_OF(X509) *till_x509_stack_new(void) { return sk_X509_new_null(); }

/* Takes a reference of its own; till_x509_stack_free gives all of them back. */
static inline int till_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    if (!X509_up_ref(certificate)) return 0;
    if (sk_X509_push(stack, certificate)) return 1;
    X509_free(certificate);
    return 0;
}

static inline void till_x509_stack_free(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

static inline int till_x509_stack_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}

static inline X509 *till_x509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

/* Frees the stack alone: PKCS7_get0_signers lends the certificates in it. */
static inline void till_x509_stack_free_container(STACK_OF(X509) *stack) {
    sk_X509_free(stack);
}

static inline long till_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

/* RFC 2253 order and escapes, but with UTF-8 left readable. */
static inline int till_name_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

static inline int till_name_add(X509_NAME *name, const char *field, const unsigned char *text,
                                int count) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, text, count, -1, 0);
}

/* Works out multiples of the group's generator ahead. Deprecated in OpenSSL 3.0 with the advice to leave it
   to the library, which for a point of ours does nothing; where it is gone there is no table. */
static inline int till_ec_group_precompute(EC_GROUP *group, BN_CTX *context) {
#if OPENSSL_VERSION_NUMBER < 0x40000000L && !defined(OPENSSL_NO_DEPRECATED_3_0)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return EC_GROUP_precompute_mult(group, context) == 1
        && EC_GROUP_have_precompute_mult(group) == 1;
#pragma GCC diagnostic pop
#else
    (void)group; (void)context;
    return 0;
#endif
}

static inline int till_pkcs7_is_signed(PKCS7 *message) { return PKCS7_type_is_signed(message); }

/* The certificates in the message, lent; the structure is a union that Swift cannot name. */
static inline STACK_OF(X509) *till_pkcs7_certificates(PKCS7 *message) {
    return PKCS7_type_is_signed(message) && message->d.sign != NULL ? message->d.sign->cert : NULL;
}

/* The only signer's signed attributes, -1 where there is not one signer. */
static inline int till_pkcs7_signed_attributes(PKCS7 *message) {
    STACK_OF(PKCS7_SIGNER_INFO) *signers = PKCS7_get_signer_info(message);
    if (signers == NULL || sk_PKCS7_SIGNER_INFO_num(signers) != 1) return -1;
    PKCS7_SIGNER_INFO *signer = sk_PKCS7_SIGNER_INFO_value(signers, 0);
    return signer->auth_attr == NULL ? 0 : sk_X509_ATTRIBUTE_num(signer->auth_attr);
}
#endif
