/* What the actions of untorn config share. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "outcome.h"

/* The actions that print: get, list, path and check. The words behind the action are operands[1]
 * and further. */
void config_print_value(struct outcome *outcome, struct untorn_config *config);
void config_print_list(struct outcome *outcome, struct untorn_config *config);
void config_print_paths(struct outcome *outcome, struct untorn_config *config);
void config_print_check(struct outcome *outcome, struct untorn_config *config);

#endif
