/* Marks what the shared library exports, and gives C++ callers C linkage. Nothing else. */
#ifndef UNTORN_VISIBILITY_H
#define UNTORN_VISIBILITY_H

#if defined(_WIN32)
#ifdef UNTORN_BUILDS_LIBRARY
#define UNTORN_API __declspec(dllexport)
#else
#define UNTORN_API
#endif
#elif defined(__GNUC__) || defined(__clang__)
#define UNTORN_API __attribute__((visibility("default")))
#else
#define UNTORN_API
#endif

#ifdef __cplusplus
#define UNTORN_BEGIN_C extern "C" {
#define UNTORN_END_C }
#else
#define UNTORN_BEGIN_C
#define UNTORN_END_C
#endif

#endif
