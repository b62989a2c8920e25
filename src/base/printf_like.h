/* Lets the compiler check the arguments of a function that formats as printf does. */
#ifndef UNTORN_BASE_PRINTF_LIKE_H
#define UNTORN_BASE_PRINTF_LIKE_H

#if defined(__MINGW32__)
#define PRINTF_LIKE(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define PRINTF_LIKE(format_at, first)
#endif

#endif
