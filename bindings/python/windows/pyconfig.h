/* In the place of the pyconfig.h of Python for Windows, which no package of Debian has: as much of
 * it as the headers of the stable ABI ask for, for 64 bits. */
#ifndef Py_CONFIG_H
#define Py_CONFIG_H

#define MS_WINDOWS 1
#define MS_WIN64 1
#define Py_ENABLE_SHARED 1 /* what is used of Python comes from a DLL */
#define HAVE_DECLSPEC_DLL 1

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8

#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_PROTOTYPES 1

#endif
