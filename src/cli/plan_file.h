// The file that a plan is asked about: a profile, or anything else that holds one deployment.
#ifndef KVB_CLI_PLAN_FILE_H
#define KVB_CLI_PLAN_FILE_H

#include "cli/arguments.h"

// Reads the operand into arguments->question.deployment. `environment`: NAME=VALUE for variables in the file.
enum kvb_status kvb_plan_file_load(struct arguments *arguments, const char *const *environment, uint32_t count);

// Whether the serve command stands inside another: `docker run` and its kin, `bash -c`, perhaps behind variables and
// sudo.
bool kvb_container_line(const struct arguments *arguments);
// Reads what such a command starts into arguments->question.deployment; the serve command is gone then.
enum kvb_status kvb_container_line_load(struct arguments *arguments, const char *const *environment, uint32_t count);

#endif
