/* The version of the library: what you compiled against, and what you run with. */
#ifndef UNTORN_VERSION_H
#define UNTORN_VERSION_H

#include <untorn/visibility.h>

#define UNTORN_VERSION "0.1.0"

UNTORN_BEGIN_C

/* The version of the library that is running, "0.1.0". Borrowed, static. */
UNTORN_API const char *untorn_version(void);

UNTORN_END_C

#endif
