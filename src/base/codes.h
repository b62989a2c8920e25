/* errno, with the values that the seam uses and Windows has not. No system call there gives them:
 * they are what its sockets would say, and what Python has under these names. */
#ifndef UNTORN_BASE_CODES_H
#define UNTORN_BASE_CODES_H

#include <errno.h>

#ifndef ESTALE
#define ESTALE 10070 /* WSAESTALE */
#endif
#ifndef EDQUOT
#define EDQUOT 10069 /* WSAEDQUOT */
#endif

#endif
