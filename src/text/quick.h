/* One scalar replaced by another, the commonest edit, without making a tree of either text.
 *
 * Whatever is not that plain case is left to the general way (document.h), which also has the words
 * for what is wrong.
 *
 *   QUICK-1  The old and the new text were scanned whole: both are documents. [DOCUMENT-1]
 *   QUICK-2  They differ in one token. The new one was scanned by itself and holds the value that
 *            was asked for; what stands before and behind it stays. So the new data is the old data
 *            with exactly that change. [DOCUMENT-2]
 */
#ifndef UNTORN_TEXT_QUICK_H
#define UNTORN_TEXT_QUICK_H

#include "text/parsed.h"

/* *ret_text is new (malloc) and terminated; the old text if the value is there already. false: it
 * is for the general way. */
bool quick_set(const char *text, size_t size, enum untorn_format format,
               const struct untorn_edit *edit, char **ret_text, size_t *ret_size);

#endif
