/* The formats, told apart. */
#ifndef UNTORN_TEXT_FORMAT_H
#define UNTORN_TEXT_FORMAT_H

#include <untorn/document.h>

/* One of those that documents can have. */
bool format_is_known(enum untorn_format format);

bool format_is_toml(enum untorn_format format);

#endif
