/* A config service: values from defaults, the user's file, the project's file and the environment;
 * each write goes to one file, and nothing that others write at the same time is lost.
 *
 *     config_service KEY           prints the value and where it comes from
 *     config_service KEY VALUE     sets it in the user's file
 */
#include <stdio.h>
#include <string.h>

#include <untorn.h>

static const char schema[] = "env_prefix = \"AGENTS\"\n"
                             "[[key]]\n"
                             "name = \"server.port\"\n"
                             "type = \"integer\"\n"
                             "default = 8000\n"
                             "[[key]]\n"
                             "name = \"auth.token\"\n"
                             "type = \"string\"\n"
                             "secret = true\n";

static int show(struct untorn_config *config, const char *key, struct untorn_error *error)
{
    const struct untorn_node *node;
    struct untorn_config_origin origin;
    int rc = untorn_config_get(config, key, &node, &origin, error);
    if (rc == 0)
        printf("%s (%s)\n", untorn_node_text(node, NULL), untorn_scope_name(origin.scope));
    return rc;
}

int main(int argc, char **argv)
{
    struct untorn_config_setup setup = {.app = "agents", .schema_text = schema};
    struct untorn_config *config;
    struct untorn_error error;
    char text[UNTORN_TEXT_SIZE];
    if (argc < 2)
        return 2;
    int rc = untorn_config_open(&setup, &config, &error);
    if (rc == 0 && argc > 2)
        rc = untorn_config_set(config, UNTORN_SCOPE_GLOBAL, argv[1], argv[2], NULL, &error);
    else if (rc == 0)
        rc = show(config, argv[1], &error);
    untorn_config_free(config);
    if (rc != 0)
        fprintf(stderr, "%s\n", untorn_describe(&error, text, sizeof text));
    return untorn_status_exit_code(rc);
}
