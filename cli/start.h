/* What has to be right before anything else: the arguments, the three standard descriptors, and
 * SIGPIPE; and how many files may be open. */
#ifndef CLI_START_H
#define CLI_START_H

/* A standard descriptor that was closed is filled with one that fails on use; else the first file
 * to be opened would take its number, and a message would be written into that file. SIGPIPE is
 * ignored, so that a broken pipe is an error we see.
 *
 * On Windows the arguments become UTF-8, and Ctrl-C ends untorn with 130. */
void start_up(int *argc, char ***argv);

/* As many open files as the system lets us have, for a verb that may need one for each file it is
 * given. Not for one that starts a command: that would inherit it, and select(2) has its limits. */
void start_many_files(void);

#endif
