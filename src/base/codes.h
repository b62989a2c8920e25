/* errno, with the values that the seam uses and Windows has not. No system call there gives them,
 * and nothing but our own code sees them. */
#ifndef UNTORN_BASE_CODES_H
#define UNTORN_BASE_CODES_H

#include <errno.h>

#ifndef ESTALE
#define ESTALE 1001
#endif
#ifndef EDQUOT
#define EDQUOT 1002
#endif

#endif
